#pragma once

/// What a visit that brought nothing does to the subscription: its address, its items and its validators never change;
/// the next visit moves, and the reader is told why in words.

#include "sync/feeds/feed_visit.hpp"

#include <random>

namespace cistern::sync {

/// `certain`: the link was up, so it is the origin's failure. Otherwise no counter moves.
void note_trouble(store::subscription& feed, visit_report const& report, bool certain, std::chrono::sys_seconds now,
                  visit_floors const& floors, std::mt19937_64& dice);

/// The wait that the whole host asked for, if it did (429 and 503 with Retry-After).
[[nodiscard]] std::optional<std::chrono::sys_seconds> host_wish(visit_report const& report,
                                                                std::chrono::sys_seconds now,
                                                                visit_floors const& floors);

}  // namespace cistern::sync
