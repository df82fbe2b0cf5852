#include "store/digest.hpp"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cistern::store {

#ifdef CISTERN_AVX2
void hash_avx2(char const* bytes, std::size_t size, std::uint64_t seed, char* sixteen_bytes);    // digest_avx2.cpp
void hash_avx512(char const* bytes, std::size_t size, std::uint64_t seed, char* sixteen_bytes);  // digest_avx512.cpp
#endif

digest digest::from(std::string_view sixteen_bytes) {
  digest out;
  if (sixteen_bytes.size() >= out.bytes.size()) {  // always, but for what is damaged; and then a single move
    std::memcpy(out.bytes.data(), sixteen_bytes.data(), out.bytes.size());
  } else {
    std::copy(sixteen_bytes.begin(), sixteen_bytes.end(), out.bytes.begin());
  }
  return out;
}

namespace {

void hash_plain(char const* bytes, std::size_t size, std::uint64_t seed, char* sixteen_bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(bytes, size, seed));
  std::memcpy(sixteen_bytes, canonical.digest, sizeof canonical.digest);
}

using hash_function = void (*)(char const*, std::size_t, std::uint64_t, char*);

hash_function choose_hash() {
#ifdef CISTERN_AVX2
  // Processors before those with VBMI2 slow down their clock for such wide multiplications.
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2")) return hash_avx512;
  if (__builtin_cpu_supports("avx2")) return hash_avx2;
#endif
  return hash_plain;
}

hash_function const hash = choose_hash();

}  // namespace

digest digest_of(std::string_view bytes, std::uint64_t seed) {
  digest out;
  hash(bytes.data(), bytes.size(), seed, out.bytes.data());
  return out;
}

}  // namespace cistern::store
