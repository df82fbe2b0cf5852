#include "proxy/client_hello.hpp"

#include <openssl/ssl.h>
#include <catch2/catch.hpp>

#include <memory>

using namespace cistern;
using state = proxy::client_hello::state;

namespace {

/// What OpenSSL says first.
std::string hello_of(std::string const& name, std::string const& protocols) {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> const context{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::unique_ptr<SSL, decltype(&SSL_free)> const tls{SSL_new(context.get()), SSL_free};
  auto* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(tls.get(), BIO_new(BIO_s_mem()), out);
  if (!name.empty()) SSL_set_tlsext_host_name(tls.get(), name.c_str());
  if (!protocols.empty())
    SSL_set_alpn_protos(tls.get(), reinterpret_cast<unsigned char const*>(protocols.data()),
                        static_cast<unsigned>(protocols.size()));
  SSL_connect(tls.get());
  char* data = nullptr;
  auto const size = BIO_get_mem_data(out, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

TEST_CASE("a client's first words tell whom it means and what it speaks", "[proxy]") {
  proxy::client_hello hello;
  REQUIRE(read_client_hello(hello_of("WWW.Example.org", "\x02h2\x08http/1.1"), hello) == state::whole);
  CHECK(hello.server_name == "www.example.org");
  CHECK(hello.protocols == std::vector<std::string>{"h2", "http/1.1"});
  CHECK(hello.may_speak_http());
  proxy::client_hello bare;
  REQUIRE(read_client_hello(hello_of({}, {}), bare) == state::whole);
  CHECK(bare.server_name.empty());
  CHECK(bare.may_speak_http());
  proxy::client_hello other;
  REQUIRE(read_client_hello(hello_of("a.test", "\x02h2"), other) == state::whole);
  CHECK_FALSE(other.may_speak_http());
}

TEST_CASE("first words that are cut off are waited for, in however many records they come", "[proxy]") {
  auto const hello = hello_of("a.test", "\x08http/1.1");
  for (std::size_t size = 0; size < hello.size(); ++size) {
    proxy::client_hello out;
    REQUIRE(read_client_hello(hello.substr(0, size), out) == state::incomplete);
  }
  std::string pieces;
  for (auto rest = std::string_view{hello}.substr(5); !rest.empty();) {
    auto const piece = rest.substr(0, 7);
    (pieces += hello.substr(0, 3)).append({'\0', static_cast<char>(piece.size())}).append(piece);
    rest.remove_prefix(piece.size());
  }
  proxy::client_hello out;
  REQUIRE(read_client_hello(pieces, out) == state::whole);
  CHECK(out.server_name == "a.test");
}

TEST_CASE("first words of no TLS client are nonsense, and lengths that lie do no harm", "[proxy]") {
  proxy::client_hello out;
  CHECK(read_client_hello("SSH-2.0-OpenSSH", out) == state::nonsense);
  CHECK(read_client_hello({"\x16\x03\x01\x00\x00", 5}, out) == state::nonsense);
  CHECK(read_client_hello({"\x16\x03\x01\x00\x04\x01\xff\xff\xff", 9}, out) == state::nonsense);
  auto const hello = hello_of("a.test", "\x08http/1.1");
  for (std::size_t at = 0; at < hello.size(); ++at)
    for (char const by : {'\0', '\x7f', '\xff'}) {
      auto bent = hello;
      bent[at] = by;
      proxy::client_hello any;
      static_cast<void>(read_client_hello(bent, any));
    }
}
