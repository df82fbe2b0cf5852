#pragma once

#include "sync/feeds/visit_rules.hpp"

namespace cistern::sync {

/// Written by a clock that ran ahead: nothing of it holds anybody back once the clock is right.
inline bool is_from_the_future(store::subscription const& feed, std::chrono::sys_seconds now) {
  using std::chrono::hours;
  return feed.last_visit > now + hours{1} || feed.not_before > now + hours{24 * 8};
}

inline std::chrono::sys_seconds earliest_believable(store::subscription const& feed, visit_floors const& floors,
                                                    std::chrono::sys_seconds now) {
  return is_from_the_future(feed, now) ? now : earliest_visit(feed, floors);
}

}  // namespace cistern::sync
