#include "sync/errc.hpp"

#include <openssl/x509_vfy.h>

#include <string>

namespace cistern::sync {
namespace {

using boost::system::error_category;
using boost::system::error_code;

class outside_category final : public error_category {
public:
  char const* name() const noexcept override { return "cistern.sync"; }
  std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
      case errc::name_not_found:
        return "the host name does not exist";
      case errc::dns_timeout:
        return "the name look-up took too long";
      case errc::dns_unreachable:
        return "no name server can be reached";
      case errc::refused:
        return "the connection was refused";
      case errc::unreachable:
        return "there is no route to the host";
      case errc::unusable_address:
        return "the host's address cannot be used here";
      case errc::connect_timeout:
        return "the host did not answer";
      case errc::tls_untrusted:
        return "the certificate is not trusted";
      case errc::tls_failed:
        return "no secure connection could be made";
      case errc::proxy_failed:
        return "the parent proxy refused the connection";
      case errc::first_byte_timeout:
        return "the server accepted the request and never answered";
      case errc::stalled:
        return "the transfer stalled";
      case errc::too_slow:
        return "the transfer took longer than allowed";
      case errc::truncated:
        return "the transfer ended before it was complete";
      case errc::reset:
        return "the connection was broken";
      case errc::bad_framing:
        return "the answer is malformed";
      case errc::too_large:
        return "the answer's head is too large";
      case errc::forbidden_address:
        return "the host's address may not be reached from here";
      case errc::too_busy:
        return "too many connections are open";
      case errc::cancelled:
        return "cancelled";
      case errc::bad_url:
        return "the URL is malformed";
      case errc::bad_encoding:
        return "the compressed data is malformed";
      case errc::decoded_too_large:
        return "the compressed data expands to too much";
      case errc::body_too_large:
        return "the file is larger than allowed";
      case errc::wrong_digest:
        return "the file is not the one that was announced: its digest differs";
      case errc::redirect_loop:
        return "the redirects do not come to an end";
      case errc::budget_spent:
        return "the data budget is used up";
    }
    return "unknown";
  }
};

class verify_category final : public error_category {
public:
  char const* name() const noexcept override { return "cistern.sync.certificate"; }
  std::string message(int value) const override {
    return std::string{"the certificate is not trusted: "} + X509_verify_cert_error_string(value);
  }
};

error_category const& certificate_category() {
  static verify_category const category;
  return category;
}

}  // namespace

error_category const& sync_category() {
  static outside_category const category;
  return category;
}

error_code make_error_code(errc error) { return {static_cast<int>(error), sync_category()}; }

error_code make_verify_error(long reason) { return {static_cast<int>(reason), certificate_category()}; }

errc kind_of(error_code error) {
  if (error.category() == sync_category()) return static_cast<errc>(error.value());
  if (error.category() == certificate_category()) return errc::tls_untrusted;
  return errc::reset;
}

bool may_be_link_trouble(error_code error) {
  switch (kind_of(error)) {
    case errc::refused:
    case errc::reset:
    case errc::truncated:
    case errc::proxy_failed:
    case errc::tls_failed:
      return true;
    default:
      return false;
  }
}

bool is_link_trouble(error_code error) {
  switch (kind_of(error)) {
    case errc::dns_timeout:
    case errc::dns_unreachable:
    case errc::unreachable:
    case errc::connect_timeout:
    case errc::first_byte_timeout:
    case errc::stalled:
      return true;
    default:
      return false;
  }
}

}  // namespace cistern::sync
