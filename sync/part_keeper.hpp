#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "store/partial_content.hpp"
#include "store/repository.hpp"

namespace cistern::sync {

/// Puts a range that an origin sent (a 206) into the repository as it arrives (RFC 9111 §3.3). It is kept as an
/// unfinished response, which only requests for ranges look at. A stored range that ends where this one begins, and is
/// of the same entity by a strong validator, grows by it (§3.4); a range from the first byte on is kept as the download
/// of the whole that broke off there, so that it can be completed.
class part_keeper {
public:
  /// `known` are the unfinished responses of the same URL and variant.
  part_keeper(store::repository& kept, store::object_head head, store::held_part part,
              std::vector<store::stored_object> known);

  /// The next bytes, in order. False when the repository would not have them; then nothing more is kept.
  boost::asio::awaitable<bool> add(std::string_view bytes);

private:
  boost::asio::awaitable<bool> begin();

  store::repository& kept_;
  store::object_head head_;
  store::held_part part_;
  std::vector<store::stored_object> known_;
  std::optional<store::object_ref> into_{};
  store::header_block grown_{};  // fields of the one that grows, with the news; empty when a new one is made
  std::uint64_t stored_ = 0;     // bytes the object has
  std::uint64_t skip_ = 0;       // of what comes: there already
};

}  // namespace cistern::sync
