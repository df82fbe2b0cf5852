#include "sync/plain_body.hpp"

#include "sync/decode.hpp"

namespace cistern::sync {

std::optional<std::string> plain_body(store::repository& kept, store::stored_object const& object,
                                      std::uint64_t largest) {
  if (object.size > largest) return std::nullopt;
  auto body = kept.read_body(object);
  if (!body) return std::nullopt;
  auto const named = object.headers.find("Content-Encoding");
  auto const packed = coding_of(named.value_or(""));
  if (!packed) return std::nullopt;
  if (*packed == coding::identity) return std::move(*body);
  auto plain = decode_all(*packed, *body, {.max_size = largest});
  return plain ? std::optional{std::move(*plain)} : std::nullopt;
}

}  // namespace cistern::sync
