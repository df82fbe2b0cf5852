#pragma once

/// JSON Feed 1.0 and 1.1 as it streams: only one item, or one member of the feed, is in memory at a time.

#include "stitch/feed/draft.hpp"
#include "stitch/feed/limits.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace cistern::stitch::feed {

class json_feed_reader {
public:
  json_feed_reader(limits const& bounds, std::function<void(draft&&)> on_item);
  ~json_feed_reader();
  json_feed_reader(json_feed_reader&&) noexcept;

  void push(std::string_view utf8);
  void finish();

  /// The document is complete or cannot be read any further.
  [[nodiscard]] bool done() const;
  [[nodiscard]] bool is_feed() const;
  [[nodiscard]] bool repaired() const;
  [[nodiscard]] draft& channel();
  [[nodiscard]] feed& header();

private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace cistern::stitch::feed
