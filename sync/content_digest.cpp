#include "sync/content_digest.hpp"

#include "store/header_block.hpp"

#include <openssl/evp.h>

#include <array>

namespace cistern::sync {
namespace {

EVP_MD const* method(digest_kind kind) {
  switch (kind) {
    case digest_kind::md5:
      return EVP_md5();
    case digest_kind::sha1:
      return EVP_sha1();
    case digest_kind::sha256:
      break;
  }
  return EVP_sha256();
}

}  // namespace

struct digest_check::context {
  EVP_MD_CTX* raw = EVP_MD_CTX_new();
  context() = default;
  context(context const&) = delete;
  context& operator=(context const&) = delete;
  ~context() { EVP_MD_CTX_free(raw); }
};

digest_check::digest_check(content_digest expected)
    : expected_{std::move(expected)}, state_{std::make_unique<context>()} {
  EVP_DigestInit_ex(state_->raw, method(expected_.kind), nullptr);
}

digest_check::~digest_check() = default;

void digest_check::add(std::string_view bytes) { EVP_DigestUpdate(state_->raw, bytes.data(), bytes.size()); }

bool digest_check::matches() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(state_->raw, out.data(), &size) != 1) return false;
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[out[i] >> 4];
    hex += "0123456789abcdef"[out[i] & 15];
  }
  return store::same_token(hex, expected_.hex);
}

}  // namespace cistern::sync
