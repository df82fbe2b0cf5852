#pragma once

/// Which parts of a varying text are parts of the items' dates, and by whose clock: each candidate zone is tried on all
/// records, part by part, and the one that explains most is taken.

#include "stitch/template/pattern.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace cistern::stitch::templates {

enum class token_class : std::uint8_t { digits, letters, other };
[[nodiscard]] token_class class_of(char c) noexcept;
[[nodiscard]] bool is_digits(std::string_view text) noexcept;

/// One record's text in pieces, and its item. All rows of a vote have the same shape.
using dated_row = std::pair<std::vector<piece> const*, item_fields const*>;

struct date_vote {
  std::vector<std::optional<date_style>> styles;  // by piece
  date_zone zone;
  bool updated = false;
  std::size_t score = 0;
};

/// `expected`: a lone part that never varied is believed too.
[[nodiscard]] date_vote vote_on_dates(std::vector<dated_row> const& rows, std::span<date_zone const> zones,
                                      bool expected);

}  // namespace cistern::stitch::templates
