#pragma once

/// Every feed there is -> one kind of value. Bytes go in as they arrive; each item comes out when it is complete, so
/// that a transfer can be ended where known items begin and memory is one item's.
///
/// It reads RSS 0.90 to 2.0, RSS 1.0 and 1.1 (RDF), Atom 0.3 and 1.0, CDF and JSON Feed, packed with gzip or not, in
/// any charset, well-formed or not: what can be saved is saved and `feed::repaired` says so. Nothing is fetched, no
/// external entity or DTD is ever looked at, and every cost is bounded by `limits`.

#include "stitch/feed/errors.hpp"
#include "stitch/feed/feed.hpp"
#include "stitch/feed/limits.hpp"
#include "stitch/result.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace cistern::stitch::feed {

struct reader_options {
  std::string base;  // the document's own address; without it links start from the feed's self link, or its link
  std::string content_type;  // as the server sent it; only its charset matters
  limits bounds = {};
  /// How many bytes of complete items may wait for what the channel says only after them (its author, and its address
  /// when `base` is empty). Zero gives each item at once, with what is known by then.
  std::size_t hold_bytes = 0;
};

class feed_reader {
public:
  feed_reader(reader_options options, std::function<void(item&&)> on_item);
  ~feed_reader();
  feed_reader(feed_reader&&) noexcept;

  void push(std::string_view bytes);
  /// The input is over, or enough was read. Gives the feed without its items, or errc::not_a_feed. `before_held` sees
  /// the same feed before the items that still wait are given.
  [[nodiscard]] result<feed> finish(std::function<void(feed const&)> const& before_held = {});

  /// More input would change nothing: it is no feed, a limit was reached, or the document is complete.
  [[nodiscard]] bool done() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A whole document at once, items included.
[[nodiscard]] result<feed> parse(std::string_view bytes, reader_options options = {});

}  // namespace cistern::stitch::feed
