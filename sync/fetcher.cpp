#include "sync/fetcher.hpp"

#include "sync/errc.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr auto link_pause = 5s;  // before a link that may be down is tried again, should nobody tell us that it is up

std::string host_of(std::string const& url) {
  auto const parsed = parse_url(url);
  return parsed ? parsed->to.host : std::string{};
}

/// 4xx speaks of the request, which will be the same the next time; but for those that speak of the moment.
bool is_about_the_moment(unsigned status) {
  return status >= 500 || status == 408 || status == 421 || status == 425 || status == 429;
}

/// What another attempt cannot change.
bool is_final(fetch_outcome const& out) {
  switch (out.how) {
    case fetch_end::gone:
    case fetch_end::too_large:
    case fetch_end::forbidden:
      return true;
    case fetch_end::refused:
      return !is_about_the_moment(out.status);
    case fetch_end::broken:
      return kind_of(out.error) == errc::tls_untrusted || kind_of(out.error) == errc::name_not_found;
    default:
      return false;
  }
}

std::string reason(fetch_outcome const& out) {
  if (out.error) return out.error.message();
  if (out.how == fetch_end::complete) return "its origin forbids keeping it";
  return "the origin answered " + std::to_string(out.status);
}

}  // namespace

fetcher::fetcher(downloads& from, network_link& link, resolver& names, client_options options,
                 fetcher_settings settings)
    : from_{from},
      link_{link},
      settings_{std::move(settings)},
      client_{std::make_unique<http_client>(io_.get_executor(), names, std::move(options))},
      waits_{settings_.waits} {
  on_link_ = link_.subscribe(io_.get_executor(), [this, &names](link_state is) {
    if (is != link_state::up) return from_.abandon(*client_);
    names.forget_failures();
    client_->drop_idle();
    waits_.link_up();
    std::scoped_lock const lock{mutex_};
    for (auto const& [url, t] : tasks_) t->nap.cancel();
  });
  thread_ = std::thread{[this] { io_.run(); }};
}

fetcher::~fetcher() {
  io_.stop();
  thread_.join();
  from_.repository().settle();  // the repository may still owe an answer to this io_context
  on_link_ = {};
  client_.reset();
}

bool fetcher::want(std::string const& url) {
  std::scoped_lock const lock{mutex_};
  auto const at = tasks_.find(url);
  bool const known = at != tasks_.end();
  if (known && (at->second->shown.now == phase::fetching || at->second->shown.now == phase::waiting)) return true;
  std::erase_if(tasks_, [&](auto const& each) {  // what ended makes room for what is new
    bool const ended = each.second->shown.now == phase::complete || each.second->shown.now == phase::failed;
    return ended && (each.first == url || tasks_.size() >= settings_.at_once);
  });
  if (tasks_.size() >= settings_.at_once) return false;
  auto const made = tasks_[url] = std::make_shared<task>(io_, url);
  net::post(io_, [this, made] {
    net::co_spawn(io_, run(made),
                  net::bind_cancellation_slot(made->stop.slot(), [this, made](std::exception_ptr thrown) {
                    if (thrown) set(*made, phase::failed, "stopped");
                  }));
  });
  return true;
}

std::optional<fetcher::state> fetcher::look(std::string const& url) {
  std::scoped_lock const lock{mutex_};
  auto const at = tasks_.find(url);
  if (at == tasks_.end()) return std::nullopt;
  auto& t = *at->second;
  if (t.running) {
    t.shown.have = t.running->position();
  }
  auto out = t.shown;
  if (out.now == phase::waiting)
    out.next_try = std::max(0ms, std::chrono::duration_cast<std::chrono::milliseconds>(t.next - steady::now()));
  return out;
}

void fetcher::leave(std::string const& url) {
  std::scoped_lock const lock{mutex_};
  auto const at = tasks_.find(url);
  if (at == tasks_.end()) return;
  net::post(io_, [t = at->second] { t->stop.emit(net::cancellation_type::terminal); });
  tasks_.erase(at);
}

void fetcher::set(task& t, phase now, std::string why) {
  std::scoped_lock const lock{mutex_};
  if (now == phase::fetching) ++t.shown.attempts;
  t.shown.now = now;
  t.shown.why = std::move(why);
  if (now != phase::fetching) t.running.reset();
}

wish fetcher::wish_for(std::string const& url) {
  wish out{.url = url, .fields = settings_.fields};
  // Offsets are of the bytes as they are: a coded body could not be continued by dates or by comparing.
  out.fields.set("Accept-Encoding", "identity");
  out.most = settings_.most;
  if (auto const held = from_.repository().find(url); held && *held) out.held.push_back(**held);
  return out;
}

net::awaitable<void> fetcher::run(std::shared_ptr<task> t) {
  for (;;) {
    co_await pause(t, ready_at(*t));
    transfer_watch watch = [this, t](std::shared_ptr<transfer> const& begun, std::optional<std::uint64_t> total) {
      std::scoped_lock const lock{mutex_};
      t->running = begun;
      t->shown.total = total;
    };
    set(*t, phase::fetching);
    auto what = wish_for(t->url);
    auto const out = co_await fetch_watched(from_, *client_, std::move(what), std::move(watch));
    static_cast<void>(look(t->url));  // how far it came
    bool const there = out.how == fetch_end::unchanged || (out.how == fetch_end::complete && out.object);
    if (there) {
      waits_.succeeded(host_of(out.final_url));
      {
        std::scoped_lock const lock{mutex_};
        t->shown.have = out.object->size;
        t->shown.total = out.object->size;
        t->shown.final_url = out.final_url;
      }
      co_return set(*t, phase::complete);
    }
    auto const again = after(*t, out);
    if (!again) co_return set(*t, phase::failed, reason(out));
    set(*t, phase::waiting, reason(out));
    co_await pause(t, *again);
  }
}

std::optional<steady::time_point> fetcher::after(task& t, fetch_outcome const& out) {
  auto const now = steady::now();
  auto const host = host_of(out.final_url);
  t.last_host = host;
  if (out.retry_after) waits_.leave_alone(host, now, *out.retry_after);
  if (out.how == fetch_end::complete || is_final(out)) return std::nullopt;
  spdlog::info("fetch.again url={} reason={} gained={}", log_url(t.url), log_value(reason(out)), out.gained);
  if (out.how == fetch_end::link_trouble || kind_of(out.error) == errc::cancelled) return now + link_pause;
  return waits_.failed(host, now, out.gained > 0);
}

/// Until then, or until the link comes back; what the host itself asked for is waited for in any case.
net::awaitable<void> fetcher::pause(std::shared_ptr<task> t, steady::time_point until) {
  while (until > steady::now()) {
    {
      std::scoped_lock const lock{mutex_};
      t->next = until;
      t->shown.now = phase::waiting;
    }
    t->nap.expires_at(until);
    auto const [woken] = co_await t->nap.async_wait(net::as_tuple(net::use_awaitable));
    if (!woken) co_return;
    until = ready_at(*t);
  }
}

/// The host of the link and the one that its redirects led to may both have asked for time.
steady::time_point fetcher::ready_at(task const& t) const {
  return std::max(waits_.ready_at(host_of(t.url)), waits_.ready_at(t.last_host));
}

}  // namespace cistern::sync
