#include "sync/queue_runner.hpp"

#include "sync/errc.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <iterator>
#include <map>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;

constexpr auto quiet = net::as_tuple(net::use_awaitable);
constexpr std::size_t most_probed = 64;
constexpr auto first_pause = 1s;
constexpr auto longest_pause = 15min;

void report(std::exception_ptr const& thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (std::exception const& e) {
    spdlog::error("queue.failed error={}", log_value(e.what()));
  }
}

std::chrono::seconds pause_after(std::uint32_t attempts) {
  auto const doubled = first_pause * (1u << std::min(attempts, 12u));
  return std::min<std::chrono::seconds>(doubled, longest_pause);
}

}  // namespace

queue_runner::queue_runner(store::repository& kept, downloads& fetching, network_link& link, clock const& wall,
                           resolver& names, client_options options)
    : kept_{kept},
      fetching_{fetching},
      link_{link},
      wall_{wall},
      client_{std::make_unique<http_client>(io_.get_executor(), names, std::move(options))} {
  on_link_ = link_.subscribe(io_.get_executor(), [this, &names](link_state state) {
    if (state == link_state::up) {
      names.forget_failures();
      client_->drop_idle();
    } else {
      fetching_.abandon(*client_);
    }
    nap_.cancel();
  });
  net::co_spawn(io_, run(), report);
  net::co_spawn(io_, keep_probing(link_, [this] { return probe(); }), report);
  thread_ = std::thread{[this] { io_.run(); }};
}

queue_runner::~queue_runner() {
  stopping_ = true;
  io_.stop();
  thread_.join();
  kept_.settle();  // the repository may still owe an answer to this io_context
  on_link_ = {};
  client_.reset();
}

net::awaitable<bool> queue_runner::enqueue(std::string url, std::string owner) {
  store::job wanted{.url = std::move(url), .priority = store::job_class::person};
  wanted.owners.push_back(std::move(owner));
  wanted.created = wall_.now();
  auto task = [wanted = std::move(wanted)](store::write_batch& b) { return b.enqueue(wanted); };
  auto const done = co_await kept_.write(std::move(task), net::use_awaitable);
  wake();
  co_return done.has_value();
}

void queue_runner::wake() {
  net::post(io_, [this] { nap_.cancel(); });
}

queue_runner::progress queue_runner::state_of(std::string const& url) {
  {
    std::scoped_lock const lock{mutex_};
    if (running_.contains(url)) return progress::fetching;
  }
  bool queued = false;
  static_cast<void>(kept_.scan<store::job>({}, [&](store::job const& j) { return !(queued = j.url == url); }));
  return queued ? progress::queued : progress::none;
}

std::size_t queue_runner::length() {
  std::size_t count = 0;
  static_cast<void>(kept_.scan<store::job>({}, [&](store::job const&) { return ++count < 100'000; }));
  return count;
}

/// What people wait for; the rest of the queue is the engine's, which knows what becomes of it.
std::vector<store::job> queue_runner::waiting_jobs() {
  std::vector<store::job> out;
  static_cast<void>(kept_.scan<store::job>({}, [&](store::job const& j) {
    if (j.priority == store::job_class::person && j.state == store::job_state::waiting) out.push_back(j);
    return true;
  }));
  return out;
}

/// Over all that waits, again and again: when the link comes, when somebody asks, when a pause is over.
net::awaitable<void> queue_runner::run() {
  while (!stopping_) {
    auto next = std::chrono::seconds{60};
    if (link_.state() == link_state::up || link_.mode() == link_mode::automatic) {
      for (auto& wanted : waiting_jobs()) {
        auto const now = wall_.now();
        if (wanted.not_before > now) {
          next = std::min(next, wanted.not_before - now);
          continue;
        }
        auto const host = parse_url(wanted.url);
        if (!host || !link_.worth_trying(host->to.host)) continue;
        co_await run_job(std::move(wanted));
        next = 0s;
      }
    }
    nap_.expires_after(std::max<std::chrono::milliseconds>(next, 50ms));
    co_await nap_.async_wait(quiet);
  }
}

net::awaitable<void> queue_runner::run_job(store::job wanted) {
  {
    std::scoped_lock const lock{mutex_};
    running_.insert(wanted.url);
  }
  wish what{.url = wanted.url, .kind = store::object_kind::page};
  what.fields.add("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
  what.fields.add("Accept-Encoding", "gzip");  // what every browser takes: the copy must do for any of them
  auto begun = fetching_.get(std::move(what), *client_, io_.get_executor());
  auto const news = co_await begun.from->wait_for_head(0ms);
  bool good = news && news->kind == arrival_kind::freshened;
  if (news && news->kind == arrival_kind::streaming) {
    std::string piece(64 << 10, '\0');
    for (;;) {
      auto const got = co_await begun.reader.read_some(piece);
      good = got.has_value() && news->head.status < 500;
      if (!got || *got == 0) break;
    }
  }
  spdlog::info("queue.job url={} done={}", log_url(wanted.url), good);
  bool const blamed = link_.state() == link_state::up;
  auto task = [wanted, good, blamed, now = wall_.now()](store::write_batch& b) {
    if (good) return static_cast<void>(b.finish_job(wanted.id));
    if (!blamed) return;  // it goes on the moment the link is back
    auto later = b.get<store::job>(wanted.key());
    if (!later) return;  // dropped meanwhile
    later->not_before = now + pause_after(later->attempts++);
    b.put(*later);
  };
  co_await kept_.write(std::move(task), net::use_awaitable);
  std::scoped_lock const lock{mutex_};
  running_.erase(wanted.url);
}

/// Whether the outside answers: something that waits is asked for, or else a site that is subscribed to. Only a byte of
/// it, where the server minds that: it is fetched when the link is up.
net::awaitable<std::optional<bool>> queue_runner::probe() {
  std::map<std::string, split_url> hosts;  // one address of each: a host that is dead itself proves nothing
  auto const take = [&hosts](std::string const& text, bool whole) {
    auto url = parse_url(text);
    if (url && !whole) url->target = "/";
    if (url) hosts.try_emplace(url->to.host, *url);
    return hosts.size() < most_probed;
  };
  static_cast<void>(kept_.scan<store::job>({}, [&](store::job const& j) { return take(j.url, true); }));
  static_cast<void>(kept_.scan<store::subscription>({}, [&](store::subscription const& s) {
    return s.homepage_url.empty() ? take(s.feed_url, false) : take(s.homepage_url, true);  // feeds have floors
  }));
  if (hosts.empty()) co_return std::nullopt;
  auto const next = std::next(hosts.begin(), static_cast<std::ptrdiff_t>(probes_++ % hosts.size()));
  request ping{.method = "GET", .to = next->second.to, .target = next->second.target};
  ping.fields.add("Range", "bytes=0-0");
  ping.options.limits.whole = 10s;
  auto const answer = co_await client_->open(std::move(ping));
  co_return answer.has_value();
}

}  // namespace cistern::sync
