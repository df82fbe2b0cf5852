#pragma once

/// OpenSSL's certificates and keys behind one small door. Failures are std::runtime_error: they are either a broken
/// installation or a full disk.

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

using key_ptr = std::shared_ptr<EVP_PKEY>;
using certificate_ptr = std::shared_ptr<X509>;

[[nodiscard]] key_ptr make_key();  // ECDSA P-256

struct certificate_request {
  std::string name;  // the subject's common name
  long days = 1;     // from a day before `now`, because clocks differ
  std::time_t now = 0;
  bool is_root = false;          // signs others
  bool is_issuer = false;        // signs leaves only
  std::string alternative = {};  // subjectAltName: "DNS:a.test", "IP:1.2.3.4"
  std::string constraints = {};  // nameConstraints: "permitted;DNS:a.test,..."
};
/// Signed by `issuer` with `issuer_key`, or by itself when there is no issuer.
[[nodiscard]] certificate_ptr make_certificate(certificate_request const& what, key_ptr const& subject_key,
                                               certificate_ptr const& issuer, key_ptr const& issuer_key);

/// Still good at `then`.
[[nodiscard]] bool lasts_until(X509 const* certificate, std::time_t then);

[[nodiscard]] std::string to_pem(certificate_ptr const& certificate);
[[nodiscard]] std::string to_der(certificate_ptr const& certificate);
[[nodiscard]] std::string to_p12(certificate_ptr const& certificate);  // the certificate only
[[nodiscard]] std::string fingerprint_of(certificate_ptr const& certificate);

void write_certificate(std::filesystem::path const& file, certificate_ptr const& certificate);
/// Mode 0600 from its first byte on.
void write_key(std::filesystem::path const& file, key_ptr const& key);
[[nodiscard]] certificate_ptr read_certificate(std::filesystem::path const& file);
[[nodiscard]] key_ptr read_key(std::filesystem::path const& file);

}  // namespace cistern::proxy
