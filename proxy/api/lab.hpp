#pragma once

/// The stitch lab: what stitching makes of a page, with everything one needs to judge it. Nothing is stored by it.
/// Pure but for the shelf it is given; may take a second, so it is not to be called on a network thread.

#include "stitch/html/still.hpp"
#include "stitch/template/stitch.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

/// Regions, fields, confidences and reasons.
[[nodiscard]] boost::json::object view(stitch::templates::outcome const& made);

struct lab_input {
  std::string base{};
  std::vector<stitch::templates::snapshot> snapshots{};  // learned from, oldest first
  std::vector<stitch::feed::feed> feeds{};               // what is to be stitched in
  std::optional<stitch::html::document> served_later{};  // what the page then really was: to measure against
  std::vector<stitch::feed::feed> served_feeds{};
  double threshold = 0.5;
};

/// What `view` says, `measured` when there is something to measure against, and with `pictures` also `pages`: the stale
/// page, the stitched one and the heat map, each a page that loads nothing.
[[nodiscard]] boost::json::object examine(lab_input const& input, bool pictures, stitch::html::shelf const& at_hand);

/// Pages and feeds that somebody sent, as a form with files: `base`, `page` and `feed` in turn, the older page first,
/// every page followed by its feeds; `now` for the feeds as they are now. Without `now` the last page is not learned
/// from but foretold, and measured against. Nothing, with a sentence in `problem`, when they cannot be used.
[[nodiscard]] std::optional<lab_input> read_lab_form(std::string_view content_type, std::string_view body,
                                                     std::string& problem);

}  // namespace cistern::proxy
