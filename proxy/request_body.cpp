#include "proxy/request_body.hpp"

#include "sync/errc.hpp"

#include <algorithm>
#include <cstring>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
constexpr std::size_t most_skipped = 256 << 10;

}  // namespace

request_body::request_body(connection& peer, sync::head_view const& head)
    : peer_{peer}, chunked_{head.chunked}, length_{head.content_length}, left_{head.content_length.value_or(0)} {}

net::awaitable<sync::result<std::size_t>> request_body::read_some(std::span<char> into) {
  peer_.expire_in(peer_.limits.body_timeout);
  if (chunked_) co_return co_await read_chunked(into);
  if (left_ == 0) co_return std::size_t{0};
  peer_.hears_request = true;
  auto const got =
      co_await peer_.read_some(into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_))));
  peer_.hears_request = false;
  left_ -= got;
  if (got == 0) refusal_ = 400;
  if (got == 0) co_return sync::errc::truncated;
  co_return got;
}

net::awaitable<sync::result<std::size_t>> request_body::read_chunked(std::span<char> into) {
  while (!chunks_.done() && refusal_ == 0) {
    if (peer_.pending().empty()) {
      peer_.hears_request = true;
      auto const more = co_await peer_.fill();
      peer_.hears_request = false;
      if (!more) refusal_ = 400;
      continue;
    }
    auto const step = chunks_.next(peer_.pending().substr(0, into.size()));
    if (step.fault != sync::framing_fault::none) {
      refusal_ = 400;
      co_return sync::errc::bad_framing;
    }
    auto const count = step.data.size();
    if (count > 0) std::memcpy(into.data(), step.data.data(), count);
    peer_.consume(step.consumed);
    seen_ += count;
    if (seen_ > peer_.limits.request_body_limit) {
      refusal_ = 413;
      co_return sync::errc::too_large;
    }
    if (count > 0) co_return count;
  }
  if (refusal_ != 0) co_return sync::errc::truncated;
  co_return std::size_t{0};
}

net::awaitable<bool> request_body::skip() {
  std::string piece(16 << 10, '\0');
  for (std::size_t skipped = 0; skipped < most_skipped;) {
    auto const got = co_await read_some(piece);
    if (!got) co_return false;
    if (*got == 0) co_return true;
    skipped += *got;
  }
  co_return false;
}

net::awaitable<sync::result<std::string>> request_body::read_all(std::size_t most) {
  std::string out;
  std::string piece(4 << 10, '\0');
  for (;;) {
    auto const got = co_await read_some(piece);
    if (!got) co_return got.error();
    if (*got == 0) co_return out;
    if (out.size() + *got > most) refusal_ = 413;
    if (refusal_ != 0) co_return sync::errc::too_large;
    out.append(piece, 0, *got);
  }
}

}  // namespace cistern::proxy
