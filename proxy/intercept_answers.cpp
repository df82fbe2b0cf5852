#include "proxy/session.hpp"
#include "proxy/web_proxy.hpp"

/// The proxy's answers to CONNECT for a carried site.

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
constexpr char tls_handshake = 22;  // the first byte of a ClientHello's record (RFC 8446 §5.1)

}  // namespace

/// Speaks TLS in the site's place and answers what comes, from the repository or through sync; the origin is not asked
/// for anything to do that. False when the client speaks something else: then nothing was taken from it.
net::awaitable<bool> web_proxy::end_tunnel_here(sync::origin const& to, connection& peer,
                                                std::shared_ptr<SSL_CTX> context) {
  auto const told = co_await peer.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (!told) co_return true;
  peer.expire_in(peer.limits.header_timeout);
  if (peer.pending().empty()) {
    auto const more = co_await peer.fill();
    if (!more) co_return true;
  }
  if (peer.pending().front() != tls_handshake) co_return false;
  auto const begun = co_await peer.start_tls(std::move(context));
  if (begun) {
    sync::origin secure = to;
    secure.tls = true;
    peer.inside = "https://" + sync::authority(secure);
    bool idle = true;
    co_await run_session(peer, *this, idle);
  }
  if (peer.tls()->refused()) parts_.tls->note_refusal(to.host);
  co_return true;
}

}  // namespace cistern::proxy
