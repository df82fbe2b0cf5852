#include "sync/engine/board.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cistern::sync {
namespace {

std::pair<bool, std::uint64_t> key_of(store::job_class purpose, std::uint64_t id) {
  return {purpose == store::job_class::feed, id};
}

/// Behind all tasks of a class.
task end_of(store::job_class purpose) {
  return {purpose, -std::numeric_limits<double>::infinity(), std::numeric_limits<std::uint64_t>::max(), {}};
}

}  // namespace

bool board::add(task what) {
  if (!known_.emplace(key_of(what.purpose, what.id), what).second) return false;
  ++waiting_[index(what.purpose)];
  auto& host = hosts_[what.host];
  withdraw(host);
  host.waiting.insert(std::move(what));
  put_up(host);
  return true;
}

void board::remove(store::job_class purpose, std::uint64_t id) {
  auto const at = known_.find(key_of(purpose, id));
  if (at == known_.end()) return;
  auto& host = hosts_[at->second.host];
  withdraw(host);
  bool const waited = host.waiting.erase(at->second) > 0;
  put_up(host);
  if (!waited) return;  // being done
  --waiting_[index(at->second.purpose)];
  known_.erase(at);
}

std::vector<task> board::clear_waiting() {
  std::vector<task> left;
  for (auto& [name, host] : hosts_) {
    withdraw(host);
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

void board::withdraw(host_state& host) {
  for (auto const& one : host.offers)
    if (ready_.erase(one) == 0) resting_.erase(one);
  host.offers.clear();
}

void board::put_up(host_state& host) {
  if (host.active >= limits_.connections_per_host) return;
  for (auto at = host.waiting.begin(); at != host.waiting.end(); at = host.waiting.upper_bound(end_of(at->purpose))) {
    host.offers.push_back({&*at, &host, ready_at(host, *at)});
    resting_.insert(host.offers.back());
  }
}

task const* board::first_open(host_state const& host, permission const& allowed) {
  auto at = host.waiting.begin();
  while (at != host.waiting.end() && !allowed.open[index(at->purpose)])
    at = host.waiting.upper_bound(end_of(at->purpose));
  return at == host.waiting.end() ? nullptr : &*at;
}

bool board::may_start(offer const& one, permission const& allowed) {
  return first_open(*one.host, allowed) == one.what && (!allowed.host || allowed.host(one.what->host));
}

std::optional<task> board::take(time now, permission const& allowed) {
  while (!resting_.empty() && resting_.begin()->from <= now) ready_.insert(resting_.extract(resting_.begin()).value());
  auto at = ready_.begin();
  while (at != ready_.end() && !may_start(*at, allowed)) {
    auto const closed = end_of(at->what->purpose);
    at = allowed.open[index(closed.purpose)] ? std::next(at) : ready_.upper_bound(offer{.what = &closed});
  }
  if (at == ready_.end()) return std::nullopt;
  auto const taken = *at->what;
  auto& host = *at->host;
  withdraw(host);
  host.waiting.erase(taken);
  ++host.active;
  host.pause_until = now + limits_.pause;
  if (taken.purpose == store::job_class::feed) host.feed_pause_until = now + limits_.feed_pause;
  put_up(host);
  --waiting_[index(taken.purpose)];
  ++active_[index(taken.purpose)];
  return taken;
}

void board::done(task const& what, time now) {
  known_.erase(key_of(what.purpose, what.id));
  auto& host = hosts_[what.host];
  withdraw(host);
  --host.active;
  --active_[index(what.purpose)];
  host.pause_until = std::max(host.pause_until, now);
  put_up(host);
}

void board::hold(std::string const& host, time until) {
  auto& state = hosts_[host];
  withdraw(state);
  state.hold_until = std::max(state.hold_until, until);
  put_up(state);
}

void board::lift_holds() {
  for (auto& [name, host] : hosts_) {
    withdraw(host);
    host.hold_until = {};
    put_up(host);
  }
}

std::optional<board::time> board::next_ready(time now, permission const& allowed) const {
  auto const startable = [&](offer const& one) { return may_start(one, allowed); };
  if (std::ranges::any_of(ready_, startable)) return now;
  auto const first = std::ranges::find_if(resting_, startable);
  return first == resting_.end() ? std::nullopt : std::optional{std::max(now, first->from)};
}

std::size_t board::waiting() const { return std::accumulate(waiting_.begin(), waiting_.end(), std::size_t{0}); }
std::size_t board::active() const { return std::accumulate(active_.begin(), active_.end(), std::size_t{0}); }

}  // namespace cistern::sync
