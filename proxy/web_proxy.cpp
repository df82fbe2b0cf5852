#include "proxy/web_proxy.hpp"

#include "proxy/dashboard/dashboard.hpp"
#include "proxy/exchange.hpp"
#include "proxy/request_body.hpp"
#include "proxy/stored_body.hpp"
#include "store/url.hpp"
#include "sync/http/address_class.hpp"

#include <random>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using store::reuse;

// Copied out with its record. What is longer is sent from memory when it is hot, else from where it lies; but where it
// changes on its way (a gateway, TLS) it must be copied, and then some more of it is at once.
constexpr std::size_t small_body = 32 << 10;
constexpr std::size_t changed_body = 128 << 10;
constexpr std::string_view reserved_path = "/.well-known/cistern/";

thread_local sync::http_client* this_threads_client = nullptr;

/// An answer with a long body that answer_now has found, for `answer`, which the session then calls before anything
/// else happens on this thread.
struct found_long {
  connection const* to;
  outgoing out;
  store::body_reader body;
};
thread_local std::optional<found_long> found_now;

/// False when the body has just gone.
bool leave_long(store::repository& kept, store::stored_object const& object, connection const& to, outgoing& out) {
  auto body = kept.open_body(object);
  if (!body) return false;
  found_now.emplace(found_long{&to, std::move(out), std::move(*body)});
  return true;
}

net::awaitable<after> send_long(connection& peer, found_long what) {
  auto const range = store::byte_range{0, what.body.size() - 1};
  auto const sent = co_await send_stored_body(peer, std::move(what.out.head), what.body, range);
  co_return sent&& what.out.keep ? after::keep : after::close;
}

std::string make_token() {
  std::random_device source;
  std::string out;
  for (int i = 0; i < 32; ++i) out += "0123456789abcdef"[source() % 16];
  return out;
}

/// Whether it is the client's own request that is answered, and not what a gateway made of it.
bool is_as_sent(sync::head_view const& head, connection const& peer) {
  auto const at = reinterpret_cast<std::uintptr_t>(head.target.data());
  auto const start = reinterpret_cast<std::uintptr_t>(peer.head.data());
  return at >= start && at < start + peer.head.size();
}

/// A stored copy of what only this machine may reach is for this machine alone, too. By the host's letters: where a
/// name led when it was stored is not known.
bool is_kept_from(connection const& peer, std::string_view url) {
  return !peer.via && !peer.is_local() && sync::is_private_name(sync::host_in(url));
}

/// Neither origin-form nor asterisk-form (RFC 9112 §3.2): an address elsewhere, or one that cannot be read.
bool is_absolute(std::string_view target) { return !target.starts_with('/') && target != "*"; }

bool only_reads(sync::head_view const& head) {
  return (head.method == "GET" || head.method == "HEAD") && is_absolute(head.target) && !head.chunked &&
         head.content_length.value_or(0) == 0 && !head.upgrade;
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
      texts_{page_texts::load(parts_.webroot / "texts" / "en.json")},
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
  found_now.reset();
  parts_.kept.settle();  // what this thread waits for in the repository must be told before its io_context goes
  std::scoped_lock const lock{clients_mutex_};
  clients_.erase(std::this_thread::get_id());
  this_threads_client = nullptr;
}

void web_proxy::rest_thread() {
  if (this_threads_client) this_threads_client->drop_idle();
}

sync::http_client& web_proxy::client() { return *this_threads_client; }

/// Through the proxy nobody reaches our own port: a page elsewhere would become a page here.
bool web_proxy::is_own_address(std::string_view url) const {
  auto const parsed = sync::parse_url(url);
  return parsed && parsed->to.port == settings_.own_port && own_pages::is_own_host(parsed->to.host);
}

/// Who is not on this machine may not reach its neighbours through us, and nobody our own port, whatever name leads
/// there. Judged on the address that is connected to.
std::function<bool(net::ip::address const&)> web_proxy::allowed_for(connection const& peer, std::uint16_t port) const {
  bool const anywhere = peer.via ? gateway_.settings().allow_private : peer.is_local() || settings_.allow_private;
  bool const own_port = port == settings_.own_port;
  if (anywhere && !own_port) return {};
  return [=](net::ip::address const& to) {
    return (anywhere || sync::is_public(to)) && !(own_port && sync::is_this_machine(to));
  };
}

/// Whether to leave this URL's host alone. While the link is up this is one load.
bool web_proxy::is_offline(std::string_view url) const {
  auto const& link = parts_.fetching.link();
  if (link.state() == sync::link_state::up && link.mode() != sync::link_mode::offline) return false;
  auto const parsed = sync::parse_url(url);
  return !parsed || !link.worth_trying(parsed->to.host);
}

/// Whether it may be sent as it is, without asking or telling anybody else; and how old it is then.
std::optional<store::reuse_decision> web_proxy::usable_as_is(asked const& request,
                                                             store::stored_object const& object) const {
  if (object.kind == store::object_kind::homepage) return std::nullopt;  // there may be a newer one, stitched
  auto const& caching = parts_.fetching.settings().caching;
  auto const decision = store::decide(policy_of(object, caching), request.directives, {is_offline(request.url)},
                                      parts_.wall.now(), caching);
  bool const usable = store::usable_now(decision.what) && decision.what != reuse::stale_while_validating;
  bool const for_the_origin = request.conditions.for_the_origin() && decision.what != reuse::offline;
  if (!usable || for_the_origin || request.conditions.more_lines) return std::nullopt;
  return decision;
}

bool web_proxy::answer_now(sync::head_view const& head, connection& peer, outgoing& out) {
  peer.nothing_stored = false;
  found_now.reset();
  if (!is_absolute(head.target))
    if (auto site = gateway_.site_of(head.host)) return gateway_answer_now(std::move(*site), head, peer, out);
  if (!only_reads(head)) return false;
  auto url = store::normalise_url(head.target);
  if (!url || (!settings_.allow_private && is_kept_from(peer, *url))) return false;
  auto const request = read_request(head, std::move(*url));
  bool const as_sent = is_as_sent(head, peer);
  auto const most = as_sent && !peer.tls() ? small_body : changed_body;
  bool plain = true;                         // neither variants nor anything else that takes a second look
  thread_local store::stored_object object;  // its memory is used again; no other request runs here before we return
  auto const found = parts_.kept.find_with_body(
      request.url, [&](store::stored_object const& o) { return plain = plain && o.selecting.empty(); }, most, object,
      out.body);
  peer.nothing_stored = found && !*found && plain;
  if (!found || !*found || !plain) return false;
  auto const decision = usable_as_is(request, object);
  if (!decision) return false;
  auto const what = plan(request, object);
  if (what.what == stored_plan::kind::decoded || what.ranges.size() > 1) return false;
  bool const elsewhere = object.size > most && what.needs_body(request);
  bool const can_follow = as_sent && what.what == stored_plan::kind::whole && object.status == 200;
  if (elsewhere && !can_follow) return false;

  store::cache_status cache{.hit = true, .ttl = decision->ttl};
  if (decision->what == reuse::offline) cache.detail = "offline";
  compose(out, request, object, what, decision->age, cache, std::move(out.body));
  if (elsewhere && !peer.tls()) out.shared = hot_.find(parts_.kept, object);
  if (elsewhere && !out.shared && !leave_long(parts_.kept, object, peer, out)) return false;
  parts_.kept.note_use(object);
  return !elsewhere || out.shared;
}

net::awaitable<after> web_proxy::answer(sync::head_view const& head, connection& peer) {
  if (found_now && found_now->to == &peer) {
    auto what = std::move(*found_now);
    found_now.reset();
    co_return co_await send_long(peer, std::move(what));
  }
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
  if (!settings_.allow_private && is_kept_from(peer, x.request.url))
    co_return co_await say(x, 403, text_type, "Private addresses are for clients on this machine.\n", {});
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
  if (parts_.board) co_return co_await parts_.board->answer(head, peer);
  request_body body{peer, head};
  auto const text = co_await body.read_all(64 << 10);
  outgoing out{.keep = head.persistent() && !peer.stopping && text.has_value()};
  parts_.own.answer(head, text ? std::string_view{*text} : std::string_view{}, out);
  auto const sent = co_await peer.write(out.head, out.body);
  co_return sent&& out.keep ? after::keep : after::close;
}

}  // namespace cistern::proxy
