#include "proxy/exchange.hpp"
#include "proxy/streamed_answer.hpp"
#include "proxy/tunnel_relay.hpp"
#include "proxy/web_proxy.hpp"
#include "store/field_list.hpp"
#include "store/hop_by_hop.hpp"
#include "store/invalidation.hpp"
#include "store/storability.hpp"
#include "sync/account.hpp"
#include "sync/errc.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <charconv>

/// What goes to its origin and back without being kept: tunnels, upgrades, and everything that is no plain read.
namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using forward = store::cache_status::forward;

constexpr std::uint64_t most_posted = 256 << 10;  // of an answer to a POST that a GET may have, too

/// How many may still pass the request on (RFC 9110 §7.6.2); nothing when it does not say, or says it of a method that
/// has no such limit.
std::optional<std::uint32_t> forwards_left(sync::head_view const& head) {
  if (head.method != "TRACE" && head.method != "OPTIONS") return std::nullopt;
  auto const text = head.find("Max-Forwards").value_or("");
  std::uint32_t number = 0;
  auto const read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

net::awaitable<after> web_proxy::answer_connect(sync::head_view const& head, connection& peer) {
  exchange x{head, peer};
  auto const to = sync::parse_authority(head.target, false, 443);
  if (!to) co_return co_await say(x, 400, text_type, "That address cannot be read.\n", {});
  if (!settings_.connect_ports.contains(to->port))
    co_return co_await say(x, 403, text_type, "Tunnels to that port are not allowed; see proxy.connect_ports.\n", {});
  if (to->port == settings_.own_port && own_pages::is_own_host(to->host))
    co_return co_await say(x, 403, text_type, "That is Cistern itself.\n", {});
  bool const online = parts_.fetching.link().worth_trying(to->host);
  auto context = parts_.tls && peer.inside.empty() ? parts_.tls->context_for(to->host, online) : nullptr;
  bool told = context != nullptr;
  if (context) {
    auto const done = co_await end_tunnel_here(*to, peer, std::move(context));
    if (done) co_return after::close;
  }
  if (!online) {
    if (told) co_return after::close;
    co_return co_await say(x, 504, text_type, "The link is down.\n", {});
  }
  sync::request_options options;
  options.limits = parts_.fetching.settings().limits;
  options.allow_address = allowed_for(peer, to->port);
  sync::put_on_account(parts_.fetching, options, {}, to->host);
  auto far = co_await client().connect_tunnel(*to, std::move(options));
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
  options.allow_address = allowed_for(x.peer, url->to.port);
  sync::put_on_account(parts_.fetching, options, {}, url->to.host);
  auto far = co_await client().connect_tunnel(url->to, std::move(options));
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
  auto const forwards = forwards_left(x.head);
  if (forwards == 0u)  // we are the last to have it
    co_return co_await say(x, x.head.method == "TRACE" ? 405 : 200, text_type, "",
                           "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, CONNECT\r\n");
  auto& link = parts_.fetching.link();
  if (!link.worth_trying(url->to.host))
    co_return co_await say(x, 504, text_type, "The link is down; this cannot be done later by itself.\n", {});
  sync::request out{
      .method = std::string{x.head.method}, .to = url->to, .target = url->target, .fields = forwarded_fields(x.head)};
  if (forwards) out.fields.set("Max-Forwards", std::to_string(*forwards - 1));
  out.options.limits = parts_.fetching.settings().limits;
  out.options.allow_address = allowed_for(x.peer, url->to.port);
  out.options.interim = x.interim_listener();
  sync::put_on_account(parts_.fetching, out.options, x.request.url, url->to.host);
  if (x.body.exists()) {
    out.body.read = [&x](std::span<char> into) { return x.body.read_some(into); };
    out.body.length = x.body.length();
  }
  if (x.body.exists() && store::list_has(x.head.find("Expect").value_or(""), "100-continue"))
    co_await x.peer.write("HTTP/1.1 100 Continue\r\n\r\n");
  store::arrival when{.requested = parts_.wall.now()};
  auto answer = co_await client().open(std::move(out));
  when.received = parts_.wall.now();
  if (!answer && x.body.refusal() != 0) {  // neither the origin nor the link is to blame
    x.keep = false;
    co_return co_await say(x, x.body.refusal(), text_type, "The request's body cannot be read.\n", {});
  }
  if (!answer) {
    link.failed(url->to.host, answer.error());
    x.keep = false;
    bool const forbidden = sync::kind_of(answer.error()) == sync::errc::forbidden_address;
    co_return co_await say(x, forbidden ? 403 : 502, text_type, answer.error().message() + "\n", {});
  }
  link.succeeded(url->to.host, url->to.tls);
  bool const trusted = link.may_store(url->to.host, url->to.tls);  // else a portal may have answered
  auto const outdated = store::invalidated_urls(x.head.method, x.request.url, answer->status, answer->fields);
  if (trusted && !outdated.empty()) {
    auto task = [outdated](store::write_batch& b) {
      for (auto const& each : outdated) b.invalidate_url(each);
    };
    co_await parts_.kept.write(std::move(task), net::use_awaitable);
  }
  store::cache_status const cache{.fwd = x.request.reads() ? forward::bypass : forward::method,
                                  .fwd_status = static_cast<int>(answer->status)};
  store::add_missing_date(answer->fields, when.received);
  auto const clean = co_await x.body.skip();
  x.keep = x.keep && clean;
  if (trusted && x.head.method == "POST" && answer->content_length && *answer->content_length <= most_posted) {
    store::storing_request const posted{.method = "POST",
                                        .url = x.request.url,
                                        .has_authorization = x.request.has_authorization,
                                        .no_store = x.request.directives.no_store};
    auto const& caching = parts_.fetching.settings().caching;
    if (store::may_store(posted, answer->status, answer->fields, caching) == store::storability::stored)
      co_return co_await keep_posted(x, std::move(*answer), when);
  }
  co_return co_await send_response(std::move(*answer), x.peer, x.request, cache, x.keep);
}

/// The answer to a POST that says it is what a GET would give now (RFC 9110 §9.3.3): kept as that, then sent.
net::awaitable<after> web_proxy::keep_posted(exchange& x, sync::response answer, store::arrival when) {
  std::string body;
  std::string piece(64 << 10, '\0');
  for (;;) {
    auto const got = co_await answer.read_some(piece);
    if (!got) co_return after::close;
    if (*got == 0) break;
    body.append(piece, 0, *got);
  }
  auto head = store::head_to_store(x.request.url, answer.status, answer.fields, forwarded_fields(x.head), when,
                                   parts_.fetching.settings().caching);
  auto copy = body;
  auto const stored = co_await parts_.kept.put(std::move(head), std::move(copy), net::use_awaitable);
  answer_frame frame{.status = answer.status, .content_length = body.size()};
  frame.keep = x.keep;
  frame.one_dot_zero = x.request.one_dot_zero;
  frame.cache = {.fwd = forward::method, .fwd_status = static_cast<int>(answer.status)};
  frame.cache.stored = stored.has_value();
  std::string text;
  write_head(text, frame, store::end_to_end(answer.fields));
  auto const sent = co_await x.peer.write(text, body);
  co_return sent&& x.keep ? after::keep : after::close;
}

}  // namespace cistern::proxy
