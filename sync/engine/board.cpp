#include "sync/engine/board.hpp"

#include <algorithm>
#include <numeric>

namespace cistern::sync {
namespace {

std::pair<bool, std::uint64_t> key_of(store::job_class purpose, std::uint64_t id) {
  return {purpose == store::job_class::feed, id};
}

}  // namespace

bool board::add(task what) {
  if (!known_.emplace(key_of(what.purpose, what.id), what).second) return false;
  ++waiting_[index(what.purpose)];
  auto& host = hosts_[what.host];
  host.waiting.insert(std::move(what));
  return true;
}

void board::remove(store::job_class purpose, std::uint64_t id) {
  auto const at = known_.find(key_of(purpose, id));
  if (at == known_.end()) return;
  if (hosts_[at->second.host].waiting.erase(at->second) == 0) return;  // being done
  --waiting_[index(at->second.purpose)];
  known_.erase(at);
}

std::vector<task> board::clear_waiting() {
  std::vector<task> left;
  for (auto& [name, host] : hosts_) {
    for (auto const& what : host.waiting) {
      known_.erase(key_of(what.purpose, what.id));
      left.push_back(what);
    }
    host.waiting.clear();
  }
  waiting_.fill(0);
  return left;
}

board::time board::ready_at(host_state const& host, task const& first) const {
  auto at = std::max(host.pause_until, host.hold_until);
  if (first.purpose == store::job_class::feed) at = std::max(at, host.feed_pause_until);
  return at;
}

task const* board::first_allowed(host_state const& host, std::function<bool(task const&)> const& allowed) {
  auto at = host.waiting.begin();
  while (at != host.waiting.end() && !allowed(*at)) {
    // The whole class is not allowed: on to the next one.
    task const end_of_class{
        at->purpose, -std::numeric_limits<double>::infinity(), std::numeric_limits<std::uint64_t>::max(), {}};
    at = host.waiting.upper_bound(end_of_class);
  }
  return at == host.waiting.end() ? nullptr : &*at;
}

std::optional<task> board::take(time now, std::function<bool(task const&)> const& allowed) {
  host_state* best_host = nullptr;
  task const* best = nullptr;
  for (auto& [name, host] : hosts_) {
    if (host.waiting.empty() || host.active >= limits_.connections_per_host) continue;
    auto const* const first = first_allowed(host, allowed);
    if (!first || ready_at(host, *first) > now) continue;
    if (best && !better{}(*first, *best)) continue;
    best = first;
    best_host = &host;
  }
  if (!best) return std::nullopt;
  auto taken = *best;
  best_host->waiting.erase(taken);
  ++best_host->active;
  best_host->pause_until = now + limits_.pause;
  if (taken.purpose == store::job_class::feed) best_host->feed_pause_until = now + limits_.feed_pause;
  --waiting_[index(taken.purpose)];
  ++active_[index(taken.purpose)];
  return taken;
}

void board::done(task const& what, time now) {
  known_.erase(key_of(what.purpose, what.id));
  auto& host = hosts_[what.host];
  --host.active;
  --active_[index(what.purpose)];
  host.pause_until = std::max(host.pause_until, now);
}

void board::hold(std::string const& host, time until) {
  auto& state = hosts_[host];
  state.hold_until = std::max(state.hold_until, until);
}

void board::lift_holds() {
  for (auto& [name, host] : hosts_) host.hold_until = {};
}

std::optional<board::time> board::next_ready(time now, std::function<bool(task const&)> const& allowed) const {
  std::optional<time> first;
  for (auto const& [name, host] : hosts_) {
    if (host.waiting.empty() || host.active >= limits_.connections_per_host) continue;
    auto const* const best = first_allowed(host, allowed);
    if (!best) continue;
    auto const at = std::max(now, ready_at(host, *best));
    if (!first || at < *first) first = at;
  }
  return first;
}

std::size_t board::waiting() const { return std::accumulate(waiting_.begin(), waiting_.end(), std::size_t{0}); }
std::size_t board::active() const { return std::accumulate(active_.begin(), active_.end(), std::size_t{0}); }

}  // namespace cistern::sync
