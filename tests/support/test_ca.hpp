#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

/// A certificate authority made for one test run: nothing secret is ever kept in the tree.
class test_ca {
public:
  test_ca();
  ~test_ca();
  test_ca(test_ca const&) = delete;
  test_ca& operator=(test_ca const&) = delete;

  /// The root as a PEM file, gone with this object.
  [[nodiscard]] std::string const& file() const { return file_; }

  struct leaf {
    std::string names = "DNS:localhost,IP:127.0.0.1";  // subjectAltName
    long not_before = -3600;                           // seconds from now
    long not_after = 3600;
  };
  /// A server's context with a certificate signed by this authority.
  [[nodiscard]] std::shared_ptr<SSL_CTX> server(leaf const& what) const;

private:
  std::shared_ptr<EVP_PKEY> key_;
  std::shared_ptr<X509> root_;
  std::string file_;
};
