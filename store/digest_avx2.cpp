// The same digest, twice as fast where the processor can: the digest of its body is the largest part of a hit.
// Compiled for AVX2 and called only after a look at the processor, so nothing else that might be shared with other
// files (standard containers and the like) may be used here.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace cistern::store {

void hash_avx2(char const* bytes, std::size_t size, std::uint64_t seed, char* sixteen_bytes);

void hash_avx2(char const* bytes, std::size_t size, std::uint64_t seed, char* sixteen_bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(bytes, size, seed));
  __builtin_memcpy(sixteen_bytes, canonical.digest, sizeof canonical.digest);
}

}  // namespace cistern::store
