#pragma once

/// When has enough of a feed been read? A feed that is known to be newest-first tells nothing new behind three known,
/// unchanged items in a row, once something new came before them. (Before it nothing is certain: three pinned items may
/// stand on top, and an answer that is no 304 says that something changed.)

#include "sync/feeds/item_memory.hpp"

#include <chrono>
#include <optional>

namespace cistern::sync {

class head_rule {
public:
  /// `trusted`: the feed was seen to be newest-first, and no whole read is due.
  explicit head_rule(bool trusted) : trusted_{trusted} {}

  void note(item_memory::standing what, std::optional<std::chrono::sys_seconds> date);
  [[nodiscard]] bool enough() const { return trusted_ && news_ > 0 && known_in_a_row_ >= 3 && !out_of_order_; }

  /// What a whole read taught: in a feed that is newest-first new items stand above the known ones and dates do not
  /// grow on the way down, but for a few pinned items on top. Without dates and news nothing was learned.
  [[nodiscard]] store::feed_order order() const;

private:
  bool trusted_;
  bool out_of_order_ = false;
  bool news_below_known_ = false, news_above_known_ = false;
  int known_in_a_row_ = 0;
  int longest_known_run_ = 0;
  int seen_ = 0;
  int rises_ = 0, late_rises_ = 0, falls_ = 0;
  int news_ = 0;
  std::optional<std::chrono::sys_seconds> last_date_;
};

}  // namespace cistern::sync
