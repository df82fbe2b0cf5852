#include "proxy/web_proxy.hpp"

#include "proxy/exchange.hpp"
#include "proxy/request_body.hpp"
#include "proxy/streamed_answer.hpp"
#include "proxy/tunnel_relay.hpp"
#include "store/field_list.hpp"
#include "store/invalidation.hpp"
#include "store/url.hpp"
#include "store/validation.hpp"
#include "sync/errc.hpp"
#include "sync/http/address_class.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <charconv>
#include <fstream>
#include <random>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using forward = store::cache_status::forward;
using store::reuse;

constexpr std::size_t small_body = 128 << 10;  // copied in one go, sent in one call
constexpr std::string_view reserved_path = "/.well-known/cistern/";
constexpr std::string_view text_type = "text/plain; charset=utf-8";

thread_local sync::http_client* this_threads_client = nullptr;

std::string make_token() {
  std::random_device source;
  std::string out;
  for (int i = 0; i < 32; ++i) out += "0123456789abcdef"[source() % 16];
  return out;
}

page_texts load_texts(std::filesystem::path const& file) {
  std::ifstream in{file};
  auto made = page_texts::parse(std::string{std::istreambuf_iterator<char>{in}, {}});
  if (!made)
    throw std::runtime_error{file.string() + " cannot be read; install the web files again or set server.webroot"};
  return std::move(*made);
}

bool usable(reuse what) {
  return what == reuse::fresh || what == reuse::stale_by_request || what == reuse::offline ||
         what == reuse::stale_while_validating;
}

bool is_absolute(std::string_view target) {
  return target.starts_with("http://") || target.starts_with("https://") || target.starts_with("HTTP");
}

std::string_view path_of(std::string_view url) {
  auto const start = url.find('/', url.find("://") + 3);
  return start == url.npos ? std::string_view{"/"} : url.substr(start);
}

}  // namespace

web_proxy::web_proxy(parts given, web_proxy_settings settings)
    : parts_{std::move(given)},
      settings_{std::move(settings)},
      offline_template_{page_template::load(parts_.webroot / "offline.html")},
      texts_{load_texts(parts_.webroot / "texts" / "en.json")},
      token_{make_token()},
      gateway_{settings_.gateway, parts_.webroot} {}

web_proxy::~web_proxy() = default;

void web_proxy::enter_thread(net::any_io_executor const& executor) {
  auto made = std::make_unique<sync::http_client>(executor, parts_.names, parts_.client);
  this_threads_client = made.get();
  std::scoped_lock const lock{clients_mutex_};
  clients_[std::this_thread::get_id()] = std::move(made);
}

void web_proxy::leave_thread() {
  parts_.kept.settle();  // what this thread waits for in the repository must be told before its io_context goes
  std::scoped_lock const lock{clients_mutex_};
  clients_.erase(std::this_thread::get_id());
  this_threads_client = nullptr;
}

void web_proxy::rest_thread() {
  if (this_threads_client) this_threads_client->drop_idle();
}

/// Through the proxy nobody reaches our own port: a page elsewhere would become a page here.
bool web_proxy::is_own_address(std::string_view url) const {
  auto const parsed = sync::parse_url(url);
  return parsed && parsed->to.port == settings_.own_port && own_pages::is_own_host(parsed->to.host);
}

/// Who is not on this machine may not reach its neighbours through us. Judged on the address that is connected to.
std::function<bool(net::ip::address const&)> web_proxy::allowed_for(connection const& peer) const {
  bool const anywhere = peer.via ? gateway_.settings().allow_private : peer.is_local() || settings_.allow_private;
  if (anywhere) return {};
  return [](net::ip::address const& to) { return sync::is_public(to); };
}

/// Whether to leave this URL's host alone. While the link is up this is one load.
bool web_proxy::is_offline(std::string_view url) const {
  auto const& link = parts_.fetching.link();
  if (link.state() == sync::link_state::up && link.mode() != sync::link_mode::offline) return false;
  auto const parsed = sync::parse_url(url);
  return !parsed || !link.worth_trying(parsed->to.host);
}

bool web_proxy::answer_now(sync::head_view const& head, connection& peer, outgoing& out) {
  if (!is_absolute(head.target))
    if (auto site = gateway_.site_of(head.host)) return gateway_answer_now(std::move(*site), head, peer, out);
  if ((head.method != "GET" && head.method != "HEAD") || !is_absolute(head.target) || head.chunked ||
      head.content_length.value_or(0) > 0 || head.upgrade)
    return false;
  auto url = store::normalise_url(head.target);
  if (!url) return false;
  auto const request = read_request(head, std::move(*url));
  bool plain = true;  // neither variants nor anything else that takes a second look
  auto const found = parts_.kept.find_with_body(
      request.url, [&](store::stored_object const& o) { return plain = plain && o.selecting.empty(); }, small_body,
      out.body);
  if (!found || !*found || !plain || (*found)->size > small_body) return false;
  auto const& object = **found;
  auto const& caching = parts_.fetching.settings().caching;
  auto const policy = policy_of(object, caching);
  auto const decision =
      store::decide(policy, request.directives, {is_offline(request.url)}, parts_.wall.now(), caching);
  if (!usable(decision.what) || decision.what == reuse::stale_while_validating || request.conditions.more_lines)
    return false;
  if (request.conditions.for_the_origin() && decision.what != reuse::offline) return false;
  auto const what = plan(request, object);
  if (what.what == stored_plan::kind::decoded || what.ranges.size() > 1) return false;
  store::cache_status cache{.hit = true, .ttl = decision.ttl};
  if (decision.what == reuse::offline) cache.detail = "offline";
  compose(out, request, object, what, decision.age, cache, std::move(out.body));
  parts_.kept.note_use(object);
  return true;
}

net::awaitable<after> web_proxy::answer(sync::head_view const& head, connection& peer) {
  if (head.method == "CONNECT") co_return co_await answer_connect(head, peer);
  if (!is_absolute(head.target)) {
    auto site = gateway_.site_of(head.host);
    if (site) co_return co_await answer_gateway(std::move(*site), head, peer);
    co_return co_await answer_own(head, peer);
  }
  exchange x{head, peer};
  auto url = store::normalise_url(head.target);
  if (!url) co_return co_await say(x, 400, text_type, "That address cannot be read.\n", {});
  x.request = read_request(head, std::move(*url));
  if (is_own_address(x.request.url))
    co_return co_await say(
        x, 403, text_type,
        "Cistern's own pages are not reached through the proxy; let the browser bypass it for localhost.\n", {});
  auto const path = path_of(x.request.url);
  if (path.starts_with(reserved_path)) co_return co_await answer_reserved(x, path);
  if (head.upgrade) co_return co_await answer_upgrade(x);
  if (x.request.reads() && !x.body.exists()) co_return co_await answer_cached(x);
  co_return co_await pass_through(x);
}

net::awaitable<after> web_proxy::say(exchange& x, unsigned status, std::string_view type, std::string text,
                                     std::string_view extra) {
  auto const clean = co_await x.body.skip();
  outgoing out{.keep = x.keep && clean};
  write_own(out.head, out.body, status, type, std::move(text), out.keep, x.request.is_head, extra);
  auto const sent = co_await x.peer.write(out.head, out.body);
  co_return sent&& out.keep ? after::keep : after::close;
}

net::awaitable<after> web_proxy::answer_own(sync::head_view const& head, connection& peer) {
  request_body body{peer, head};
  auto const text = co_await body.read_all(64 << 10);
  outgoing out{.keep = head.persistent() && !peer.stopping && text.has_value()};
  parts_.own.answer(head, text ? std::string_view{*text} : std::string_view{}, out);
  auto const sent = co_await peer.write(out.head, out.body);
  co_return sent&& out.keep ? after::keep : after::close;
}

net::awaitable<after> web_proxy::answer_connect(sync::head_view const& head, connection& peer) {
  exchange x{head, peer};
  auto const to = sync::parse_authority(head.target, false, 443);
  if (!to) co_return co_await say(x, 400, text_type, "That address cannot be read.\n", {});
  if (!settings_.connect_ports.contains(to->port))
    co_return co_await say(x, 403, text_type, "Tunnels to that port are not allowed; see proxy.connect_ports.\n", {});
  if (to->port == settings_.own_port && own_pages::is_own_host(to->host))
    co_return co_await say(x, 403, text_type, "That is Cistern itself.\n", {});
  auto context = parts_.tls && peer.inside.empty() ? parts_.tls->context_for(to->host) : nullptr;
  bool told = context != nullptr;
  if (context) {
    auto const done = co_await end_tunnel_here(*to, peer, std::move(context));
    if (done) co_return after::close;
  }
  if (!parts_.fetching.link().worth_trying(to->host)) {
    if (told) co_return after::close;
    co_return co_await say(x, 504, text_type, "The link is down.\n", {});
  }
  sync::request_options options;
  options.limits = parts_.fetching.settings().limits;
  options.allow_address = allowed_for(peer);
  auto far = co_await this_threads_client->connect_tunnel(*to, std::move(options));
  if (!far) {
    parts_.fetching.link().failed(to->host, far.error());
    if (told) co_return after::close;
    bool const forbidden = sync::kind_of(far.error()) == sync::errc::forbidden_address;
    co_return co_await say(x, forbidden ? 403 : 502, text_type, far.error().message() + "\n", {});
  }
  parts_.fetching.link().succeeded(to->host);
  if (!told) told = co_await peer.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (told) co_await relay_tunnel(peer, std::move(*far), settings_.tunnel_idle);
  co_return after::close;
}

/// WebSockets and the like: the request goes on as it is, then bytes both ways.
net::awaitable<after> web_proxy::answer_upgrade(exchange& x) {
  auto const url = sync::parse_url(x.request.url);
  if (!url) co_return co_await say(x, 400, text_type, "That address cannot be read.\n", {});
  if (!parts_.fetching.link().worth_trying(url->to.host))
    co_return co_await say(x, 504, text_type, "The link is down.\n", {});
  sync::request_options options;
  options.limits = parts_.fetching.settings().limits;
  options.allow_address = allowed_for(x.peer);
  auto far = co_await this_threads_client->connect_tunnel(url->to, std::move(options));
  if (!far) co_return co_await say(x, 502, text_type, far.error().message() + "\n", {});
  auto fields = forwarded_fields(x.head);
  std::string out{x.head.method};
  out.append(" ")
      .append(url->target)
      .append(" HTTP/1.1\r\nHost: ")
      .append(sync::authority(url->to))
      .append("\r\n")
      .append(fields.wire());
  out.append("Connection: Upgrade\r\nUpgrade: ").append(x.head.find("Upgrade").value_or("")).append("\r\n");
  if (x.head.content_length)
    out.append("Content-Length: ").append(std::to_string(*x.head.content_length)).append("\r\n");
  out += "\r\n";
  auto const sent = co_await far->write(out);
  if (sent) co_await relay_tunnel(x.peer, std::move(*far), settings_.tunnel_idle);
  co_return after::close;
}

/// What nobody may store: forwarded with its body, answered as it comes. A write makes what is stored of it invalid.
net::awaitable<after> web_proxy::pass_through(exchange& x) {
  auto const url = sync::parse_url(x.request.url);
  if (!url) co_return co_await say(x, 400, text_type, "That address cannot be read.\n", {});
  auto& link = parts_.fetching.link();
  if (!link.worth_trying(url->to.host))
    co_return co_await say(x, 504, text_type, "The link is down; this cannot be done later by itself.\n", {});
  sync::request out{
      .method = std::string{x.head.method}, .to = url->to, .target = url->target, .fields = forwarded_fields(x.head)};
  out.options.limits = parts_.fetching.settings().limits;
  out.options.allow_address = allowed_for(x.peer);
  if (x.body.exists()) {
    out.body.read = [&x](std::span<char> into) { return x.body.read_some(into); };
    out.body.length = x.body.length();
  }
  if (x.body.exists() && store::list_has(x.head.find("Expect").value_or(""), "100-continue"))
    co_await x.peer.write("HTTP/1.1 100 Continue\r\n\r\n");
  auto answer = co_await this_threads_client->open(std::move(out));
  if (!answer) {
    link.failed(url->to.host, answer.error());
    x.keep = false;
    bool const forbidden = sync::kind_of(answer.error()) == sync::errc::forbidden_address;
    co_return co_await say(x, forbidden ? 403 : 502, text_type, answer.error().message() + "\n", {});
  }
  link.succeeded(url->to.host);
  auto const outdated = store::invalidated_urls(x.head.method, x.request.url, answer->status, answer->fields);
  if (!outdated.empty()) {
    auto task = [outdated](store::write_batch& b) {
      for (auto const& each : outdated) b.invalidate_url(each);
    };
    co_await parts_.kept.write(std::move(task), net::use_awaitable);
  }
  store::cache_status const cache{.fwd = x.request.reads() ? forward::bypass : forward::method,
                                  .fwd_status = static_cast<int>(answer->status)};
  auto const clean = co_await x.body.skip();
  co_return co_await send_response(std::move(*answer), x.peer, x.request, cache, x.keep && clean);
}

net::awaitable<after> web_proxy::answer_cached(exchange& x) {
  auto const& caching = parts_.fetching.settings().caching;
  bool const offline = is_offline(x.request.url);
  x.join_conditions();
  auto found = look_up(parts_.kept, x.request, x.fields(), caching, offline);
  if (!found.best) {
    if (x.request.directives.only_if_cached) co_return co_await say(x, 504, text_type, "Not stored.\n", {});
    if (offline)
      co_return co_await not_here(
          x, parts_.fetching.link().mode() == sync::link_mode::offline ? link_trouble::forced : link_trouble::down);
    x.why = found.all.empty() ? forward::uri_miss : forward::vary_miss;
    co_return co_await fetch(x, std::move(found));
  }
  auto const decision = store::decide(found.best->policy, x.request.directives, {offline}, parts_.wall.now(), caching);
  bool const for_the_origin = x.request.conditions.for_the_origin() && !offline;
  if (usable(decision.what) && !for_the_origin) {
    if (decision.what == reuse::stale_while_validating) revalidate_behind(x, found);
    auto const detail = decision.what == reuse::offline ? (found.best->matches ? "offline" : "offline-variant") : "";
    co_return co_await send_on_hand(x, *found.best, detail, forward::none);
  }
  if (decision.what == reuse::unavailable || decision.what == reuse::forbidden)
    co_return co_await say(x, 504, text_type, "Stored, but not to be used without asking its origin.\n", {});
  x.why = store::is_fresh(found.best->policy, parts_.wall.now()) ? forward::request : forward::stale;
  co_return co_await fetch(x, std::move(found));
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
  what.allow_address = allowed_for(x.peer);
  return what;
}

void web_proxy::revalidate_behind(exchange& x, found_on_hand const& found) {
  std::vector<store::stored_object> held{found.best->object};
  auto what = wish_for(x, std::move(held));
  what.finish = true;
  parts_.fetching.get(std::move(what), *this_threads_client, x.peer.executor());
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
    auto begun = parts_.fetching.get(std::move(what), *this_threads_client, x.peer.executor());
    x.peer.expire_in(std::chrono::hours{24});  // the origin's time is bounded by the fetch
    auto const news =
        co_await begun.from->wait_for_head(stale_will_do ? settings_.patience : std::chrono::milliseconds{0});
    if (!news) co_return co_await send_on_hand(x, *found.best, "slow-origin", forward::none);
    if (news->kind == sync::arrival_kind::failed) co_return co_await fall_back(x, found, news->error);
    if (news->kind == sync::arrival_kind::freshened) {
      on_hand const fresh{*news->object, policy_of(*news->object, parts_.fetching.settings().caching)};
      co_return co_await send_on_hand(x, fresh, "", x.why);
    }
    bool const not_ours = begun.joined && (!news->head.storing || !x.varies_alike(news->head));
    if (not_ours && !alone) continue;
    if (store::is_origin_failure(news->head.status) && stale_will_do)
      co_return co_await send_on_hand(x, *found.best, "origin-error", forward::none);
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
  out.options.allow_address = allowed_for(x.peer);
  auto const requested = parts_.wall.now();
  auto answer = co_await this_threads_client->open(std::move(out));
  if (!answer) {
    parts_.fetching.link().failed(url->to.host, answer.error());
    co_return co_await fall_back(x, found, answer.error());
  }
  parts_.fetching.link().succeeded(url->to.host);
  if (answer->status == 200 && found.best) {
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
                           "Private addresses are for clients on this machine; see proxy.allow_private.\n", {});
  if (!found.best) x.peer.trouble = why;
  if (!found.best) co_return co_await not_here(x, link_is_down ? link_trouble::down : link_trouble::site, why);
  co_return co_await origin_trouble_page(x, found, why);
}

}  // namespace cistern::proxy
