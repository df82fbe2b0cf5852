#include "store/digest.hpp"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cistern::store {

digest digest::from(std::string_view sixteen_bytes) {
  digest out;
  std::copy_n(sixteen_bytes.begin(), std::min(out.bytes.size(), sixteen_bytes.size()), out.bytes.begin());
  return out;
}

digest digest_of(std::string_view bytes, std::uint64_t seed) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed));
  digest out;
  std::memcpy(out.bytes.data(), canonical.digest, out.bytes.size());
  return out;
}

}  // namespace cistern::store
