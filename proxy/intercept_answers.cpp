#include "proxy/client_hello.hpp"
#include "proxy/session.hpp"
#include "proxy/web_proxy.hpp"

/// The proxy's answers to CONNECT for a carried site.

namespace cistern::proxy {
namespace {

namespace net = boost::asio;

/// What the client says first, as much as it takes to judge it; nothing of it is consumed.
net::awaitable<client_hello::state> read_hello(connection& peer, client_hello& out) {
  for (;;) {
    auto const how = read_client_hello(peer.pending(), out);
    if (how != client_hello::state::incomplete || peer.pending().size() > longest_hello) co_return how;
    auto const more = co_await peer.fill();
    if (!more) co_return client_hello::state::incomplete;
  }
}

}  // namespace

/// Speaks TLS in the site's place and answers what comes, from the repository or through sync; the origin is not asked
/// for anything to do that. False when the client speaks something else, or to somebody else: then nothing was taken
/// from it.
net::awaitable<bool> web_proxy::end_tunnel_here(sync::origin const& to, connection& peer,
                                                std::shared_ptr<SSL_CTX> context) {
  auto const told = co_await peer.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (!told) co_return true;
  peer.expire_in(peer.limits.header_timeout);
  client_hello hello;
  auto const how = co_await read_hello(peer, hello);
  if (how == client_hello::state::incomplete) co_return true;
  if (how == client_hello::state::nonsense || !hello.may_speak_http()) co_return false;
  sync::origin site = to;
  if (!hello.server_name.empty() && hello.server_name != to.host) {  // the name it wants, not the one it dialled
    site.host = hello.server_name;
    context = parts_.tls->context_for(site.host, parts_.fetching.link().worth_trying(site.host));
    if (!context) co_return false;
  }
  auto const begun = co_await peer.start_tls(std::move(context));
  if (begun) {
    site.tls = true;
    peer.inside = "https://" + sync::authority(site);
    bool idle = true;
    co_await run_session(peer, *this, idle);
  }
  if (peer.tls()->refused()) parts_.tls->note_refusal(site.host);
  co_return true;
}

}  // namespace cistern::proxy
