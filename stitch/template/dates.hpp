#pragma once

/// Dates as pages write them: a date is a row of small parts, and each part of a page's text is explained by one of
/// them, in some language and some zone. Nothing here knows a format; formats are voted for, part by part.

#include "stitch/template/text.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::stitch::templates {

enum class date_part : std::uint8_t {
  year,
  year2,
  month,
  month0,
  day,
  day0,
  hour,
  hour0,
  hour12,
  hour120,
  minute,
  second,
  month_name,
  month_short,
  weekday_name,
  weekday_short,
  half_day,
  ordinal,
  zone,
  year_han
};
inline constexpr std::array all_date_parts{
    date_part::year,       date_part::year2,       date_part::month,        date_part::month0,
    date_part::day,        date_part::day0,        date_part::hour,         date_part::hour0,
    date_part::hour12,     date_part::hour120,     date_part::minute,       date_part::second,
    date_part::month_name, date_part::month_short, date_part::weekday_name, date_part::weekday_short,
    date_part::half_day,   date_part::ordinal,     date_part::zone,         date_part::year_han};

/// One way to write one part.
struct date_style {
  date_part part = date_part::year;
  std::uint8_t language = 0;
  letter_case letters = letter_case::as_is;
  friend bool operator==(date_style const&, date_style const&) = default;
};

[[nodiscard]] std::size_t languages() noexcept;
[[nodiscard]] bool is_number(date_part part) noexcept;

/// The part as text, for a moment seen at an offset from UTC.
[[nodiscard]] std::string written(date_style const& style, std::chrono::sys_seconds time, std::chrono::minutes offset);

/// By whose clock a page writes its dates: one offset from UTC for all, or for each item the one that its feed states.
struct date_zone {
  std::chrono::minutes offset{};
  bool as_stated = false;
  [[nodiscard]] std::chrono::minutes at(std::optional<std::chrono::minutes> const& stated) const noexcept {
    return as_stated && stated ? *stated : offset;
  }
};

/// Zones worth trying, likely ones first.
[[nodiscard]] std::span<date_zone const> likely_zones() noexcept;

/// The day that an address names: /2021/03/28/title.html.
[[nodiscard]] std::optional<std::chrono::sys_days> day_in(std::string_view address);

/// The name of a month or a weekday in one of the languages, long or short, however capitalised.
[[nodiscard]] bool is_date_name(std::string_view token);

/// A short text that could head a group of items by date: it names a year or a month.
[[nodiscard]] bool looks_like_date(std::string_view text);

/// The first style of each part that writes `token` at this moment, appended to `out`.
void explain(std::string_view token, std::chrono::sys_seconds time, std::chrono::minutes offset,
             std::vector<date_style>& out);

}  // namespace cistern::stitch::templates
