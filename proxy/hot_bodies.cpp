#include "proxy/hot_bodies.hpp"

#include <algorithm>

namespace cistern::proxy {
namespace {

constexpr std::uint32_t times_to_be_hot = 2;
constexpr std::uint32_t most_uses = 64;  // so that what was hot once does not stay for ever

/// Room that was set aside, until the bytes that lie in it are nobody's any more.
using room = std::shared_ptr<std::string>;

room set_aside(std::shared_ptr<std::atomic<std::size_t>> const& held, std::size_t size) {
  *held += size;
  return {new std::string, [held, size](std::string* bytes) {
            delete bytes;
            *held -= size;
          }};
}

}  // namespace

std::shared_ptr<std::string const> hot_bodies::find(store::repository& kept, store::stored_object const& object) {
  if (object.body == 0 || object.size > std::min<std::uint64_t>(longest, limit_)) return nullptr;
  room made;
  {
    std::scoped_lock const lock{mutex_};
    if (auto known = look(object)) return known;
    auto const size = static_cast<std::size_t>(object.size);
    if (!earns_place(object) || !make_room(size)) return nullptr;
    made = set_aside(held_, size);
  }
  auto read = kept.read_body(object);
  if (!read) return nullptr;
  *made = std::move(*read);

  std::scoped_lock const lock{mutex_};
  if (auto known = look(object)) return known;  // another thread was faster
  entries_.push_front({object.body, object.content, made, times_to_be_hot});
  by_body_[object.body] = entries_.begin();
  return made;
}

std::shared_ptr<std::string const> hot_bodies::look(store::stored_object const& object) {
  auto const at = by_body_.find(object.body);
  if (at == by_body_.end() || at->second->content != object.content) return nullptr;
  auto& entry = *at->second;
  entry.uses = std::min(entry.uses + 1, most_uses);
  entries_.splice(entries_.begin(), entries_, at->second);
  return entry.bytes;
}

/// Asked for more than once of late, and where there is no room also more often than what would have to go. What would
/// have to go is worth less each time: a walk through more bodies than fit copies few of them.
bool hot_bodies::earns_place(store::stored_object const& object) {
  auto& place = asked_for_[object.body % asked_for_.size()];
  if (place.body != object.body) place = {object.body, 0};
  ++place.times;
  if (place.times < times_to_be_hot) return false;
  if (*held_ + object.size <= limit_ || entries_.empty()) return true;
  auto& last = entries_.back();
  if (place.times > last.uses) return true;
  --last.uses;
  return false;
}

/// What is being sent just now stays: dropping it would free nothing.
bool hot_bodies::make_room(std::size_t size) {
  for (auto at = entries_.end(); *held_ + size > limit_ && at != entries_.begin();) {
    --at;
    if (at->bytes.use_count() > 1) continue;
    by_body_.erase(at->body);
    at = entries_.erase(at);
  }
  return *held_ + size <= limit_;
}

}  // namespace cistern::proxy
