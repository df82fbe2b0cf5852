#include "store/http_date.hpp"

#include "store/header_block.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace cistern::store {
namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 7> days{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                               "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Takes a date apart from the left; the first thing that does not fit makes it fail for good.
class reader {
public:
  explicit reader(std::string_view text) : rest_{text} {}

  void text(std::string_view wanted) { accept(same_token(rest_.substr(0, wanted.size()), wanted), wanted.size()); }

  int digits(std::size_t count) {
    auto const part = rest_.substr(0, count);
    bool const good =
        part.size() == count && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    int value = 0;
    if (good)
      for (char const c : part) value = value * 10 + (c - '0');
    accept(good, count);
    return value;
  }

  template <std::size_t N>
  unsigned name(std::array<std::string_view, N> const& names, std::size_t length) {
    for (unsigned i = 0; i < N; ++i) {
      auto const wanted = names[i].substr(0, length);
      if (!same_token(rest_.substr(0, wanted.size()), wanted)) continue;
      rest_.remove_prefix(wanted.size());
      return i;
    }
    good_ = false;
    return 0;
  }

  /// asctime pads the day with a blank.
  int padded_day() {
    if (!rest_.starts_with(' ')) return digits(2);
    rest_.remove_prefix(1);
    return digits(1);
  }

  seconds time_of_day() {
    int const h = digits(2);
    text(":");
    int const m = digits(2);
    text(":");
    int const s = digits(2);
    if (h > 23 || m > 59 || s > 60) good_ = false;  // 60: a leap second
    return hours{h} + minutes{m} + seconds{s};
  }

  [[nodiscard]] bool done() const { return good_ && rest_.empty(); }

private:
  void accept(bool good, std::size_t length) {
    if (!good)
      good_ = false;
    else
      rest_.remove_prefix(length);
  }

  std::string_view rest_;
  bool good_ = true;
};

std::optional<sys_seconds> assemble(reader const& in, int y, unsigned m, int d, seconds time) {
  year_month_day const date{year{y}, month{m + 1}, day{static_cast<unsigned>(d)}};
  if (!in.done() || !date.ok()) return std::nullopt;
  return sys_days{date} + time;
}

std::optional<sys_seconds> imf_fixdate(std::string_view text) {
  reader in{text};
  in.name(days, 3);
  in.text(", ");
  int const d = in.digits(2);
  in.text(" ");
  unsigned const m = in.name(months, 3);
  in.text(" ");
  int const y = in.digits(4);
  in.text(" ");
  auto const time = in.time_of_day();
  in.text(" GMT");
  return assemble(in, y, m, d, time);
}

std::optional<sys_seconds> rfc850(std::string_view text, sys_seconds now) {
  reader in{text};
  in.name(days, std::string_view::npos);
  in.text(", ");
  int const d = in.digits(2);
  in.text("-");
  unsigned const m = in.name(months, 3);
  in.text("-");
  int const short_year = in.digits(2);
  in.text(" ");
  auto const time = in.time_of_day();
  in.text(" GMT");
  int const this_year = static_cast<int>(year_month_day{floor<std::chrono::days>(now)}.year());
  int y = this_year - this_year % 100 + short_year;
  if (y > this_year + 50) y -= 100;
  if (y <= this_year - 50) y += 100;
  return assemble(in, y, m, d, time);
}

std::optional<sys_seconds> asctime_date(std::string_view text) {
  reader in{text};
  in.name(days, 3);
  in.text(" ");
  unsigned const m = in.name(months, 3);
  in.text(" ");
  int const d = in.padded_day();
  in.text(" ");
  auto const time = in.time_of_day();
  in.text(" ");
  int const y = in.digits(4);
  return assemble(in, y, m, d, time);
}

}  // namespace

std::optional<sys_seconds> parse_http_date(std::string_view text, sys_seconds now) {
  if (text.size() < 24 || text.size() > 33) return std::nullopt;
  if (text[3] == ',') return imf_fixdate(text);
  if (text[3] == ' ') return asctime_date(text);
  return rfc850(text, now);
}

std::string format_http_date(sys_seconds when) {
  auto const earliest = sys_seconds{sys_days{year{0} / 1 / 1}};
  auto const latest = sys_seconds{sys_days{year{10000} / 1 / 1}} - seconds{1};
  when = std::clamp(when, earliest, latest);
  auto const midnight = floor<std::chrono::days>(when);
  year_month_day const date{midnight};
  hh_mm_ss const time{when - midnight};
  auto const day_name = days[weekday{midnight}.c_encoding()].substr(0, 3);
  auto const month_name = months[static_cast<unsigned>(date.month()) - 1];
  std::array<char, 40> out{};
  int const length = std::snprintf(out.data(), out.size(), "%.3s, %02u %.3s %04d %02d:%02d:%02d GMT", day_name.data(),
                                   static_cast<unsigned>(date.day()), month_name.data(), static_cast<int>(date.year()),
                                   static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                                   static_cast<int>(time.seconds().count()));
  return {out.data(), static_cast<std::size_t>(length)};
}

}  // namespace cistern::store
