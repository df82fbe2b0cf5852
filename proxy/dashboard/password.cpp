#include "proxy/dashboard/password.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <vector>

namespace cistern::proxy {
namespace {

constexpr std::uint64_t cost = 15, block = 8, lanes = 1;
constexpr std::size_t salt_bytes = 16, key_bytes = 32;
constexpr std::uint64_t most_memory = 512u << 20;

using bytes = std::vector<unsigned char>;

std::string hex(bytes const& data) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (auto const byte : data) (out += digits[byte >> 4]) += digits[byte & 15];
  return out;
}

std::optional<bytes> from_hex(std::string_view text) {
  bytes out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned byte = 0;
    auto const [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (error != std::errc{} || end != text.data() + i + 2) return std::nullopt;
    out.push_back(static_cast<unsigned char>(byte));
  }
  return text.size() % 2 == 0 ? std::optional{out} : std::nullopt;
}

bytes random_bytes(std::size_t count) {
  bytes out(count);
  if (RAND_bytes(out.data(), static_cast<int>(count)) != 1)
    throw std::runtime_error{"the machine gives no random numbers; try again in a moment"};
  return out;
}

struct recipe {
  std::uint64_t cost = 0, block = 0, lanes = 0;
  bytes salt{}, key{};
};

std::optional<recipe> read(std::string_view hash) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= hash.size() && fields.size() < 7;) {
    auto const end = std::min(hash.size(), hash.find(':', at));
    fields.push_back(hash.substr(at, end - at));
    at = end + 1;
  }
  if (fields.size() != 6 || fields[0] != "scrypt") return std::nullopt;
  recipe out;
  std::array const numbers{&out.cost, &out.block, &out.lanes};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto const text = fields[i + 1];
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), *numbers[i]);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  }
  auto salt = from_hex(fields[4]), key = from_hex(fields[5]);
  bool const sane = salt && key && salt->size() >= 8 && key->size() == key_bytes && out.cost >= 10 && out.cost <= 18 &&
                    out.block >= 1 && out.block <= 16 && out.lanes >= 1 && out.lanes <= 4;
  if (!sane) return std::nullopt;
  out.salt = std::move(*salt);
  out.key = std::move(*key);
  return out;
}

bytes derive(std::string_view password, recipe const& how) {
  bytes key(key_bytes);
  if (EVP_PBE_scrypt(password.data(), password.size(), how.salt.data(), how.salt.size(), 1ull << how.cost, how.block,
                     how.lanes, most_memory, key.data(), key.size()) != 1)
    throw std::runtime_error{"there is not enough memory to check a password"};
  return key;
}

}  // namespace

std::string hash_password(std::string_view password) {
  recipe const how{.cost = cost, .block = block, .lanes = lanes, .salt = random_bytes(salt_bytes)};
  return "scrypt:" + std::to_string(cost) + ':' + std::to_string(block) + ':' + std::to_string(lanes) + ':' +
         hex(how.salt) + ':' + hex(derive(password, how));
}

bool is_password_hash(std::string_view hash) { return read(hash).has_value(); }

bool is_password(std::string_view password, std::string_view hash) {
  auto const how = read(hash);
  if (!how) return false;
  auto const key = derive(password, *how);
  return CRYPTO_memcmp(key.data(), how->key.data(), key.size()) == 0;
}

std::string random_name(std::size_t count) { return hex(random_bytes(count)); }

}  // namespace cistern::proxy
