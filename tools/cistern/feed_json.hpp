#pragma once

#include "stitch/feed/feed.hpp"

#include <string>

namespace cistern::tools {

/// The members of the contract in its order, absent fields absent, without the braces; `items` is not among them.
void append_feed_members(std::string& out, stitch::feed::feed const& feed);
void append_item(std::string& out, stitch::feed::item const& item);

/// A JSON string with its quotes. `text` is UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace cistern::tools
