#include "proxy/exchange.hpp"
#include "proxy/part_answer.hpp"
#include "proxy/streamed_answer.hpp"
#include "proxy/web_proxy.hpp"
#include "store/storability.hpp"
#include "store/validation.hpp"
#include "sync/account.hpp"
#include "sync/engine/homepages.hpp"
#include "sync/errc.hpp"

#include <boost/asio/use_awaitable.hpp>

/// GET and HEAD: from the repository where the rules of store/ allow it, else from the origin, else what there is.
namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using forward = store::cache_status::forward;
using store::reuse;

constexpr std::uint64_t whole_for_a_part = 64u << 20;  // of something larger, what is missing may wait for who wants it

}  // namespace

/// The homepage with the news of its feeds in it, when there is one. It is what the reader wants unless the reader asks
/// for the origin's own page, by a reload; offline also then.
std::optional<store::stored_object> web_proxy::stitched(exchange const& x, on_hand const& copy, bool offline) const {
  if (copy.object.kind != store::object_kind::homepage) return std::nullopt;
  bool const reloads =
      x.request.directives.wants_validation() || x.request.directives.max_age == std::chrono::seconds{0};
  if (reloads && !offline) return std::nullopt;
  auto found = parts_.kept.find(sync::stitched_name(x.request.url));
  return found ? std::move(*found) : std::nullopt;
}

net::awaitable<void> web_proxy::exchange::pass_interim(unsigned status, store::header_block fields) {
  if (request.one_dot_zero) co_return;
  std::string out{"HTTP/1.1 " + std::to_string(status) + " "};
  out.append(reason_of(status)).append("\r\n").append(fields.wire()).append("\r\n");
  co_await peer.write(out);
  peer.expire_in(std::chrono::hours{24});  // the rest of the wait is bounded by the fetch
}

net::awaitable<after> web_proxy::answer_cached(exchange& x) {
  auto const& caching = parts_.fetching.settings().caching;
  bool const offline = is_offline(x.request.url);
  x.join_conditions();
  found_on_hand found;
  bool const known_missing = x.peer.nothing_stored && x.request.conditions.range.empty();
  if (!known_missing) found = look_up(parts_.kept, x.request, x.fields(), caching, offline);
  if (!found.best) {
    auto part = choose_part(x.request, x.fields(), found.unfinished, caching, offline, parts_.wall.now());
    if (part) co_return co_await send_part(parts_.kept, x.peer, x.request, std::move(*part), parts_.wall.now(), x.keep);
    if (x.request.directives.only_if_cached) co_return co_await say(x, 504, text_type, "Not stored.\n", {});
    if (offline)
      co_return co_await not_here(
          x, parts_.fetching.link().mode() == sync::link_mode::offline ? link_trouble::forced : link_trouble::down);
    x.why = found.all.empty() ? forward::uri_miss : forward::vary_miss;
    if (is_worth_asking_alone(x)) {
      auto const sent = co_await fetch_part(x, found);
      if (sent) co_return *sent;
    }
    co_return co_await fetch(x, std::move(found));
  }
  if (auto const page = stitched(x, *found.best, offline)) {
    on_hand const news{*page, policy_of(*page, caching)};
    co_return co_await send_on_hand(x, news, "stitched", forward::none);
  }
  auto const decision = store::decide(found.best->policy, x.request.directives, {offline}, parts_.wall.now(), caching);
  bool const for_the_origin = x.request.conditions.for_the_origin() && !offline;
  if (store::usable_now(decision.what) && !for_the_origin) {
    if (decision.what == reuse::stale_while_validating) revalidate_behind(x, found);
    auto const detail = !found.best->matches ? "offline-variant" : decision.what == reuse::offline ? "offline" : "";
    co_return co_await send_on_hand(x, *found.best, detail, forward::none);
  }
  if (copies_.may_have(x.peer.from.address().to_string(), x.request.url, parts_.wall.now()))
    co_return co_await send_on_hand(x, *found.best, "asked-for-copy", forward::none);
  if (decision.what == reuse::unavailable || decision.what == reuse::forbidden)
    co_return co_await say(x, 504, text_type, "Stored, but not to be used without asking its origin.\n", {});
  // Fresh but not to be used unchecked (no-cache, invalidated): it is not the request that asks (RFC 9211 §2.2).
  bool const by_request = store::is_fresh(found.best->policy, parts_.wall.now()) &&
                          !found.best->policy.is(store::stored_policy::always_validate);
  x.why = by_request ? forward::request : forward::stale;
  co_return co_await fetch(x, std::move(found));
}

/// A range that starts far in, unless the whole is on its way and will be here soon.
bool web_proxy::is_worth_asking_alone(exchange const& x) {
  if (x.request.is_head || !store::starts_far_in(x.request.conditions.range)) return false;
  auto const coming = parts_.fetching.under_way(x.request.url);
  return !coming || coming->missing().value_or(UINT64_MAX) > store::near_the_start;
}

net::awaitable<after> web_proxy::send_on_hand(exchange& x, on_hand const& copy, std::string_view detail, forward why) {
  auto const now = parts_.wall.now();
  store::cache_status const cache{.hit = why == forward::none,
                                  .fwd = why,
                                  .fwd_status = why == forward::none ? 0 : 304,
                                  .ttl = store::time_to_live(copy.policy, now),
                                  .detail = detail};
  co_return co_await send_stored(parts_.kept, x.peer, x.request, copy.object, store::current_age(copy.policy, now),
                                 cache, x.keep);
}

sync::wish web_proxy::wish_for(exchange& x, std::vector<store::stored_object> held) const {
  sync::wish what{.url = x.request.url, .fields = forwarded_fields(x.head), .held = std::move(held)};
  what.has_authorization = x.request.has_authorization;
  what.no_store = x.request.directives.no_store;
  // With nothing stored, the client's own conditions may save the whole transfer; else ours take their place.
  bool const clients_own = what.held.empty() && x.request.conditions.any();
  bool const for_the_origin = x.request.conditions.for_the_origin();
  if (!clients_own && !for_the_origin) {
    store::remove_conditions(what.fields);
  } else {
    what.fields.erase("Range");
    what.fields.erase("If-Range");
    if (for_the_origin) what.held.clear();
  }
  what.sharable = !clients_own && !for_the_origin && !what.has_authorization && !what.no_store && !x.request.is_head;
  if (who_asks(x.request.hints) == visitor::person) what.kind = store::object_kind::page;
  if (!what.held.empty()) {  // what a subscription carries stays carried, with its versions
    auto const& kept = what.held.front();
    if (kept.keep != store::retention::evictable) what.kind = kept.kind;
    what.keep = kept.keep;
    what.versions = kept.versions;
  }
  auto const url = sync::parse_url(x.request.url);
  what.allow_address = allowed_for(x.peer, url ? url->to.port : settings_.own_port);
  return what;
}

void web_proxy::revalidate_behind(exchange& x, found_on_hand const& found) {
  std::vector<store::stored_object> held{found.best->object};
  auto what = wish_for(x, std::move(held));
  what.finish = true;
  parts_.fetching.get(std::move(what), client(), x.peer.executor());
}

net::awaitable<after> web_proxy::fetch(exchange& x, found_on_hand found) {
  if (x.request.is_head) co_return co_await fetch_head(x, std::move(found));
  auto const now = parts_.wall.now();
  bool const stale_will_do = found.best && store::may_serve_on_error(found.best->policy, now);
  std::vector<store::stored_object> held;
  if (found.best) held.push_back(found.best->object);
  for (auto const& other : found.all)
    if (!found.best || other.ref.id != found.best->object.ref.id) held.push_back(other);

  for (bool alone = false;; alone = true) {
    auto what = wish_for(x, held);
    if (alone) what.sharable = false;
    what.finish = stale_will_do;
    // Who asks for a part leaves once it is there; the rest is to come all the same.
    auto const& range = x.request.conditions.range;
    if (!range.empty() && range.back() != '-') what.finish_below = whole_for_a_part;
    auto begun = parts_.fetching.get(std::move(what), client(), x.peer.executor());
    x.peer.expire_in(std::chrono::hours{24});  // the origin's time is bounded by the fetch
    auto const patience = stale_will_do ? settings_.patience : std::chrono::milliseconds{0};
    std::size_t interims = 0;
    auto news = co_await begun.from->wait_for_head(patience, &interims);
    while (news && news->kind == sync::arrival_kind::interim) {
      co_await x.pass_interim(news->head.status, std::move(news->head.fields));
      news = co_await begun.from->wait_for_head(patience, &interims);
    }
    if (!news) co_return co_await send_on_hand(x, *found.best, "slow-origin", forward::none);
    if (news->kind == sync::arrival_kind::failed) co_return co_await fall_back(x, found, news->error);
    if (news->kind == sync::arrival_kind::freshened) {
      on_hand const fresh{*news->object, policy_of(*news->object, parts_.fetching.settings().caching)};
      co_return co_await send_on_hand(x, fresh, "", x.why);
    }
    bool const not_ours = begun.joined && (!news->head.storing || !x.varies_alike(news->head));
    if (not_ours && !alone) continue;
    bool const failed = store::is_origin_failure(news->head.status);
    if (failed && stale_will_do) co_return co_await send_on_hand(x, *found.best, "origin-error", forward::none);
    if (failed && found.best && who_asks(x.request.hints) == visitor::person)
      co_return co_await origin_trouble_page(x, found, {}, news->head.status);
    store::cache_status cache{.fwd = x.why, .fwd_status = static_cast<int>(news->head.status)};
    cache.stored = news->head.storing;
    cache.collapsed = begun.joined;
    co_return co_await send_transfer(std::move(begun.reader), news->head, x.peer, x.request, cache, x.keep);
  }
}

/// A HEAD goes to the origin as it is; what it says about a stored GET is written down (RFC 9111 §4.3.5).
net::awaitable<after> web_proxy::fetch_head(exchange& x, found_on_hand found) {
  auto const url = sync::parse_url(x.request.url);
  if (!url) co_return co_await say(x, 400, text_type, "That address cannot be read.\n", {});
  sync::request out{.method = "HEAD", .to = url->to, .target = url->target, .fields = forwarded_fields(x.head)};
  out.options.limits = parts_.fetching.settings().limits;
  out.options.allow_address = allowed_for(x.peer, url->to.port);
  out.options.interim = x.interim_listener();
  sync::put_on_account(parts_.fetching, out.options, x.request.url, url->to.host);
  auto const requested = parts_.wall.now();
  auto answer = co_await client().open(std::move(out));
  if (!answer) {
    parts_.fetching.link().failed(url->to.host, answer.error());
    co_return co_await fall_back(x, found, answer.error());
  }
  auto& link = parts_.fetching.link();
  link.succeeded(url->to.host, url->to.tls);
  bool const trusted = link.may_store(url->to.host, url->to.tls);  // else a portal may have answered
  if (trusted && answer->status == 200 && found.best) {
    auto const& stored = found.best->object;
    bool const same = store::effect_of_head(answer->fields, stored.headers) == store::head_effect::update;
    auto const received = parts_.wall.now();
    auto headers = store::update_stored(stored.headers, answer->fields, received);
    auto task = [ref = stored.ref, url = stored.url, headers = std::move(headers), requested, received,
                 same](store::write_batch& b) {
      if (same) return b.refresh(ref, headers, requested, received);
      b.invalidate_url(url);
    };
    co_await parts_.kept.write(std::move(task), net::use_awaitable);
  }
  store::add_missing_date(answer->fields, parts_.wall.now());
  store::cache_status const cache{.fwd = x.why, .fwd_status = static_cast<int>(answer->status)};
  co_return co_await send_response(std::move(*answer), x.peer, x.request, cache, x.keep);
}

/// Nothing came. A stored copy is better than an error, unless its origin forbade that and the link is up.
net::awaitable<after> web_proxy::fall_back(exchange& x, found_on_hand const& found, boost::system::error_code why) {
  bool const link_is_down = parts_.fetching.link().state() != sync::link_state::up;
  if (found.best) {
    bool const offline_rule = link_is_down && parts_.fetching.settings().caching.offline_serves_everything;
    if (offline_rule) co_return co_await send_on_hand(x, *found.best, "offline", forward::none);
    if (store::may_serve_on_error(found.best->policy, parts_.wall.now()))
      co_return co_await send_on_hand(x, *found.best, "origin-error", forward::none);
  }
  if (sync::kind_of(why) == sync::errc::forbidden_address)
    co_return co_await say(x, 403, text_type,
                           "Private addresses are for clients on this machine (see proxy.allow_private), and Cistern's "
                           "own for nobody who comes through it.\n",
                           {});
  if (!found.best) x.peer.trouble = why;
  bool const spent = sync::kind_of(why) == sync::errc::budget_spent;
  auto const trouble = link_is_down ? link_trouble::down : spent ? link_trouble::budget : link_trouble::site;
  if (!found.best) co_return co_await not_here(x, trouble, why);
  co_return co_await origin_trouble_page(x, found, why);
}

}  // namespace cistern::proxy
