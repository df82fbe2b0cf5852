#include "proxy/certificates.hpp"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace cistern::proxy {
namespace {

using bio_ptr = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

void check(bool fine, char const* what) {
  if (!fine) throw std::runtime_error{std::string{"the certificate authority: "} + what + " failed"};
}

std::string taken(BIO* bio) {
  char* data = nullptr;
  auto const size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

bio_ptr memory() { return {BIO_new(BIO_s_mem()), BIO_free_all}; }

void extend(X509* certificate, X509* issuer, int nid, std::string const& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> const extension{
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()), X509_EXTENSION_free};
  check(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "an extension");
}

void set_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  check(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1, "a random number");
  bytes[0] &= 0x7f;
  std::unique_ptr<BIGNUM, decltype(&BN_free)> const number{
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr), BN_free};
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
}

void set_name(X509* certificate, std::string const& name) {
  auto* const subject = X509_get_subject_name(certificate);
  auto const text = name.substr(0, 64);  // what X.520 allows; browsers look at the alternative names
  X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_UTF8, reinterpret_cast<unsigned char const*>("Cistern"), -1, -1, 0);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<unsigned char const*>(text.c_str()), -1, -1,
                             0);
}

bio_ptr opened(std::filesystem::path const& file) {
  bio_ptr out{BIO_new_file(file.c_str(), "r"), BIO_free_all};
  if (!out) throw std::runtime_error{file.string() + " cannot be read; run `cistern ca remove` and `cistern ca init`"};
  return out;
}

}  // namespace

key_ptr make_key() {
  key_ptr out{EVP_EC_gen("P-256"), EVP_PKEY_free};
  check(out != nullptr, "making a key");
  return out;
}

certificate_ptr make_certificate(certificate_request const& what, key_ptr const& subject_key,
                                 certificate_ptr const& issuer, key_ptr const& issuer_key) {
  certificate_ptr out{X509_new(), X509_free};
  auto* const raw = out.get();
  auto* const signer = issuer ? issuer.get() : raw;
  X509_set_version(raw, 2);
  set_serial(raw);
  auto now = what.now;
  X509_time_adj_ex(X509_getm_notBefore(raw), -1, 0, &now);
  X509_time_adj_ex(X509_getm_notAfter(raw), static_cast<int>(what.days), 0, &now);
  X509_set_pubkey(raw, subject_key.get());
  set_name(raw, what.name);
  X509_set_issuer_name(raw, X509_get_subject_name(signer));
  if (what.is_root || what.is_issuer) {
    extend(raw, signer, NID_basic_constraints, what.is_root ? "critical,CA:TRUE" : "critical,CA:TRUE,pathlen:0");
    extend(raw, signer, NID_key_usage, "critical,keyCertSign,cRLSign");
  } else {
    extend(raw, signer, NID_basic_constraints, "critical,CA:FALSE");
    extend(raw, signer, NID_key_usage, "critical,digitalSignature");
    extend(raw, signer, NID_ext_key_usage, "serverAuth");
  }
  extend(raw, signer, NID_subject_key_identifier, "hash");
  extend(raw, signer, NID_authority_key_identifier, "keyid");
  if (!what.alternative.empty()) extend(raw, signer, NID_subject_alt_name, what.alternative);
  if (!what.constraints.empty()) extend(raw, signer, NID_name_constraints, "critical," + what.constraints);
  check(X509_sign(raw, issuer_key.get(), EVP_sha256()) > 0, "signing");
  return out;
}

bool lasts_until(X509 const* certificate, std::time_t then) {
  return X509_cmp_time(X509_get0_notAfter(certificate), &then) > 0;
}

std::string to_pem(certificate_ptr const& certificate) {
  auto const out = memory();
  check(PEM_write_bio_X509(out.get(), certificate.get()) == 1, "writing PEM");
  return taken(out.get());
}

std::string to_der(certificate_ptr const& certificate) {
  auto const out = memory();
  check(i2d_X509_bio(out.get(), certificate.get()) == 1, "writing DER");
  return taken(out.get());
}

std::string to_p12(certificate_ptr const& certificate) {
  std::unique_ptr<PKCS12, decltype(&PKCS12_free)> const pack{
      PKCS12_create("", "Cistern", nullptr, certificate.get(), nullptr, 0, 0, 0, 0, 0), PKCS12_free};
  auto const out = memory();
  check(pack && i2d_PKCS12_bio(out.get(), pack.get()) == 1, "writing PKCS #12");
  return taken(out.get());
}

std::string fingerprint_of(certificate_ptr const& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  check(X509_digest(certificate.get(), EVP_sha256(), digest.data(), &size) == 1, "a digest");
  std::string out;
  for (unsigned i = 0; i < size; ++i) {
    char text[4];
    std::snprintf(text, sizeof text, "%s%02X", i == 0 ? "" : ":", digest[i]);
    out += text;
  }
  return out;
}

void write_certificate(std::filesystem::path const& file, certificate_ptr const& certificate) {
  auto const next = file.string() + ".new";
  std::ofstream out{next, std::ios::binary | std::ios::trunc};
  out << to_pem(certificate);
  out.close();
  if (!out) throw std::runtime_error{file.string() + " cannot be written; is the disk full?"};
  std::filesystem::rename(next, file);
}

void write_key(std::filesystem::path const& file, key_ptr const& key) {
  auto const out = memory();
  check(PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
        "writing a key");
  auto const text = taken(out.get());
  auto const next = file.string() + ".new";
  ::unlink(next.c_str());
  auto const descriptor = ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool const written = descriptor >= 0 &&
                       ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fsync(descriptor) == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!written) throw std::runtime_error{file.string() + " cannot be written; is the disk full?"};
  std::filesystem::rename(next, file);
}

certificate_ptr read_certificate(std::filesystem::path const& file) {
  auto const in = opened(file);
  certificate_ptr out{PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr), X509_free};
  check(out != nullptr, "reading a certificate");
  return out;
}

key_ptr read_key(std::filesystem::path const& file) {
  auto const in = opened(file);
  key_ptr out{PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
  check(out != nullptr, "reading a key");
  return out;
}

}  // namespace cistern::proxy
