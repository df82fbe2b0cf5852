#include "sync/http/limited_stream.hpp"

namespace cistern::sync {
namespace {

// What one operation may hold: enough for a TLS record, little enough that others are not kept from the last bytes by
// somebody who waits for a slow peer.
constexpr std::size_t largest_grant = 16 << 10;
constexpr std::size_t least_grant = 1024;

}  // namespace

limited_stream::time_point limited_stream::grant::ask(std::size_t wanted, limited_stream const& from) {
  spends = from.spends_;
  keeps = from.keeps_;
  bytes = wanted;
  if (spends) {
    // Small steps towards the end let the window follow.
    auto const half = std::max<std::uint64_t>(spends->left() / 2, least_grant);
    bytes = spends->take(static_cast<std::size_t>(std::min<std::uint64_t>({wanted, largest_grant, half})));
  }
  if (!keeps || bytes == 0) return {};
  auto const turn = keeps->ask(bytes, std::chrono::steady_clock::now());
  if (spends) spends->give_back(bytes - turn.bytes);
  bytes = turn.bytes;
  return turn.from;
}

void limited_stream::grant::settle(std::size_t moved) {
  auto const unused = std::exchange(bytes, 0);
  if (unused <= moved) return;
  if (spends) spends->give_back(unused - moved);
  if (keeps) keeps->give_back(unused - moved);
}

void limited_stream::narrow_window() {
  if (spends_) window_.narrow(stream_.socket().native_handle(), spends_->left());
}

}  // namespace cistern::sync
