#include "proxy/authority.hpp"

#include "tests/support/temp_dir.hpp"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <fstream>

using namespace cistern;

namespace {

std::shared_ptr<X509> from_pem(std::string const& text) {
  std::unique_ptr<BIO, decltype(&BIO_free_all)> const in{BIO_new_mem_buf(text.data(), int(text.size())), BIO_free_all};
  return {PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr), X509_free};
}

/// What OpenSSL's verifier says of the certificate that a context shows, for that host.
long verdict(proxy::authority const& ca, SSL_CTX* context, std::string const& host) {
  std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> const trusted{X509_STORE_new(), X509_STORE_free};
  auto const root = from_pem(ca.root_pem());
  X509_STORE_add_cert(trusted.get(), root.get());
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(context, &chain);
  std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> const check{X509_STORE_CTX_new(),
                                                                              X509_STORE_CTX_free};
  X509_STORE_CTX_init(check.get(), trusted.get(), SSL_CTX_get0_certificate(context), chain);
  X509_STORE_CTX_set_purpose(check.get(), X509_PURPOSE_SSL_SERVER);
  auto* const wanted = X509_STORE_CTX_get0_param(check.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) != 1)
    X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size());
  return X509_verify_cert(check.get()) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(check.get());
}

std::string contents(std::filesystem::path const& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("a carried host's certificate is made on the spot and verifies", "[proxy]") {
  tests::temp_dir const folder;
  proxy::authority::create(folder.path() / "ca", {"a.test", "10.1.2.3", "2001:db8::1"});
  proxy::authority ca{folder.path() / "ca"};
  for (std::string const host : {"a.test", "10.1.2.3", "2001:db8::1"}) {
    INFO(host);
    auto const context = ca.context_for(host);
    REQUIRE(context);
    CHECK(verdict(ca, context.get(), host) == X509_V_OK);
    CHECK(verdict(ca, context.get(), "other.test") != X509_V_OK);
    CHECK(ca.context_for(host) == context);
  }
}

TEST_CASE("a name outside the constraints is refused by OpenSSL's verifier, whoever signs it", "[proxy]") {
  tests::temp_dir const folder;
  auto const path = folder.path() / "ca";
  proxy::authority::create(path, {"a.test"});
  proxy::authority honest{path};
  CHECK(honest.context_for("b.test") == nullptr);
  CHECK_FALSE(honest.covers("b.test"));
  // A thief with the intermediate's key signs what he likes: the same files, but a list that was tampered with.
  std::ofstream{path / "hosts", std::ios::app} << "b.test\n10.0.0.1\n";
  proxy::authority thief{path};
  auto const forged = thief.context_for("b.test");
  REQUIRE(forged);
  CHECK(verdict(thief, forged.get(), "b.test") == X509_V_ERR_PERMITTED_VIOLATION);
  CHECK(verdict(thief, thief.context_for("10.0.0.1").get(), "10.0.0.1") == X509_V_ERR_EXCLUDED_VIOLATION);
}

TEST_CASE("with no site carried the intermediate is good for nothing", "[proxy]") {
  tests::temp_dir const folder;
  auto const path = folder.path() / "ca";
  proxy::authority::create(path, {});
  std::ofstream{path / "hosts"} << "a.test\n";
  proxy::authority ca{path};
  CHECK(verdict(ca, ca.context_for("a.test").get(), "a.test") == X509_V_ERR_PERMITTED_VIOLATION);
}

TEST_CASE("a certificate lives shorter than browsers demand, with a key of theirs", "[proxy]") {
  tests::temp_dir const folder;
  proxy::authority::create(folder.path() / "ca", {"a.test"});
  proxy::authority ca{folder.path() / "ca"};
  auto const* const leaf = SSL_CTX_get0_certificate(ca.context_for("a.test").get());
  int days = 0, seconds = 0;
  ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(leaf), X509_get0_notAfter(leaf));
  CHECK(days < 398);
  CHECK(EVP_PKEY_get_base_id(X509_get0_pubkey(leaf)) == EVP_PKEY_EC);
  CHECK(X509_get_ext_by_NID(leaf, NID_subject_alt_name, -1) >= 0);
}

TEST_CASE("certificates are made anew in good time, the intermediate too", "[proxy]") {
  tests::temp_dir const folder;
  auto const path = folder.path() / "ca";
  constexpr std::time_t day = 86'400;
  auto const start = std::time(nullptr);
  auto now = start;
  proxy::authority::create(path, {"a.test"}, start);
  proxy::authority ca{path, [&now] { return now; }};
  auto const ends = [&](X509 const* certificate) {
    int days = 0, seconds = 0;
    std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> const from{ASN1_TIME_set(nullptr, start), ASN1_TIME_free};
    ASN1_TIME_diff(&days, &seconds, from.get(), X509_get0_notAfter(certificate));
    return days;
  };
  auto const first = ca.context_for("a.test");
  now = start + 40 * day;
  CHECK(ca.context_for("a.test") == first);
  now = start + 50 * day;
  auto const second = ca.context_for("a.test");
  CHECK(second != first);
  CHECK(ends(SSL_CTX_get0_certificate(second.get())) > 100);

  auto const issuer = contents(path / "issuer.pem");
  CHECK(ca.renew({"a.test"}));
  CHECK(contents(path / "issuer.pem") == issuer);
  now = start + 800 * day;  // of 825
  CHECK(ca.renew({"a.test"}));
  CHECK(contents(path / "issuer.pem") != issuer);
  CHECK(ends(from_pem(contents(path / "issuer.pem")).get()) > 1'500);
}

TEST_CASE("the root's key can be kept elsewhere and be brought for a change", "[proxy]") {
  tests::temp_dir const folder;
  auto const path = folder.path() / "ca";
  proxy::authority::create(path, {"a.test"});
  std::filesystem::rename(path / "root.key", folder.path() / "in the drawer");
  proxy::authority ca{path};
  CHECK_FALSE(ca.has_root_key());
  CHECK(verdict(ca, ca.context_for("a.test").get(), "a.test") == X509_V_OK);
  CHECK_FALSE(ca.renew({"a.test", "b.test"}));
  std::filesystem::rename(folder.path() / "in the drawer", path / "root.key");
  CHECK(ca.renew({"a.test", "b.test"}));
  CHECK(verdict(ca, ca.context_for("b.test").get(), "b.test") == X509_V_OK);
}

TEST_CASE("constraints follow the carried sites while the root's key is there", "[proxy]") {
  tests::temp_dir const folder;
  auto const path = folder.path() / "ca";
  proxy::authority::create(path, {"a.test"});
  proxy::authority ca{path};
  CHECK(ca.renew({"a.test", "b.test"}));
  CHECK(verdict(ca, ca.context_for("b.test").get(), "b.test") == X509_V_OK);
  std::filesystem::remove(path / "root.key");
  CHECK(ca.renew({"a.test", "b.test"}));  // nothing to do
  CHECK_FALSE(ca.renew({"c.test"}));
  CHECK_FALSE(ca.covers("c.test"));
  CHECK(ca.covers("b.test"));
}

TEST_CASE("keys are for their owner's eyes and are never given out", "[proxy]") {
  tests::temp_dir const folder;
  auto const path = folder.path() / "ca";
  proxy::authority::create(path, {"a.test"});
  for (auto const* key : {"root.key", "issuer.key"}) {
    struct stat facts {};
    REQUIRE(::stat((path / key).c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0600);
  }
  proxy::authority const ca{path};
  CHECK(ca.root_pem().find("PRIVATE") == std::string::npos);
  CHECK(ca.root_pem() == contents(path / "root.pem"));
  CHECK(ca.root_der().size() > 200);
  CHECK(ca.root_p12().size() > 200);
  CHECK(ca.fingerprint().size() == 95);
}

TEST_CASE("an authority is not made over another, and leaves nothing behind", "[proxy]") {
  tests::temp_dir const folder;
  auto const path = folder.path() / "ca";
  proxy::authority::create(path, {});
  CHECK_THROWS_WITH(proxy::authority::create(path, {}), Catch::Contains("ca remove"));
  CHECK(proxy::authority::remove(path));
  CHECK_FALSE(proxy::authority::exists(path));
  CHECK_FALSE(proxy::authority::remove(path));
  CHECK(std::filesystem::is_empty(path));
}

TEST_CASE("a host that was refused is left alone", "[proxy]") {
  tests::temp_dir const folder;
  proxy::authority::create(folder.path() / "ca", {"a.test"});
  proxy::authority ca{folder.path() / "ca"};
  CHECK_FALSE(ca.is_refused("a.test"));
  ca.note_refusal("a.test");
  CHECK(ca.is_refused("a.test"));
  CHECK(ca.refused() == std::vector<std::string>{"a.test"});
}
