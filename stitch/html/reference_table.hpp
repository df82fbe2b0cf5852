#pragma once

#include "stitch/html/references.hpp"

#include <optional>
#include <string_view>

namespace cistern::stitch::html {

/// What the table says of one attribute of one element.
struct table_entry {
  reference_kind kind = reference_kind::link;
  value_syntax syntax = value_syntax::url;
  bool lazy = false;
};

/// Nothing when that attribute holds no address there. Private to html/references.cpp.
[[nodiscard]] std::optional<table_entry> look_up(document const& page, node_id element, attribute const& a);

}  // namespace cistern::stitch::html
