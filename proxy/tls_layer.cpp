#include "proxy/tls_layer.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>

#include <algorithm>

namespace cistern::proxy {

namespace {

/// An alert by which a client says that it will not have our certificate (RFC 8446 §6.2).
bool is_refusal(unsigned long error) {
  switch (ERR_GET_REASON(error)) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      return true;
    default:
      return false;
  }
}

}  // namespace

tls_layer::tls_layer(std::shared_ptr<SSL_CTX> context)
    : context_{std::move(context)},
      ssl_{SSL_new(context_.get())},
      in_{BIO_new(BIO_s_mem())},
      out_{BIO_new(BIO_s_mem())} {
  BIO_set_mem_eof_return(in_, -1);
  BIO_set_mem_eof_return(out_, -1);
  SSL_set_bio(ssl_, in_, out_);
  SSL_set_accept_state(ssl_);
}

tls_layer::~tls_layer() { SSL_free(ssl_); }

tls_layer::progress tls_layer::handshake() {
  ERR_clear_error();
  auto const done = SSL_do_handshake(ssl_);
  if (done == 1) return progress::done;
  auto const error = SSL_get_error(ssl_, done);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return progress::wants_more;
  refused_ = is_refusal(ERR_peek_error());
  return progress::failed;
}

void tls_layer::feed(std::string_view encrypted) {
  BIO_write(in_, encrypted.data(), static_cast<int>(encrypted.size()));
}

std::size_t tls_layer::read(std::span<char> into, progress& how) {
  ERR_clear_error();
  auto const got = SSL_read(ssl_, into.data(), static_cast<int>(std::min<std::size_t>(into.size(), 1 << 30)));
  if (got > 0) {
    how = progress::done;
    return static_cast<std::size_t>(got);
  }
  auto const error = SSL_get_error(ssl_, got);
  how = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? progress::wants_more
        : error == SSL_ERROR_ZERO_RETURN                              ? progress::done
                                                                      : progress::failed;
  // In TLS 1.3 a client that refuses says so only after we are done.
  if (how == progress::failed && is_refusal(ERR_peek_error())) refused_ = true;
  return 0;
}

bool tls_layer::write(std::string_view plain) {
  ERR_clear_error();
  while (!plain.empty()) {
    auto const piece = std::min<std::size_t>(plain.size(), 1 << 20);
    auto const taken = SSL_write(ssl_, plain.data(), static_cast<int>(piece));
    if (taken <= 0) return false;  // the queue takes everything: only an error says less
    plain.remove_prefix(static_cast<std::size_t>(taken));
  }
  return true;
}

void tls_layer::say_goodbye() {
  ERR_clear_error();
  SSL_shutdown(ssl_);
}

std::string_view tls_layer::outgoing() const {
  char* data = nullptr;
  auto const size = BIO_get_mem_data(out_, &data);
  return std::string_view{data, static_cast<std::size_t>(std::max(0L, size))}.substr(sent_);
}

void tls_layer::sent(std::size_t count) {
  sent_ += count;
  if (!outgoing().empty()) return;
  static_cast<void>(BIO_reset(out_));
  sent_ = 0;
}

}  // namespace cistern::proxy
