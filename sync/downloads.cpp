#include "sync/downloads.hpp"

#include "store/hop_by_hop.hpp"
#include "store/storability.hpp"
#include "store/validation.hpp"
#include "store/vary.hpp"
#include "sync/errc.hpp"
#include "sync/log_url.hpp"
#include "sync/portal.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <span>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;

constexpr std::size_t read_size = 64 << 10;
constexpr std::size_t small_block = 256 << 10;  // a body below it that comes at once is stored in one transaction
constexpr std::size_t large_block = 4 << 20;    // the faster the bytes come, the more go into one commit, up to this
constexpr auto short_pause = 200ms;             // between commits of a fast transfer
constexpr auto longest_unsaved = 1s;            // of a slow one: what a power cut may cost

/// A commit costs a sync: many bytes share one, and none waits for long.
bool worth_a_commit(std::size_t bytes, std::chrono::steady_clock::duration since) {
  return bytes >= large_block || (bytes >= small_block && since > short_pause) ||
         (bytes > 0 && since > longest_unsaved);
}

}  // namespace

/// All that one fetch needs, from the wish to the last byte.
struct downloads::errand {
  wish what;
  http_client& client;
  std::shared_ptr<transfer> to{};
  bool registered = false;
  std::string host{};
  std::chrono::sys_seconds requested{};
  std::chrono::sys_seconds responded{};
  store::header_block sent{};
  store::object_head head{};
  bool storing = false;
  bool may_store = true;  // a portal may have answered
  std::optional<store::stored_object> begun{};
  std::uint64_t saved = 0;
};

downloads::downloads(store::repository& kept, network_link& link, clock const& wall, download_settings settings)
    : kept_{kept}, link_{link}, wall_{wall}, settings_{std::move(settings)} {}

downloads::started downloads::get(wish what, http_client& client, net::any_io_executor const& executor) {
  auto const e = std::make_shared<errand>(errand{.what = std::move(what), .client = client});
  {
    std::scoped_lock const lock{mutex_};
    if (e->what.sharable) {
      auto& known = under_way_[e->what.url];
      if (known) return {known, true, transfer::reader{known}};
      known = std::make_shared<transfer>(kept_);
      e->to = known;
      e->registered = true;
    } else {
      e->to = std::make_shared<transfer>(kept_);
    }
    ++active_;
  }
  net::co_spawn(executor, run(e), [this, e](std::exception_ptr thrown) {
    if (thrown) e->to->fail(errc::cancelled);
    forget(*e);
    std::scoped_lock const lock{mutex_};
    --active_;
  });
  return {e->to, false, transfer::reader{e->to}};
}

std::size_t downloads::active() {
  std::scoped_lock const lock{mutex_};
  return active_;
}

void downloads::forget(errand const& e) {
  std::scoped_lock const lock{mutex_};
  auto const at = under_way_.find(e.what.url);
  if (e.registered && at != under_way_.end() && at->second == e.to) under_way_.erase(at);
}

net::awaitable<void> downloads::run(std::shared_ptr<errand> e) {
  auto answer = co_await ask(*e, true);
  if (answer && answer->status == 304) {
    auto const done = co_await try_freshen(*e, *answer);
    if (done) co_return;
    answer = co_await ask(*e, false);  // a 304 for something we do not have
  }
  if (!answer) {
    spdlog::debug("fetch.failed url={} error={}", log_url(e->what.url), log_value(answer.error().message()));
    e->to->fail(answer.error());
    co_return;
  }
  auto const status = answer->status;
  auto const meter = answer->wire().received.load();
  co_await pump(*e, std::move(*answer));
  spdlog::debug("fetch url={} status={} head={}", log_url(e->what.url), status, meter);
}

net::awaitable<result<response>> downloads::ask(errand& e, bool with_conditions) {
  auto const url = parse_url(e.what.url);
  if (!url) co_return url.error();
  request out{.to = url->to, .target = url->target, .fields = e.what.fields};
  if (with_conditions && !e.what.held.empty()) {
    std::vector<store::header_block const*> validators;
    for (auto const& object : e.what.held) validators.push_back(&object.headers);
    store::add_validators(out.fields, validators);
  }
  out.options.limits = settings_.limits;
  out.options.allow_address = e.what.allow_address;
  e.host = url->to.host;
  e.sent = e.what.fields;
  e.requested = wall_.now();
  auto answer = co_await e.client.open(std::move(out));
  e.responded = wall_.now();
  if (answer) {
    link_.succeeded(e.host, url->to.tls);
    e.may_store = link_.may_store(e.host, url->to.tls) && !looks_like_portal(url->to, answer->status, answer->fields);
  } else {
    link_.failed(e.host, answer.error());
  }
  co_return answer;
}

/// Whether the 304 spoke of something that is stored; then it is good again.
net::awaitable<bool> downloads::try_freshen(errand& e, response const& answer) {
  for (auto& object : e.what.held) {
    auto const meaning = store::interpret(answer.status, answer.fields, object.headers, e.what.held.size() == 1);
    if (meaning != store::validation_result::freshen) continue;
    object.headers = store::update_stored(object.headers, answer.fields, e.responded);
    object.requested = e.requested;
    object.responded = e.responded;
    auto task = [object](store::write_batch& b) {
      b.refresh(object.ref, object.headers, object.requested, object.responded);
    };
    co_await kept_.write(std::move(task), net::use_awaitable);
    forget(e);
    e.to->freshen(object);
    co_return true;
  }
  co_return false;
}

net::awaitable<void> downloads::pump(errand& e, response answer) {
  store::storing_request const asked{
      .method = "GET", .url = e.what.url, .has_authorization = e.what.has_authorization, .no_store = e.what.no_store};
  auto const verdict = store::may_store(asked, answer.status, answer.fields, settings_.caching);
  bool const whole = answer.status != 206;
  bool replaces = true;
  if (!e.what.held.empty())
    replaces = store::replaces_good_copy(static_cast<unsigned>(e.what.held.front().status), answer.status);
  e.storing = whole && replaces && e.may_store &&
              (verdict == store::storability::stored || verdict == store::storability::offline_only);

  arrived_head head{.status = answer.status,
                    .fields = store::end_to_end(answer.fields),
                    .requested = e.requested,
                    .responded = e.responded};
  head.content_length = answer.content_length;
  head.has_body = answer.has_body;
  head.storing = e.storing;
  head.sent = e.sent;
  if (e.storing) {
    e.head = {.url = e.what.url, .status = static_cast<int>(answer.status)};
    e.head.headers = store::fields_to_store(answer.fields, e.responded, settings_.caching);
    auto const names = store::vary_names(answer.fields);
    if (!names.empty()) e.head.selecting.add(names, names == "*" ? "" : store::vary_key(names, e.sent));
    e.head.requested = e.requested;
    e.head.responded = e.responded;
    e.head.kind = e.what.kind;
    e.head.expected_size = answer.content_length;
  } else {
    forget(e);  // nobody else may have it
  }
  e.to->announce(std::move(head));

  // The last piece is held back until all is durable: whoever has seen the whole answer will find it again.
  std::string block;
  std::string last;
  auto block_since = std::chrono::steady_clock::now();
  for (;;) {
    std::string piece(read_size, '\0');
    auto const got = co_await answer.read_some(piece);
    if (!got) {
      if (e.storing && !block.empty()) co_await keep(e, block);
      e.to->publish(std::move(last));
      e.to->fail(got.error());
      co_return;
    }
    if (*got == 0) break;
    piece.resize(*got);
    if (e.storing) block += piece;
    e.to->publish(std::exchange(last, std::move(piece)));
    if (e.storing && worth_a_commit(block.size(), std::chrono::steady_clock::now() - block_since)) {
      auto const kept = co_await keep(e, block);
      if (!kept) e.to->stop_storing();
      block.clear();
      block_since = std::chrono::steady_clock::now();
    }
    auto const missing = answer.content_length
                             ? *answer.content_length - std::min(*answer.content_length, e.saved + block.size())
                             : UINT64_MAX;
    if (e.storing && !e.what.finish && e.to->readers() == 0 && missing > settings_.finish_below) {
      co_await keep(e, block);
      e.to->fail(errc::cancelled);
      co_return;
    }
    auto const wanted = co_await e.to->wait_for_room();
    if (!wanted) {
      e.to->fail(errc::cancelled);
      co_return;
    }
  }
  // A body that only the connection's end ended may have been cut: shown, but not kept as whole (pitfalls 5d.7).
  bool const certain = answer.complete() == completeness::whole || !answer.has_body;
  bool const by_close = answer.complete() == completeness::by_close;
  if (e.storing && (certain || (by_close && !e.begun))) co_await complete(e, block);
  forget(e);
  e.to->publish(std::move(last));
  e.to->finish();
}

/// Adds a block to what is stored; false when the repository would not have it, and from then on nothing is.
net::awaitable<bool> downloads::keep(errand& e, std::string const& block) {
  if (!e.begun) {
    auto begin = [head = e.head](store::write_batch& b) { return b.begin_object(head); };
    auto begun = co_await kept_.write(std::move(begin), net::use_awaitable);
    if (!begun) {
      e.storing = false;
      co_return false;
    }
    e.begun = std::move(*begun);
  }
  auto copy = block;
  auto const saved = co_await kept_.append(e.begun->ref, e.saved, std::move(copy), net::use_awaitable);
  if (!saved) {
    spdlog::warn("fetch.not_stored url={} error={}", log_url(e.what.url), log_value(saved.error().message()));
    e.storing = false;
    co_return false;
  }
  e.saved += block.size();
  e.to->durable(*e.begun, e.saved);
  co_return true;
}

net::awaitable<bool> downloads::complete(errand& e, std::string const& last) {
  if (!e.begun) {
    auto head = e.head;
    auto body = last;
    auto const stored = co_await kept_.put(std::move(head), std::move(body), net::use_awaitable);
    if (!stored)
      spdlog::warn("fetch.not_stored url={} error={}", log_url(e.what.url), log_value(stored.error().message()));
    co_return stored.has_value();
  }
  if (!last.empty()) {
    auto const kept = co_await keep(e, last);
    if (!kept) co_return false;
  }
  auto finish = [ref = e.begun->ref](store::write_batch& b) { return b.finish(ref); };
  auto const done = co_await kept_.write(std::move(finish), net::use_awaitable);
  co_return done.has_value();
}

}  // namespace cistern::sync
