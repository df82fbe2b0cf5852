#pragma once

/// Items become whole articles: what a page needs is found on it and queued, and the item knows which parts are here.

#include "stitch/html/requisites.hpp"
#include "store/repository.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cistern::sync {

struct article_settings {
  stitch::html::requisite_options choose{};
  std::uint32_t next_pages = 3;   // of an article that goes on elsewhere
  std::uint32_t style_depth = 4;  // sheets that import sheets
  std::uint64_t largest_page = 8u << 20;
  std::uint64_t largest_part = 16u << 20;
  std::uint64_t item_limit = 32u << 20;  // of an article with all it needs, unless its subscription says otherwise
};

/// What a stored page or style sheet needs that is not stored yet, as jobs for the owners of the job that fetched it.
/// Reads the repository; an unreadable page needs nothing.
struct parts_list {
  std::vector<store::job> wanted{};
  std::vector<store::object_ref> here{};  // needed and stored already: to be kept as long as the article
};
[[nodiscard]] parts_list find_parts(store::repository& kept, store::job const& job, store::stored_object const& object,
                                    std::chrono::sys_seconds now, article_settings const& settings);

/// How a job ended, as its items see it.
enum class part_end { stored, missing };

/// Tells every owner of the job, queues what `parts` wants, and takes the job off the queue, all in one transaction.
/// Returns how many articles became whole by it.
struct part_news {
  std::uint64_t articles_completed = 0;
  std::vector<store::job> queued{};  // as they are in the queue now
};
part_news finish_part(store::write_batch& batch, store::job const& job, part_end how, std::uint64_t bytes,
                      parts_list const& parts, std::string const& error);

}  // namespace cistern::sync
