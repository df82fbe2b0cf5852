#pragma once

/// Taking a site on and letting it go: a homepage or a feed is given, the other is found.

#include "stitch/feed/discovery.hpp"
#include "store/tables.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::sync {

struct add_request {
  std::string url{};
  std::vector<std::string> folders{};
  double weight = 1;
  store::carry_rules carry{};
  bool look_only = false;  // say what would be subscribed to
};

struct add_outcome {
  enum class end { added, known, found, no_feed, unreachable, bad_address };
  end how = end::unreachable;
  std::optional<store::subscription> feed{};          // added, known or found
  std::vector<stitch::feed::feed_link> candidates{};  // all that the page offers
  std::uint64_t items = 0;
  std::string message{};  // one sentence for a person
};

/// Folders inside folders as one text, "News/Local"; a slash in a name is written "\\/".
[[nodiscard]] std::string folder_path(std::vector<std::string> const& names);
[[nodiscard]] std::vector<std::string> folder_names(std::string_view path);

struct import_outcome {
  std::uint64_t added = 0;
  std::uint64_t known = 0;
  std::vector<std::string> problems{};
};

}  // namespace cistern::sync
