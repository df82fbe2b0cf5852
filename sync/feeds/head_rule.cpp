#include "sync/feeds/head_rule.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

constexpr int pinned_at_most = 3;  // items on top whose dates say nothing about the order
constexpr int rises_at_most = 1;   // below them: a corrected date, a scheduled post

}  // namespace

void head_rule::note(item_memory::standing what, std::optional<std::chrono::sys_seconds> date) {
  using standing = item_memory::standing;
  ++seen_;
  bool const rose = date && last_date_ && *date > *last_date_;
  rises_ += rose;
  if (rose && seen_ > pinned_at_most + 1 && ++late_rises_ > rises_at_most) out_of_order_ = true;
  falls_ += date && last_date_ && *date < *last_date_;
  if (date) last_date_ = date;
  if (what == standing::unchanged) {
    ++known_in_a_row_;
    news_above_known_ |= news_ > 0;
    longest_known_run_ = std::max(longest_known_run_, known_in_a_row_);
    return;
  }
  // An edit may be anywhere; a new item below a run of known ones is where a head would have ended too early.
  if (what == standing::fresh && news_ > 0 && longest_known_run_ >= 3) news_below_known_ = true;
  if (what == standing::fresh && seen_ > pinned_at_most && longest_known_run_ >= pinned_at_most + 1)
    news_below_known_ = true;
  known_in_a_row_ = 0;
  ++news_;
}

store::feed_order head_rule::order() const {
  bool const only_rising = rises_ > 0 && falls_ == 0;
  if (out_of_order_ || news_below_known_ || only_rising) return store::feed_order::odd;
  return falls_ > 0 || news_above_known_ ? store::feed_order::newest_first : store::feed_order::unknown;
}

}  // namespace cistern::sync
