#pragma once

/// The items of all feeds at all points in time, each known once. Times are numbered: one per snapshot, oldest first,
/// and the last is that of the feeds to be stitched in.

#include "stitch/feed/feed.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cistern::stitch::templates {

using item_id = int;
inline constexpr item_id no_item = -1;

struct known_item {
  std::string key;  // links.hpp
  std::string link;
  feed::item const* latest = nullptr;    // as the newest feed that has it tells it
  std::vector<feed::item const*> at;     // by time, null where no feed has it
  std::vector<std::string> title_words;  // of all its titles, each word once
};

/// Owns nothing of the feeds: they must outlive it.
class item_table {
public:
  explicit item_table(std::string base) : base_{std::move(base)} {}
  void add(std::vector<feed::feed> const& feeds);  // the next point in time

  [[nodiscard]] std::size_t times() const noexcept { return order_.size(); }
  [[nodiscard]] std::vector<item_id> const& order(std::size_t time) const {
    return order_[time];
  }  // as the feeds have them
  [[nodiscard]] std::size_t feed_of(std::size_t time, std::size_t place) const { return feed_of_[time][place]; }
  [[nodiscard]] known_item const& operator[](item_id i) const { return items_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] item_id find(std::string_view href) const;  // as written on the page
  [[nodiscard]] std::string const& base() const noexcept { return base_; }

  /// The item as it was at a time, or as it is now when that time's feeds had lost it.
  [[nodiscard]] feed::item const& as_of(item_id i, std::size_t time) const;

private:
  std::string base_;
  std::vector<known_item> items_;
  std::unordered_map<std::string, item_id> by_key_;
  std::vector<std::vector<item_id>> order_;
  std::vector<std::vector<std::size_t>> feed_of_;
};

}  // namespace cistern::stitch::templates
