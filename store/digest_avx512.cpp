// The same digest once more, a quarter faster than with AVX2; as in digest_avx2.cpp, nothing else may be used here.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace cistern::store {

void hash_avx512(char const* bytes, std::size_t size, std::uint64_t seed, char* sixteen_bytes);

void hash_avx512(char const* bytes, std::size_t size, std::uint64_t seed, char* sixteen_bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(bytes, size, seed));
  __builtin_memcpy(sixteen_bytes, canonical.digest, sizeof canonical.digest);
}

}  // namespace cistern::store
