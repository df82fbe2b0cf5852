#pragma once

/// What a visit means: which items are new, edited or moved, what the subscription knows now, what is wanted next. All
/// of it is written in one transaction, so that a power cut leaves either the old state or the new.

#include "store/repository.hpp"
#include "sync/feeds/feed_visit.hpp"

#include <cstdint>
#include <vector>

namespace cistern::sync {

struct news_settings {
  std::size_t first_items = 10;         // articles fetched when a feed is new: not its whole history
  std::uint64_t typical_page = 60'000;  // bytes; what a page is thought to cost before one was seen
};

struct visit_news {
  store::subscription feed{};        // as it is after the visit
  std::vector<store::item> fresh{};  // in the feed's order
  std::vector<store::item> edited{};
  std::vector<store::item> moved_from{};  // records to erase: their successors are in `edited`
  std::vector<store::job> wanted{};
  std::vector<std::chrono::sys_seconds> postings{};  // dates of the fresh ones
  std::int64_t undated = 0;
  bool turned_over = false;  // nothing known was left: items may have been lost
  bool gap = false;          // and the archives did not have them either
  bool adopted_move = false;
};

/// Reads the repository, writes nothing.
[[nodiscard]] visit_news digest_visit(store::repository& kept, store::subscription before, visit_report const& report,
                                      std::chrono::sys_seconds now, visit_floors const& floors,
                                      news_settings const& settings);

/// Puts it all into one transaction. False when the subscription was removed or given another address meanwhile: then
/// nothing was written. What a person may change at any time (weight, folders, what to carry …) is kept as it is now.
bool write_news(store::write_batch& batch, visit_news const& news);

/// "item 7 0123…": who a job is for.
[[nodiscard]] std::string owner_name(store::item const& of);
/// The key of the item that the name stands for, if it does.
[[nodiscard]] std::optional<std::string> item_key_of(std::string_view owner);

}  // namespace cistern::sync
