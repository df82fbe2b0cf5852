#include "sync/http/response.hpp"

#include <algorithm>

namespace cistern::sync {

namespace net = boost::asio;
using steady = std::chrono::steady_clock;

deadline response::next_byte() const {
  auto const next = between_bytes_.count() == 0 ? steady::time_point::max() : steady::now() + between_bytes_;
  return next < whole_until_ ? deadline{next, errc::stalled} : deadline{whole_until_, errc::too_slow};
}

net::awaitable<result<std::size_t>> response::read_some(std::span<char> into) {
  if (complete_ != completeness::partial || into.empty()) co_return std::size_t{0};
  if (!link_) co_return errc::truncated;
  switch (framing_) {
    case framing::length:
      co_return co_await read_length(into);
    case framing::chunked:
      co_return co_await read_chunked(into);
    case framing::until_close:
      co_return co_await read_until_close(into);
    case framing::none:
      break;
  }
  co_return std::size_t{0};
}

net::awaitable<result<std::size_t>> response::read_length(std::span<char> into) {
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, into.size())));
  auto const got = co_await link_->read_some(into, next_byte());
  if (!got) co_return fail(got.error());
  if (*got == 0) co_return fail(errc::truncated);
  left_ -= *got;
  if (left_ == 0) finish(completeness::whole);
  co_return got;
}

net::awaitable<result<std::size_t>> response::read_chunked(std::span<char> into) {
  for (;;) {
    // The decoder is shown no more than fits, so that every byte it hands out has a place.
    auto const step = chunks_.next(link_->pending().substr(0, into.size()));
    if (step.fault != framing_fault::none) co_return fail(errc::bad_framing);
    std::copy(step.data.begin(), step.data.end(), into.begin());
    link_->consume(step.consumed);
    if (chunks_.done()) co_return finish(completeness::whole);
    if (!step.data.empty()) co_return step.data.size();
    if (!link_->pending().empty()) continue;
    auto const got = co_await link_->fill(next_byte());
    if (!got) co_return fail(got.error());
    if (*got == 0) co_return fail(errc::truncated);
  }
}

net::awaitable<result<std::size_t>> response::read_until_close(std::span<char> into) {
  auto const got = co_await link_->read_some(into, next_byte());
  if (!got) co_return fail(got.error());
  if (*got == 0) co_return finish(link_->secure() ? completeness::whole : completeness::by_close);
  co_return got;
}

/// The body is all there: the connection rests, if it may, and others can have the slot.
std::size_t response::finish(completeness how) {
  complete_ = how;
  if (reusable_ && link_ && link_->pending().empty()) slot_->pool().put_idle(rest_, std::move(link_));
  link_.reset();
  slot_.reset();
  return 0;
}

boost::system::error_code response::fail(boost::system::error_code error) {
  link_.reset();
  slot_.reset();
  return error;
}

}  // namespace cistern::sync
