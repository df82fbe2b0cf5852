#pragma once

/// How one varying text or attribute of a record comes about: a row of pieces, each a constant, a field of the item, a
/// part of its date, or unexplained. Learned by voting over all records; what is unexplained is never copied.

#include "stitch/feed/feed.hpp"
#include "stitch/template/dates.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cistern::stitch::templates {

enum class field : std::uint8_t {
  title,
  link,
  path,
  relative_path,
  slug,
  author,
  image,
  comments,
  category,
  encoded_title,
  encoded_link,
  encoded_path,
  cased_title,
  small_title,
  large_title
};

/// The strings an item offers for use in a record, longest first.
struct item_fields {
  std::string link;  // tells items apart
  std::vector<std::pair<field, std::string>> values;
  std::optional<std::chrono::sys_seconds> published, updated;
  std::optional<std::chrono::minutes> zone;  // of the publisher's clock, where the feed says so
  [[nodiscard]] std::string const* find(field f) const noexcept;
};
[[nodiscard]] item_fields fields_of(feed::item const& item, std::string_view link, std::string_view base);

enum class piece_kind : std::uint8_t { literal, field, date, unexplained };
struct piece {
  piece_kind kind = piece_kind::literal;
  std::string text;  // literal
  templates::field from = field::title;
  date_style style;
  friend bool operator==(piece const&, piece const&) = default;
};

struct sample {
  std::string_view value;
  item_fields const* item;
};

struct pattern {
  std::vector<piece> pieces;
  date_zone zone;
  bool uses_updated = false;
  double support = 0;  // share of the samples that it reproduces, unexplained pieces aside

  [[nodiscard]] bool constant() const noexcept;
  [[nodiscard]] bool explained() const noexcept;  // no unexplained piece
  /// Prose that no item tells: a few words that most records share would be left of it.
  [[nodiscard]] bool prose() const noexcept;
  [[nodiscard]] bool uses(field f) const noexcept;
  [[nodiscard]] bool uses_date() const noexcept;
  /// The text for an item; unexplained pieces are left out. Nothing when a field that it needs is missing.
  [[nodiscard]] std::optional<std::string> write(item_fields const& item) const;
};

/// For people: constants as they are, fields and dates in braces.
[[nodiscard]] std::string describe(pattern const& p);

/// `zones` are tried in order, and the first of several that explain as much is taken. `date_expected`: a lone date
/// part that never varied is believed too.
[[nodiscard]] pattern learn_pattern(std::vector<sample> const& samples, std::span<date_zone const> zones,
                                    bool date_expected = false);

}  // namespace cistern::stitch::templates
