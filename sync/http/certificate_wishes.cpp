#include "sync/http/certificate_wishes.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace cistern::sync {
namespace {

struct living {
  std::mutex mutex;
  std::vector<certificate_wishes::listener const*> all;
};

living& listeners() {
  static living out;
  return out;
}

}  // namespace

certificate_wishes::certificate_wishes(listener told) : told_{std::move(told)} {
  std::scoped_lock const lock{listeners().mutex};
  listeners().all.push_back(&told_);
}

certificate_wishes::~certificate_wishes() {
  std::scoped_lock const lock{listeners().mutex};
  std::erase(listeners().all, &told_);
}

void certificate_wishes::tell(std::string const& host) {
  std::scoped_lock const lock{listeners().mutex};
  for (auto const* const one : listeners().all) (*one)(host);
}

}  // namespace cistern::sync
