#include "store/leases.hpp"

namespace cistern::store {

bool body_leases::take(std::uint64_t body) {
  std::scoped_lock const lock{mutex_};
  if (dying_.contains(body)) return false;
  ++held_[body].readers;
  return true;
}

bool body_leases::give_back(std::uint64_t body) {
  std::scoped_lock const lock{mutex_};
  auto const at = held_.find(body);
  if (at == held_.end() || --at->second.readers > 0) return false;
  bool const unwanted = at->second.unwanted;
  held_.erase(at);
  return unwanted;
}

bool body_leases::claim(std::uint64_t body) {
  std::scoped_lock const lock{mutex_};
  if (auto const at = held_.find(body); at != held_.end()) {
    at->second.unwanted = true;
    return false;
  }
  dying_.insert(body);
  return true;
}

void body_leases::settle() {
  std::scoped_lock const lock{mutex_};
  dying_.clear();
}

}  // namespace cistern::store
