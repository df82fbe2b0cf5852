#include "proxy/intercept.hpp"

#include "tests/proxy/whole_proxy.hpp"
#include "tests/support/temp_dir.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>
#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using Catch::Matchers::Contains;

namespace {

/// An authority for one host, and a proxy that uses it.
struct intercepting_proxy {
  explicit intercepting_proxy(std::string host, std::uint16_t port = 443, std::string ca_file = {}) {
    proxy::authority::create(folder.path() / "ca", {host});
    tls.emplace(folder.path() / "ca", [host] { return std::vector<std::string>{host}; });
    world.emplace(proxy::web_proxy_settings{}, port, &*tls, std::move(ca_file));
  }
  temp_dir folder;
  std::optional<proxy::interception> tls;
  std::optional<whole_proxy> world;
};

/// A client of the proxy that speaks TLS inside a tunnel, as curl does.
class tunnel_client {
public:
  tunnel_client(std::uint16_t proxy_port, std::string const& to) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(proxy_port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval const limit{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error{"connect"};
    auto const ask = "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n\r\n";
    static_cast<void>(::write(socket_, ask.data(), ask.size()));
    char c = 0;
    while (!head.ends_with("\r\n\r\n") && ::read(socket_, &c, 1) == 1) head += c;
  }
  ~tunnel_client() {
    if (tls_) SSL_free(tls_);
    ::close(socket_);
  }

  /// How the client shows itself, before it shakes hands.
  int version = 0;          // TLS1_2_VERSION, ...; 0: any
  std::string protocols{};  // ALPN, in wire form

  /// Trusts `root` alone; what the verifier says.
  long shake_hands(std::string const& root, std::string const& host) {
    context_.reset(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    if (version != 0) {
      SSL_CTX_set_min_proto_version(context_.get(), version);
      SSL_CTX_set_max_proto_version(context_.get(), version);
    }
    if (!protocols.empty())
      SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<unsigned char const*>(protocols.data()),
                              static_cast<unsigned>(protocols.size()));
    if (!root.empty()) SSL_CTX_load_verify_locations(context_.get(), root.c_str(), nullptr);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    tls_ = SSL_new(context_.get());
    SSL_set_tlsext_host_name(tls_, host.c_str());
    SSL_set1_host(tls_, host.c_str());
    SSL_set_fd(tls_, socket_);
    SSL_connect(tls_);
    return SSL_get_verify_result(tls_);
  }
  [[nodiscard]] int agreed_version() const { return SSL_version(tls_); }
  [[nodiscard]] std::string agreed_protocol() const {
    unsigned char const* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls_, &name, &size);
    return {reinterpret_cast<char const*>(name), size};
  }
  std::string ask(std::string const& request) {
    SSL_write(tls_, request.data(), static_cast<int>(request.size()));
    std::string out;
    char piece[4096];
    for (int got = 0; (got = SSL_read(tls_, piece, sizeof piece)) > 0;)
      out.append(piece, static_cast<std::size_t>(got));
    return out;
  }

  std::string head;

private:
  int socket_ = -1;
  std::shared_ptr<SSL_CTX> context_;
  SSL* tls_ = nullptr;
};

}  // namespace

TEST_CASE("a carried site is served over TLS from the repository, also while the link is down", "[proxy]") {
  test_ca web;
  fake_origin origin{always("Cache-Control: max-age=60\r\nContent-Type: text/plain\r\n", "over tls"), web.server({})};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  auto const root = (here.folder.path() / "ca" / "root.pem").string();
  for (bool const offline : {false, true}) {
    if (offline) here.world->link.force(sync::link_mode::offline);
    tunnel_client client{here.world->server.endpoint().port(), authority};
    CHECK_THAT(client.head, Contains("200"));
    CHECK(client.shake_hands(root, "localhost") == X509_V_OK);
    auto const reply = client.ask("GET /a HTTP/1.1\r\nHost: " + authority + "\r\nConnection: close\r\n\r\n");
    CHECK_THAT(reply, Contains("over tls"));
    CHECK_THAT(reply, Contains(offline ? "cistern; hit" : "fwd=uri-miss"));
  }
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("several requests follow one another on one connection, large answers too", "[proxy]") {
  test_ca web;
  auto const body = noise(3, 900'000);
  fake_origin origin{always("Cache-Control: max-age=60\r\n", body), web.server({})};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  tunnel_client client{here.world->server.endpoint().port(), authority};
  client.shake_hands((here.folder.path() / "ca" / "root.pem").string(), "localhost");
  auto const get = "GET /a HTTP/1.1\r\nHost: " + authority + "\r\n";
  auto const reply = client.ask(get + "\r\n" + get + "Connection: close\r\n\r\n");
  CHECK(reply.size() > 2 * body.size());
  CHECK(reply.ends_with(body));
}

TEST_CASE("a site that is not carried is tunnelled blindly", "[proxy]") {
  test_ca web;
  fake_origin origin{always("Content-Type: text/plain\r\n", "end to end"), web.server({})};
  intercepting_proxy here{"carried.test", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  tunnel_client client{here.world->server.endpoint().port(), authority};
  CHECK(client.shake_hands(web.file(), "localhost") == X509_V_OK);  // the origin's own certificate
  CHECK_THAT(client.ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), Contains("end to end"));
}

TEST_CASE("a client that will not have our certificate is not asked twice", "[proxy]") {
  test_ca web;
  fake_origin origin{always("Content-Type: text/plain\r\n", "pinned"), web.server({})};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  auto const port = here.world->server.endpoint().port();
  {
    tunnel_client first{port, authority};
    CHECK(first.shake_hands(web.file(), "localhost") != X509_V_OK);
  }
  for (int tries = 0; tries < 200 && here.tls->known()->refused().empty(); ++tries)
    ::usleep(10'000);  // its alert is on the way
  tunnel_client second{port, authority};
  CHECK(second.shake_hands(web.file(), "localhost") == X509_V_OK);
  CHECK_THAT(second.ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), Contains("pinned"));
}

TEST_CASE("an origin whose certificate does not hold is not passed over", "[proxy]") {
  test_ca web, other;
  fake_origin origin{always("Content-Type: text/plain\r\n", "evil"), other.server({})};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  tunnel_client client{here.world->server.endpoint().port(), authority};
  client.shake_hands((here.folder.path() / "ca" / "root.pem").string(), "localhost");
  auto const reply = client.ask("GET / HTTP/1.1\r\nHost: " + authority + "\r\nConnection: close\r\n\r\n");
  CHECK_THAT(reply, Contains("502"));
  CHECK_THAT(reply, !Contains("evil"));
}

TEST_CASE("a person is told that it is the certificate that does not hold", "[proxy]") {
  test_ca web, other;
  fake_origin origin{always("Content-Type: text/plain\r\n", "evil"), other.server({})};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  tunnel_client client{here.world->server.endpoint().port(), authority};
  client.shake_hands((here.folder.path() / "ca" / "root.pem").string(), "localhost");
  auto const reply = client.ask("GET / HTTP/1.1\r\nHost: " + authority +
                                "\r\nAccept: text/html,*/*;q=0.8\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Mode: "
                                "navigate\r\nConnection: close\r\n\r\n");
  CHECK_THAT(reply, Contains("certificate") && !Contains("evil"));
}

TEST_CASE("TLS 1.2 and 1.3 are spoken here, and http/1.1 inside them", "[proxy]") {
  test_ca web;
  fake_origin origin{always("Content-Type: text/plain\r\n", "x"), web.server({})};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  auto const version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  tunnel_client client{here.world->server.endpoint().port(), authority};
  client.version = version;
  client.protocols = "\x02h2\x08http/1.1";
  CHECK(client.shake_hands((here.folder.path() / "ca" / "root.pem").string(), "localhost") == X509_V_OK);
  CHECK(client.agreed_version() == version);
  CHECK(client.agreed_protocol() == "http/1.1");
  CHECK_THAT(client.ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), Contains("200 OK"));
}

TEST_CASE("what will not speak http inside, or means another host, is tunnelled", "[proxy]") {
  test_ca web;
  fake_origin origin{always("Content-Type: text/plain\r\n", "end to end"),
                     web.server({.names = "DNS:localhost,DNS:other.test"})};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  tunnel_client client{here.world->server.endpoint().port(), "localhost:" + std::to_string(origin.port())};
  auto const [protocols, name] = GENERATE(table<std::string, std::string>(
      {{"\x02h2", "localhost"}, {"\x0bxmpp-client", "localhost"}, {"\x08http/1.1", "other.test"}}));
  client.protocols = protocols;
  CHECK(client.shake_hands(web.file(), name) == X509_V_OK);  // the origin's own certificate
}

TEST_CASE("who asks for the client's certificate gets the client", "[proxy]") {
  test_ca web;
  auto const context = web.server({});
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  fake_origin origin{always("Content-Type: text/plain\r\n", "members only"), context};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  auto const port = here.world->server.endpoint().port();
  auto const root = (here.folder.path() / "ca" / "root.pem").string();
  {
    tunnel_client first{port, authority};
    CHECK(first.shake_hands(root, "localhost") == X509_V_OK);
    CHECK_THAT(first.ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), !Contains("members only"));
  }
  CHECK(here.tls->standing_of("localhost") == proxy::interception::standing::wants_certificate);
  {
    tunnel_client second{port, authority};
    CHECK(second.shake_hands(web.file(), "localhost") == X509_V_OK);
  }
  here.world->link.force(sync::link_mode::offline);  // nobody to tunnel to: what is stored can be read
  tunnel_client third{port, authority};
  CHECK(third.shake_hands(root, "localhost") == X509_V_OK);
}

TEST_CASE("a socket that a page opens inside an intercepted connection reaches the origin", "[proxy]") {
  test_ca web;
  fake_origin origin{[](fake_exchange& x) {
                       x.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
                       x.send("you said " + x.receive());
                       x.end();
                     },
                     web.server({})};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  tunnel_client client{here.world->server.endpoint().port(), authority};
  client.shake_hands((here.folder.path() / "ca" / "root.pem").string(), "localhost");
  auto const reply = client.ask("GET /live HTTP/1.1\r\nHost: " + authority +
                                "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\nhello");
  CHECK_THAT(reply, Contains("101") && Contains("you said hello"));
}

TEST_CASE("a site that is carried no more is tunnelled, whatever the certificate still covers", "[proxy]") {
  temp_dir folder;
  proxy::authority::create(folder.path() / "ca", {"a.test", "b.test"});
  std::filesystem::remove(folder.path() / "ca" / "root.key");
  proxy::interception tls{folder.path() / "ca", [] { return std::vector<std::string>{"a.test", "new.test"}; }};
  using standing = proxy::interception::standing;
  CHECK(tls.standing_of("a.test") == standing::read_here);
  CHECK(tls.standing_of("b.test") == standing::not_carried);
  CHECK(tls.standing_of("new.test") == standing::not_covered);
  CHECK(tls.context_for("b.test") == nullptr);
  CHECK(tls.context_for("a.test") != nullptr);
  tls.note_refusal("a.test");
  CHECK(tls.standing_of("a.test") == standing::refused);
  CHECK(proxy::interception{{}, [] { return std::vector<std::string>{}; }}.standing_of("a.test") == standing::off);
}

TEST_CASE("through a tunnel that ends here nobody uses the proxy a second time", "[proxy]") {
  test_ca web;
  fake_origin origin{always("Content-Type: text/plain\r\n", "x"), web.server({})};
  intercepting_proxy here{"localhost", origin.port(), web.file()};
  auto const authority = "localhost:" + std::to_string(origin.port());
  tunnel_client client{here.world->server.endpoint().port(), authority};
  client.shake_hands((here.folder.path() / "ca" / "root.pem").string(), "localhost");
  CHECK_THAT(client.ask("GET http://localhost:1/ HTTP/1.1\r\nHost: x\r\n\r\n"), Contains("421"));
}

TEST_CASE("the certificate is offered to whoever asks us by our own name", "[proxy]") {
  intercepting_proxy here{"a.test"};
  auto const page = here.world->get("/ca", {{"Host", "localhost"}});
  CHECK(page.status == 200);
  CHECK_THAT(page.body, Contains("a.test") && Contains(here.tls->known()->fingerprint()));
  auto const pem = here.world->get("/ca.pem", {{"Host", "localhost"}});
  CHECK(pem.body == here.tls->known()->root_pem());
  CHECK(here.world->get("/ca.key", {{"Host", "localhost"}}).status == 404);
  CHECK(here.world->get("/ca/root.key", {{"Host", "localhost"}}).status == 404);
}
