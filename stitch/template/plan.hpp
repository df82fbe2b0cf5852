#pragma once

/// Which items a list shows, in which order: a rule learned from what it showed before, then applied to the new feed.
/// Sequences are of entries: an item's id, or a negative number for a record that no feed tells of.

#include "stitch/template/items.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cistern::stitch::templates {

using entry = int;  // item_id, or below no_item: unknown to the feeds
using sequence = std::vector<entry>;

enum class list_order : std::uint8_t { feed, published, published_ties_reversed, updated, reversed };
enum class filter_kind : std::uint8_t { none, category, author, host, feed };
enum class length_kind : std::uint8_t { fixed, all_of_feed, grows, until };

struct sequence_rule {
  std::size_t pinned = 0;  // entries that stay on top
  list_order order = list_order::feed;
  filter_kind filter = filter_kind::none;
  std::string filter_value;
  std::size_t offset = 0;  // items at the head of the feed that are shown elsewhere
  length_kind length = length_kind::grows;
  std::size_t count = 0;      // for fixed
  std::size_t most = 0;       // a bound that the list has not met yet, 0 for none
  entry end = no_item;        // for until: the last one shown, always the same
  bool keeps_oldest = false;  // for all_of_feed: it grew before without losing its oldest
  bool incremental = false;   // the list is no window on the feed: new items are put in among the old
};

struct plan {
  sequence_rule rule;
  sequence next;
  sequence uncut;  // what there was to show before its length was cut
  double confidence = 0;
  std::vector<std::string> reasons;
};

/// What else the page shows now.
struct surroundings {
  std::set<entry> windows;   // in the other lists that a rule explains
  std::set<entry> anywhere;  // in all other lists
  bool digest = false;       // the list only repeats titles of a longer one
  /// For one of several sections side by side: the filter that says which items are its own.
  std::optional<std::pair<filter_kind, std::string>> section;
};

/// `shown[t]` is what the list showed at time t; empty where it was not found. The last one is the page to be stitched
/// and the feeds at time shown.size() are the new ones.
[[nodiscard]] std::optional<plan> plan_list(std::vector<sequence> const& shown, item_table const& items,
                                            surroundings const& around = {});

[[nodiscard]] std::string describe(sequence_rule const& rule);

}  // namespace cistern::stitch::templates
