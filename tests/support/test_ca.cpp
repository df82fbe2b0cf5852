#include "tests/support/test_ca.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <unistd.h>

#include <cstdio>
#include <stdexcept>

namespace {

std::shared_ptr<EVP_PKEY> make_key() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

void extend(X509* certificate, X509* issuer, int nid, char const* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> const extension{
      X509V3_EXT_conf_nid(nullptr, &context, nid, value), X509_EXTENSION_free};
  if (!extension) throw std::runtime_error{"certificate extension"};
  X509_add_ext(certificate, extension.get(), -1);
}

std::shared_ptr<X509> make_certificate(char const* name, EVP_PKEY* key, long not_before, long not_after) {
  static long serial = 1;
  std::shared_ptr<X509> out{X509_new(), X509_free};
  X509_set_version(out.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(out.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(out.get()), not_before);
  X509_gmtime_adj(X509_getm_notAfter(out.get()), not_after);
  X509_set_pubkey(out.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(out.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<unsigned char const*>(name), -1, -1, 0);
  return out;
}

}  // namespace

test_ca::test_ca() : key_{make_key()}, root_{make_certificate("Cistern test root", key_.get(), -86400, 86400)} {
  X509_set_issuer_name(root_.get(), X509_get_subject_name(root_.get()));
  extend(root_.get(), root_.get(), NID_basic_constraints, "critical,CA:TRUE");
  extend(root_.get(), root_.get(), NID_key_usage, "critical,keyCertSign");
  X509_sign(root_.get(), key_.get(), EVP_sha256());

  char path[] = "/tmp/cistern-test-ca-XXXXXX";
  auto const fd = mkstemp(path);
  std::unique_ptr<FILE, decltype(&std::fclose)> const out{fdopen(fd, "w"), std::fclose};
  PEM_write_X509(out.get(), root_.get());
  file_ = path;
}

test_ca::~test_ca() { std::remove(file_.c_str()); }

std::shared_ptr<SSL_CTX> test_ca::server(leaf const& what) const {
  auto const key = make_key();
  auto const certificate = make_certificate("test", key.get(), what.not_before, what.not_after);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(root_.get()));
  extend(certificate.get(), root_.get(), NID_subject_alt_name, what.names.c_str());
  X509_sign(certificate.get(), key_.get(), EVP_sha256());

  std::shared_ptr<SSL_CTX> context{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
  SSL_CTX_use_certificate(context.get(), certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), key.get());
  return context;
}
