#include "sync/transfer.hpp"

#include "sync/errc.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstring>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
constexpr auto quiet = net::as_tuple(net::use_awaitable);
constexpr std::uint64_t window_limit = 1u << 20;
constexpr auto for_ever = std::chrono::steady_clock::time_point::max();

}  // namespace

/// Releases the lock and sleeps until somebody calls `wake_all`. The waker posts to this thread, so it cannot come
/// between the release and the wait.
net::awaitable<void> transfer::wait_for_change(lock held, std::chrono::steady_clock::time_point until) {
  auto const executor = co_await net::this_coro::executor;
  auto const timer = std::make_shared<net::steady_timer>(executor, until);
  waiting_.push_back(timer);
  held.unlock();
  co_await timer->async_wait(quiet);
}

void transfer::wake_all(lock& held) {
  auto const sleepers = std::exchange(waiting_, {});
  held.unlock();
  for (auto const& timer : sleepers) net::post(timer->get_executor(), [timer] { timer->cancel(); });
}

net::awaitable<std::optional<transfer::arrival_news>> transfer::wait_for_head(std::chrono::milliseconds patience,
                                                                              std::size_t* seen) {
  auto const until = patience.count() > 0 ? std::chrono::steady_clock::now() + patience : for_ever;
  for (;;) {
    lock held{mutex_};
    if (seen != nullptr && *seen < interims_.size()) {
      arrival_news news{.kind = arrival_kind::interim};
      news.head = interims_[(*seen)++];
      co_return news;
    }
    if (decided_) co_return news_;
    if (std::chrono::steady_clock::now() >= until) co_return std::nullopt;
    co_await wait_for_change(std::move(held), until);
  }
}

transfer::reader::reader(std::shared_ptr<transfer> from) : from_{std::move(from)} {
  lock const held{from_->mutex_};
  at_ = from_->places_.insert(from_->places_.end(), place{0});
}

void transfer::reader::seek(std::uint64_t offset) {
  lock held{from_->mutex_};
  at_->offset = std::max(at_->offset, offset);
  from_->drop_what_is_not_needed();
  from_->wake_all(held);
}

transfer::reader::~reader() {
  if (!from_) return;
  lock held{from_->mutex_};
  from_->places_.erase(at_);
  from_->drop_what_is_not_needed();
  from_->wake_all(held);
}

net::awaitable<result<std::size_t>> transfer::reader::read_some(std::span<char> into) {
  auto& t = *from_;
  for (;;) {
    lock held{t.mutex_};
    auto const end = t.window_start_ + t.window_size_;
    if (at_->offset >= t.window_start_ && at_->offset < end) {
      auto skip = at_->offset - t.window_start_;
      auto piece = t.window_.begin();
      for (; skip >= piece->size(); ++piece) skip -= piece->size();
      auto const count = std::min(into.size(), piece->size() - static_cast<std::size_t>(skip));
      std::memcpy(into.data(), piece->data() + skip, count);
      at_->offset += count;
      t.drop_what_is_not_needed();
      t.wake_all(held);
      co_return count;
    }
    if (at_->offset < t.window_start_) {  // fell behind: the rest of the window is durable by now
      auto object = t.object_;
      object.size = t.durable_;
      held.unlock();
      if (!stored_ || stored_->size() < object.size) {
        auto opened = t.kept_.open_body(object);
        if (!opened) co_return opened.error();
        stored_.emplace(std::move(*opened));
      }
      auto const got = stored_->read(at_->offset, into);
      if (!got) co_return got.error();
      if (*got == 0) co_return errc::truncated;
      held.lock();
      at_->offset += *got;
      co_return *got;
    }
    if (t.broken_) co_return t.broken_;
    if (t.ended_) co_return std::size_t{0};
    co_await t.wait_for_change(std::move(held), for_ever);
  }
}

net::awaitable<void> transfer::wait_for_end() {
  for (;;) {
    lock held{mutex_};
    if (ended_) co_return;
    co_await wait_for_change(std::move(held), for_ever);
  }
}

std::optional<std::uint64_t> transfer::missing() {
  lock const held{mutex_};
  auto const there = window_start_ + window_size_;
  if (!decided_ || !news_.head.content_length) return std::nullopt;
  return *news_.head.content_length - std::min(*news_.head.content_length, there);
}

void transfer::pass_interim(unsigned status, store::header_block fields) {
  lock held{mutex_};
  interims_.push_back({.status = status, .fields = std::move(fields)});
  wake_all(held);
}

void transfer::announce(arrived_head head) {
  lock held{mutex_};
  decided_ = true;
  storing_ = head.storing;
  news_.kind = arrival_kind::streaming;
  news_.head = std::move(head);
  wake_all(held);
}

void transfer::freshen(store::stored_object object) {
  lock held{mutex_};
  decided_ = ended_ = true;
  news_.kind = arrival_kind::freshened;
  news_.object = std::move(object);
  wake_all(held);
}

void transfer::fail(boost::system::error_code why) {
  lock held{mutex_};
  if (!decided_) {
    decided_ = true;
    news_.error = why;
  }
  broken_ = why;
  ended_ = true;
  wake_all(held);
}

void transfer::publish(std::string bytes) {
  if (bytes.empty()) return;
  lock held{mutex_};
  window_size_ += bytes.size();
  window_.push_back(std::move(bytes));
  drop_what_is_not_needed();
  wake_all(held);
}

void transfer::durable(store::stored_object const& object, std::uint64_t size) {
  lock const held{mutex_};
  object_ = object;
  durable_ = size;
  drop_what_is_not_needed();
}

void transfer::stop_storing() {
  lock const held{mutex_};
  storing_ = false;
}

void transfer::continue_behind(store::stored_object const& partial) {
  lock const held{mutex_};
  object_ = partial;
  window_start_ = durable_ = partial.size;
}

void transfer::had(std::uint64_t size) {
  lock const held{mutex_};
  had_ = size;
}

std::optional<store::stored_object> transfer::stored() {
  lock const held{mutex_};
  return finished_;
}

std::uint64_t transfer::position() {
  lock const held{mutex_};
  return window_start_ + window_size_;
}

std::uint64_t transfer::gained() {
  lock const held{mutex_};
  return durable_ - std::min(durable_, had_);
}

void transfer::finish(std::optional<store::stored_object> object) {
  lock held{mutex_};
  if (object) durable_ = std::max(durable_, object->size);
  finished_ = std::move(object);
  ended_ = true;
  wake_all(held);
}

/// Under the lock. What is stored may go once the window is full; what is not, once everybody has it.
void transfer::drop_what_is_not_needed() {
  auto const slowest = [&] {
    auto lowest = window_start_ + window_size_;
    for (auto const& place : places_) lowest = std::min(lowest, place.offset);
    return lowest;
  };
  while (!window_.empty()) {
    auto const end = window_start_ + window_.front().size();
    bool const kept_elsewhere = end <= durable_ && window_size_ > window_limit;
    if (!kept_elsewhere && (storing_ || slowest() < end)) break;
    window_start_ = end;
    window_size_ -= window_.front().size();
    window_.pop_front();
  }
}

net::awaitable<bool> transfer::wait_for_room() {
  for (;;) {
    lock held{mutex_};
    if (storing_) co_return true;
    if (places_.empty()) co_return false;
    if (window_size_ < window_limit) co_return true;
    co_await wait_for_change(std::move(held), for_ever);
  }
}

std::size_t transfer::readers() {
  lock const held{mutex_};
  return places_.size();
}

}  // namespace cistern::sync
