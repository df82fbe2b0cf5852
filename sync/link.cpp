#include "sync/link.hpp"

#include "sync/errc.hpp"
#include "sync/http/address_class.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using steady = std::chrono::steady_clock;

constexpr std::size_t max_noted = 64;  // hosts; more than that prove nothing more
constexpr std::size_t max_history = 32;

bool is_private_literal(std::string_view host) {
  boost::system::error_code not_literal;
  auto const address = net::ip::make_address(host, not_literal);
  return not_literal ? host == "localhost" || host.ends_with(".localhost") : !is_public(address);
}

}  // namespace

network_link::network_link(clock const& wall, link_options options, steady_now now)
    : wall_{wall},
      options_{options},
      now_{std::move(now)},
      last_success_{(now_() - options.recent_success).time_since_epoch().count()},
      since_{wall.now()} {}

bool network_link::worth_trying(std::string_view host) const {
  if (state() == link_state::up) return true;
  return mode() == link_mode::automatic && is_private_literal(host);
}

std::chrono::sys_seconds network_link::since() const {
  std::lock_guard const lock{mutex_};
  return since_;
}

std::string network_link::reason() const {
  std::lock_guard const lock{mutex_};
  return reason_;
}

std::vector<link_change> network_link::history() const {
  std::lock_guard const lock{mutex_};
  return {history_.begin(), history_.end()};
}

std::string network_link::name() const {
  std::lock_guard const lock{mutex_};
  return name_;
}

void network_link::set_name(std::string name) {
  std::lock_guard const lock{mutex_};
  name_ = std::move(name);
}

void network_link::set_metered(bool metered) {
  std::lock_guard const lock{mutex_};
  if (metered_.exchange(metered, std::memory_order_acq_rel) != metered) tell(state());
}

std::string network_link::clock_trouble() const {
  std::lock_guard const lock{mutex_};
  return clock_trouble_;
}

void network_link::set_clock_trouble(std::string sentence) {
  std::lock_guard const lock{mutex_};
  auto const wrong = !sentence.empty();
  clock_trouble_ = std::move(sentence);
  auto const changed = clock_wrong_.exchange(wrong, std::memory_order_acq_rel) != wrong;
  note_trouble();
  if (changed) tell(state());
}

bool network_link::in_doubt() const {
  std::lock_guard const lock{mutex_};
  return doubting_;
}

void network_link::doubt() {
  std::lock_guard const lock{mutex_};
  begin_doubt();
}

void network_link::begin_doubt() {
  doubting_ = options_.doubts;
  heard_.clear();
  note_trouble();
}

bool network_link::heard(std::string_view host, std::chrono::sys_seconds modified) {
  std::lock_guard const lock{mutex_};
  if (!doubting_ || believed_ != link_state::up || modified + std::chrono::hours{24} > wall_.now()) return false;
  for (auto const& [other, date] : heard_) {
    if (other == host || date == modified) continue;
    doubting_ = false;
    heard_.clear();
    note_trouble();
    return true;
  }
  if (heard_.size() < max_noted) heard_.insert_or_assign(std::string{host}, modified);
  return false;
}

bool network_link::may_store(std::string_view host, bool secure) const {
  if (secure || is_private_literal(host)) return true;
  std::lock_guard const lock{mutex_};
  // Also under a forced state: wishing does not make a login page the page that was asked for.
  return believed_ != link_state::portal && !doubting_;
}

void network_link::force(link_mode mode) {
  std::lock_guard const lock{mutex_};
  mode_.store(mode, std::memory_order_release);
  publish();
}

void network_link::succeeded(std::string_view host, bool secure) {
  last_success_.store(now_().time_since_epoch().count(), std::memory_order_relaxed);
  if (!troubled_.load(std::memory_order_acquire)) return;
  std::lock_guard const lock{mutex_};
  failing_.clear();
  if (secure) {
    doubting_ = false;
    clock_trouble_.clear();  // by this clock the certificate was good
    if (clock_wrong_.exchange(false, std::memory_order_acq_rel)) tell(state());
  }
  if (believed_ == link_state::portal && !secure) return note_trouble();
  if (believed_ != link_state::up && !secure) begin_doubt();
  believe(link_state::up, host.empty() ? "the probe was answered" : std::string{host} + " answered");
}

void network_link::carries() {
  last_success_.store(now_().time_since_epoch().count(), std::memory_order_relaxed);
  if (!troubled_.load(std::memory_order_acquire)) return;
  std::lock_guard const lock{mutex_};
  failing_.clear();
  note_trouble();
}

void network_link::failed(std::string_view host, boost::system::error_code error) {
  bool const weak = !is_link_trouble(error);
  // A box in our own network that refuses is that box's trouble.
  if (weak && (!may_be_link_trouble(error) || is_private_literal(host))) return;
  auto const now = now_();
  auto const kind = kind_of(error);
  auto const since_success = now - steady::time_point{steady::duration{last_success_.load(std::memory_order_relaxed)}};
  auto const no_names = kind == errc::dns_unreachable && since_success >= options_.recent_success;
  auto const certain = !is_private_literal(host) && (kind == errc::unreachable || no_names);
  std::lock_guard const lock{mutex_};
  std::erase_if(failing_, [&](auto const& entry) { return entry.second + options_.window < now; });
  if (failing_.size() < max_noted) failing_.insert_or_assign(std::string{host}, now);
  troubled_.store(true, std::memory_order_release);
  // A portal lets nothing through either: failures do not make it anything else.
  if (believed_ != link_state::up) return;
  if (certain) return believe(link_state::down, error.message());
  if (!all_fail()) return;
  if (!weak)
    return believe(link_state::down,
                   std::to_string(failing_.size()) + " hosts did not answer, the last was " + std::string{host});
  for (auto const& weak_worrier : worriers_) {
    auto const entry = weak_worrier.lock();
    if (entry)
      net::post(entry->executor, [weak_worrier] {
        if (auto const still = weak_worrier.lock()) still->call(link_state::up);
      });
  }
}

bool network_link::all_fail() const { return failing_.size() >= options_.hosts_for_down; }

bool network_link::suspicious() const {
  std::lock_guard const lock{mutex_};
  return believed_ == link_state::up && all_fail();
}

void network_link::probed(std::optional<bool> answered) {
  if (answered == true) return succeeded({});
  std::lock_guard const lock{mutex_};
  if (!answered) {  // what cannot be proved is not held against the link
    failing_.clear();
    return note_trouble();
  }
  if (believed_ == link_state::up && all_fail())
    believe(link_state::down, std::to_string(failing_.size()) + " hosts refused or broke off, and so did a probe");
}

void network_link::observed(link_state state, std::string reason) {
  std::lock_guard const lock{mutex_};
  if (state == link_state::up) {
    failing_.clear();
    doubting_ = false;
  }
  believe(state, std::move(reason));
}

void network_link::came_back(std::string reason) {
  std::lock_guard const lock{mutex_};
  failing_.clear();
  begin_doubt();
  believe(link_state::up, std::move(reason));
}

void network_link::believe(link_state state, std::string reason) {
  if (believed_ != state || believed_reason_.empty()) believed_reason_ = std::move(reason);
  believed_ = state;
  note_trouble();
  publish();
}

void network_link::note_trouble() {
  troubled_.store(believed_ != link_state::up || !failing_.empty() || doubting_ || !clock_trouble_.empty(),
                  std::memory_order_release);
}

void network_link::publish() {
  auto const mode = mode_.load(std::memory_order_relaxed);
  auto const forced = mode == link_mode::online ? link_state::up : link_state::down;
  auto const effective = mode == link_mode::automatic ? believed_ : forced;
  if (state_.exchange(effective, std::memory_order_acq_rel) == effective) return;
  since_ = wall_.now();
  reason_ = mode == link_mode::automatic ? believed_reason_ : "by command";
  history_.push_back({since_, effective, reason_});
  if (history_.size() > max_history) history_.pop_front();
  tell(effective);
}

void network_link::tell(link_state effective) {
  std::erase_if(listeners_, [](auto const& weak) { return weak.expired(); });
  for (auto const& weak : listeners_) {
    auto const entry = weak.lock();
    if (!entry) continue;
    net::post(entry->executor, [weak, effective] {
      if (auto const still = weak.lock()) still->call(effective);
    });
  }
}

network_link::subscription network_link::subscribe(net::any_io_executor executor,
                                                   std::function<void(link_state)> call) {
  auto const entry = std::make_shared<listener>(std::move(executor), std::move(call));
  std::lock_guard const lock{mutex_};
  listeners_.push_back(entry);
  return subscription{entry};
}

network_link::subscription network_link::on_suspicion(net::any_io_executor executor, std::function<void()> call) {
  auto const entry = std::make_shared<listener>(std::move(executor), [call = std::move(call)](link_state) { call(); });
  std::lock_guard const lock{mutex_};
  std::erase_if(worriers_, [](auto const& weak) { return weak.expired(); });
  worriers_.push_back(entry);
  return subscription{entry};
}

net::awaitable<void> keep_probing(network_link& link, link_probe probe) {
  net::steady_timer timer{co_await net::this_coro::executor};
  auto const wake = link.subscribe(timer.get_executor(), [&timer](link_state) { timer.cancel(); });
  auto const worry = link.on_suspicion(timer.get_executor(), [&timer] { timer.cancel(); });
  auto pause = link.options().first_probe;
  for (;;) {
    auto const automatic = link.mode() == link_mode::automatic;
    auto const wanted = automatic && link.state() != link_state::up;
    if (!wanted) pause = link.options().first_probe;
    if (!automatic || !link.suspicious()) {
      timer.expires_at(wanted ? steady::now() + pause : steady::time_point::max());
      auto const [woken] = co_await timer.async_wait(net::as_tuple(net::use_awaitable));
      if (woken) continue;  // the state changed (or we are cancelled: then the next wait throws)
      pause = std::min(pause * 2, link.options().slowest_probe);
    }
    auto const answered = co_await probe();
    link.probed(answered);
  }
}

}  // namespace cistern::sync
