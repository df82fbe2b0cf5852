#include "sync/backoff.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

constexpr std::chrono::seconds longest_wish{7 * 24 * 3600};

}  // namespace

backoff::entry& backoff::of(std::string const& host, time now) {
  if (hosts_.size() >= settings_.hosts && !hosts_.contains(host)) {
    std::erase_if(hosts_, [&](auto const& each) { return each.second.until <= now && each.second.left_alone <= now; });
    if (hosts_.size() >= settings_.hosts) hosts_.erase(hosts_.begin());
  }
  return hosts_[host];
}

backoff::time backoff::failed(std::string const& host, time now, bool progress) {
  auto& known = of(host, now);
  if (progress) known.failures = 0;
  auto const steps = std::min(known.failures++, 40u);
  auto longest = settings_.base;
  for (std::uint32_t i = 0; i < steps && longest < settings_.cap; ++i) longest *= 2;
  longest = std::min(longest, settings_.cap);
  std::uniform_int_distribution<std::int64_t> some{0, longest.count()};
  known.until = now + std::chrono::milliseconds{some(random_)};
  return ready_at(host);
}

void backoff::succeeded(std::string const& host) {
  auto const at = hosts_.find(host);
  if (at == hosts_.end()) return;
  at->second.failures = 0;
  at->second.until = {};
}

void backoff::leave_alone(std::string const& host, time now, std::chrono::seconds asked) {
  auto& known = of(host, now);
  known.left_alone = std::max(known.left_alone, now + std::clamp(asked, std::chrono::seconds{0}, longest_wish));
}

void backoff::link_up() {
  for (auto& [host, known] : hosts_) {
    known.failures = 0;
    known.until = {};
  }
}

backoff::time backoff::ready_at(std::string const& host) const {
  auto const at = hosts_.find(host);
  return at == hosts_.end() ? time{} : std::max(at->second.until, at->second.left_alone);
}

}  // namespace cistern::sync
