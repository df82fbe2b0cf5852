#include "store/leases.hpp"

namespace cistern::store {

bool body_leases::take(std::uint64_t body) {
  std::scoped_lock const lock{mutex_};
  if (dying_.contains(body)) return false;
  ++held_[body];
  return true;
}

bool body_leases::give_back(std::uint64_t body) {
  std::scoped_lock const lock{mutex_};
  auto const at = held_.find(body);
  if (at == held_.end() || --at->second > 0) return false;
  held_.erase(at);
  return true;
}

bool body_leases::claim(std::uint64_t body) {
  std::scoped_lock const lock{mutex_};
  if (held_.contains(body)) return false;
  dying_.insert(body);
  return true;
}

void body_leases::settle() {
  std::scoped_lock const lock{mutex_};
  dying_.clear();
}

}  // namespace cistern::store
