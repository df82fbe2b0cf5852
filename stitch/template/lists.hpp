#pragma once

/// Where a page shows items: the feed's links locate the lists. Title links with the same tag path are one kind;
/// climbing from each as far as it stays alone gives its record; records that stand side by side are a list.

#include "stitch/html/document.hpp"
#include "stitch/template/items.hpp"
#include "stitch/template/traits.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cistern::stitch::templates {

/// One item as shown in one list: a run of sibling nodes [first, last] of one container.
struct record {
  item_id item = no_item;              // or no_item: looks like the others, but no feed tells of it
  std::string key;                     // of its link
  html::node_id root = html::no_node;  // the node of the run that the link is in
  html::node_id first = html::no_node, last = html::no_node;
  html::node_id link = html::no_node;  // the title link
  html::node_id caption = html::no_node;  // the sibling before it that is its author's name, where one stands there
  std::size_t group = 0;                  // index into list::groups
};

/// Records that share a container.
struct record_group {
  html::node_id container = html::no_node;
  html::node_id root = html::no_node;     // the sibling of the other groups' roots that holds the container
  html::node_id heading = html::no_node;  // a text that looks like a date and stands before the records
  html::node_id first = html::no_node;    // where the group begins: its root, or the node that holds the heading
  /// What stands before its records, where groups lie in groups: whose posts of that day they are.
  html::node_id caption_first = html::no_node, caption_last = html::no_node;
};

struct list {
  std::uint64_t path = 0;       // tag path of the title links
  std::string signature;        // tags, ids and classes down to the container, for people and for matching by time
  std::vector<record> records;  // in page order
  std::vector<record_group> groups;
  std::size_t known = 0;  // records with an item
  bool section = false;   // one of several side by side, each with the items of its own author or category
  trait section_trait = trait::category;
  std::string section_value;  // what its items have in common and those of the others have not
};

/// The lists of a page, in page order. What lies inside the record of a larger list is not a list of its own.
/// `time` is the page's.
[[nodiscard]] std::vector<list> find_lists(html::document const& page, item_table const& items, std::size_t time);

}  // namespace cistern::stitch::templates
