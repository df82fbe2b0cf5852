#include "sync/body_keeper.hpp"

#include "sync/errc.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
constexpr std::size_t copy_block = 1 << 20;

}  // namespace

void body_keeper::continue_behind(store::stored_object partial) {
  position_ = partial.size;
  object_ = std::move(partial);
  refresh_ = true;
}

void body_keeper::shadow(store::stored_object partial) {
  object_ = std::move(partial);
  shadowing_ = refresh_ = true;
}

void body_keeper::replace(store::stored_object partial) {
  object_ = std::move(partial);
  restart_ = true;
}

/// How many bytes of the block, which belongs at `position_`, are stored already.
result<std::size_t> body_keeper::equal_bytes(std::string_view block) const {
  auto const stored = object_->size - position_;
  block = block.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), stored)));
  auto const reader = kept_.open_body(*object_);
  if (!reader) return reader.error();
  std::string known(block.size(), '\0');
  auto const got = reader->read(position_, known);
  if (!got) return got.error();
  return static_cast<std::size_t>(std::mismatch(block.begin(), block.end(), known.begin()).first - block.begin());
}

net::awaitable<result<void>> body_keeper::add(std::string_view block) {
  if (shadowing_) {
    auto const equal = equal_bytes(block);
    if (!equal) co_return equal.error();
    position_ += *equal;
    block.remove_prefix(*equal);
    if (block.empty()) co_return result<void>{};
    shadowing_ = false;
    if (position_ < object_->size) {
      auto const again = co_await start_over();
      if (!again) co_return again.error();
    }
  }
  co_return co_await append(block);
}

net::awaitable<result<void>> body_keeper::append(std::string_view bytes) {
  auto task = [begun = object_, head = head_, at = position_, restart = restart_, refresh = refresh_,
               copy = std::string{bytes}](store::write_batch& b) {
    auto object = begun ? *begun : b.begin_object(head);
    if (restart) object = b.restart(object.ref, head);
    if (refresh) b.refresh(object.ref, head.headers, head.requested, head.responded);
    b.append(object.ref, at, copy);
    object.size = at + copy.size();
    return object;
  };
  auto written = co_await kept_.write(std::move(task), net::use_awaitable, bytes.size());
  if (!written) co_return written.error();
  object_ = std::move(*written);
  position_ = object_->size;
  restart_ = refresh_ = false;
  co_return result<void>{};
}

/// What came so far equals what is stored, and what comes next does not: a new body begins with a copy of that.
net::awaitable<result<void>> body_keeper::start_over() {
  auto const upto = std::exchange(position_, 0);
  auto const old = kept_.open_body(*object_);  // the lease keeps the bytes while they are copied
  if (!old) co_return old.error();
  restart_ = true;
  std::string block;
  do {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(copy_block, upto - position_)));
    auto const got = old->read(position_, block);
    if (!got) co_return got.error();
    auto const written = co_await append(block);
    if (!written) co_return written.error();
  } while (position_ < upto);
  co_return result<void>{};
}

net::awaitable<result<void>> body_keeper::check_digest(content_digest expected) const {
  auto const executor = co_await net::this_coro::executor;
  digest_check check{std::move(expected)};
  auto const reader = kept_.open_body(*object_);
  if (!reader) co_return reader.error();
  std::string block(copy_block, '\0');
  for (std::uint64_t at = 0; at < object_->size;) {
    auto const got = reader->read(at, block);
    if (!got) co_return got.error();
    check.add(std::string_view{block}.substr(0, *got));
    at += *got;
    co_await net::post(executor, net::use_awaitable);  // others have their turn between blocks
  }
  if (!check.matches()) co_return errc::wrong_digest;
  co_return result<void>{};
}

net::awaitable<result<store::stored_object>> body_keeper::complete(std::string_view last,
                                                                   std::optional<content_digest> expected,
                                                                   std::vector<store::object_ref> leftovers) {
  if (!object_ && !expected && leftovers.empty()) {  // most bodies: one transaction
    auto head = head_;
    std::string body{last};
    auto stored = co_await kept_.put(std::move(head), std::move(body), net::use_awaitable);
    co_return stored;
  }
  bool const nothing_yet = !object_ || restart_;
  if (!last.empty() || nothing_yet) {
    auto const added = co_await add(last);
    if (!added) co_return added.error();
  }
  if (position_ < object_->size) {  // shorter than what we have, and equal so far: another entity
    auto const again = co_await start_over();
    if (!again) co_return again.error();
  }
  if (expected) {
    auto const right = co_await check_digest(*expected);
    if (!right && right.error() == errc::wrong_digest) co_await drop();
    if (!right) co_return right.error();
  }
  auto finish = [ref = object_->ref, head = head_, refresh = refresh_,
                 leftovers = std::move(leftovers)](store::write_batch& b) {
    if (refresh) b.refresh(ref, head.headers, head.requested, head.responded);
    if (head.keep != store::retention::evictable) b.set_retention(ref, head.keep);
    for (auto const& each : leftovers) b.erase_object(each);
    return b.finish(ref);
  };
  auto done = co_await kept_.write(std::move(finish), net::use_awaitable);
  co_return done;
}

net::awaitable<void> body_keeper::drop() {
  if (!object_) co_return;
  auto task = [ref = object_->ref](store::write_batch& b) { b.erase_object(ref); };
  co_await kept_.write(std::move(task), net::use_awaitable);
}

}  // namespace cistern::sync
