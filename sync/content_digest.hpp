#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cistern::sync {

enum class digest_kind : std::uint8_t { md5, sha1, sha256 };

/// What a body must hash to, as a feed announced it (Media RSS `hash`: md5 or sha-1). Not a defence against anybody:
/// who writes the feed writes the digest. It tells a damaged or exchanged file.
struct content_digest {
  digest_kind kind = digest_kind::md5;
  std::string hex{};  // any case
};

/// Hashes a body piece by piece. Move-only.
class digest_check {
public:
  explicit digest_check(content_digest expected);
  ~digest_check();
  digest_check(digest_check const&) = delete;
  digest_check& operator=(digest_check const&) = delete;
  void add(std::string_view bytes);
  /// Once, at the end.
  [[nodiscard]] bool matches();

private:
  struct context;
  content_digest expected_;
  std::unique_ptr<context> state_;
};

}  // namespace cistern::sync
