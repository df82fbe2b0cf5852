#include "sync/part_keeper.hpp"

#include "store/validation.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
constexpr std::size_t most_parts = 16;  // of one URL; beyond it the oldest go

std::optional<store::held_part> part_of(store::stored_object const& object) {
  return store::stored_part(object.status, object.headers, object.size, object.expected_size);
}

}  // namespace

part_keeper::part_keeper(store::repository& kept, store::object_head head, store::held_part part,
                         std::vector<store::stored_object> known)
    : kept_{kept}, head_{std::move(head)}, part_{part}, known_{std::move(known)} {
  std::erase_if(known_, [](auto const& each) { return each.status != 206; });  // the others are being downloaded
  for (auto const& each : known_) {
    auto const held = part_of(each);
    bool const goes_on = held && held->size == part_.size && part_.range.first > held->range.first &&
                         part_.range.first <= held->range.last + 1 && part_.range.last > held->range.last;
    if (!goes_on || each.invalidated || !store::may_combine(each.headers, head_.headers)) continue;
    into_ = each.ref;
    grown_ = store::update_stored(each.headers, head_.headers, head_.responded);
    stored_ = each.size;
    skip_ = held->range.last + 1 - part_.range.first;
    return;
  }
  if (part_.range.first > 0) {
    head_.headers.set("Content-Range", store::content_range(part_.range, part_.size));
    return;
  }
  head_.status = 200;
  head_.headers.erase("Content-Range");
  head_.headers.set("Content-Length", std::to_string(part_.size));
  head_.expected_size = part_.size;
}

/// Makes the object, and room for it: what it covers, what is of another entity, and the oldest of too many go.
net::awaitable<bool> part_keeper::begin() {
  std::vector<store::object_ref> old;
  std::size_t others = 0;
  for (auto const& each : known_) {  // newest first
    auto const held = part_of(each);
    bool const covered = held && part_.range.first <= held->range.first && held->range.last <= part_.range.last;
    bool const same = held && held->size == part_.size && store::may_combine(each.headers, head_.headers);
    if (covered || !same || ++others >= most_parts) old.push_back(each.ref);
  }
  auto task = [head = head_, old](store::write_batch& b) {
    for (auto const& ref : old) b.erase_object(ref);
    return b.begin_object(head);
  };
  auto const begun = co_await kept_.write(std::move(task), net::use_awaitable);
  if (begun) into_ = begun->ref;
  co_return begun.has_value();
}

net::awaitable<bool> part_keeper::add(std::string_view bytes) {
  auto const known = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, bytes.size()));
  skip_ -= known;
  std::string news{bytes.substr(known)};
  if (news.empty()) co_return true;
  if (!into_) {
    auto const begun = co_await begin();
    if (!begun) co_return false;
  }
  auto const size = news.size();
  auto task = [ref = *into_, offset = stored_, news = std::move(news), fields = std::exchange(grown_, {}),
               requested = head_.requested, responded = head_.responded](store::write_batch& b) {
    b.append(ref, offset, news);
    if (!fields.empty()) b.refresh(ref, fields, requested, responded);
  };
  auto const added = co_await kept_.write(std::move(task), net::use_awaitable, size);
  stored_ += size;
  co_return added.has_value();
}

}  // namespace cistern::sync
