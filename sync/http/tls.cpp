#include "sync/http/tls.hpp"

#include "sync/http/certificate_wishes.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cstdlib>
#include <filesystem>

namespace cistern::sync {
namespace {

namespace ssl = boost::asio::ssl;

/// Where an SSL keeps its `peer`.
int peer_index() {
  static int const index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

/// The system's certificates. Where they lie hashed in a folder they are read one by one as they are needed; the bundle
/// of all of them takes a tenth of a second and some megabytes.
void trust_system(ssl::context& context) {
  std::string const folder = X509_get_default_cert_dir();
  auto const hashed = [](std::filesystem::directory_entry const& entry) { return entry.path().extension() == ".0"; };
  std::error_code none;
  std::filesystem::directory_iterator const entries{folder, none};
  auto const overruled = std::getenv("SSL_CERT_FILE") != nullptr || std::getenv("SSL_CERT_DIR") != nullptr;
  if (!overruled && !none && std::any_of(begin(entries), end(entries), hashed)) {
    context.add_verify_path(folder);
  } else {
    context.set_default_verify_paths();
  }
}

extern "C" int cistern_new_session(SSL* ssl, SSL_SESSION* session) {
  auto* who = static_cast<tls_context::peer*>(SSL_get_ex_data(ssl, peer_index()));
  if (who == nullptr) return 0;
  try {
    who->context->keep(who->key, session);
    return 1;
  } catch (...) {  // no exception may leave a function that C calls
    return 0;
  }
}

extern "C" int cistern_client_certificate(SSL* ssl, X509**, EVP_PKEY**) {
  auto const* const who = static_cast<tls_context::peer*>(SSL_get_ex_data(ssl, peer_index()));
  try {
    auto const to = parse_authority(who != nullptr ? who->key : std::string{}, true, 443);
    if (to) certificate_wishes::tell(to->host);
  } catch (...) {  // as above
  }
  return 0;  // we have none
}

}  // namespace

tls_context::tls_context(std::string const& ca_file) : context_{ssl::context::tls_client} {
  auto* const native = context_.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  trust_system(context_);
  if (!ca_file.empty()) context_.load_verify_file(ca_file);
  context_.set_verify_mode(ssl::verify_peer);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(native, cistern_new_session);
  SSL_CTX_set_client_cert_cb(native, cistern_client_certificate);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // an idle connection holds no record buffers
}

tls_context::~tls_context() = default;

void tls_context::prepare(tls_stream& stream, origin const& to, peer& who) {
  auto* const handle = stream.native_handle();
  boost::system::error_code not_literal;
  boost::asio::ip::make_address(to.host, not_literal);
  if (not_literal) {
    SSL_set_tlsext_host_name(handle, to.host.c_str());
    SSL_set_hostflags(handle, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SSL_set1_host(handle, to.host.c_str());
  } else {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), to.host.c_str());
  }
  static constexpr unsigned char http11[] = "\x08http/1.1";
  SSL_set_alpn_protos(handle, http11, sizeof http11 - 1);

  who = {.context = this, .key = authority_with_port(to)};
  SSL_set_ex_data(handle, peer_index(), &who);
  auto const found = sessions_.find(who.key);
  if (found == sessions_.end()) return;
  SSL_set_session(handle, found->second.get());
  // A TLS 1.3 ticket used twice lets an onlooker link the two connections (RFC 8446 §C.4).
  if (SSL_SESSION_get_protocol_version(found->second.get()) >= TLS1_3_VERSION) sessions_.erase(found);
}

void tls_context::keep(std::string const& key, SSL_SESSION* session) {
  if (sessions_.size() >= max_sessions && !sessions_.contains(key)) sessions_.erase(sessions_.begin());
  sessions_[key].reset(session);
}

}  // namespace cistern::sync
