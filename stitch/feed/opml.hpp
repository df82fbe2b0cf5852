#pragma once

/// OPML 2.0, in and out. An outline keeps every attribute it came with, in order, so that writing a document and
/// reading it again gives the same value.

#include "stitch/feed/errors.hpp"
#include "stitch/result.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cistern::stitch::feed {

struct outline {
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<outline> children;

  /// Empty when absent; names are compared without case ("xmlUrl", "xmlurl").
  [[nodiscard]] std::string_view attribute(std::string_view name) const;
  bool operator==(outline const&) const = default;
};

struct opml_document {
  std::vector<std::pair<std::string, std::string>> head;  // title, dateCreated, ownerName ... with their texts
  std::vector<outline> outlines;

  bool operator==(opml_document const&) const = default;
};

/// One feed in one folder; a feed in several folders comes several times.
struct subscription {
  std::string feed_url;
  std::string page_url;
  std::string title;
  std::vector<std::string> folders;  // outermost first
};

[[nodiscard]] result<opml_document> parse_opml(std::string_view bytes);
[[nodiscard]] std::string write_opml(opml_document const& document);

/// In document order. An outline without an address is a folder, whatever its type says.
[[nodiscard]] std::vector<subscription> subscriptions(opml_document const& document);

/// The document that lists these, folders merged by their path.
[[nodiscard]] opml_document make_opml(std::string_view title, std::vector<subscription> const& list);

}  // namespace cistern::stitch::feed
