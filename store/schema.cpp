#include "store/schema.hpp"

#include <bit>

namespace cistern::store {

std::string object_key(object_ref const& ref) {
  std::string key{ref.url.view()};
  append_key(key, ~ref.id);
  return key;
}

object_ref ref_of_key(std::string_view key) {
  if (key.size() != 24) throw bad_record{"an object's key has the wrong length"};
  return {digest::from(key.substr(0, 16)), ~key_number(key.substr(16))};
}

std::string number_key(std::uint64_t number) {
  std::string key;
  append_key(key, number);
  return key;
}

std::string chunk_key(std::uint64_t body, std::uint64_t index) {
  std::string key;
  key.reserve(12);
  append_key(key, body);
  append_key(key, static_cast<std::uint32_t>(index));
  return key;
}

std::string evictable_key(double priority, std::uint64_t id) {
  std::string key;
  append_key(key, std::bit_cast<std::uint64_t>(priority));  // not negative, so its bits sort as it does
  append_key(key, id);
  return key;
}

digest fold_chunk(digest const& so_far, digest const& chunk, std::uint64_t seed) {
  std::string both{so_far.view()};
  both += chunk.view();
  return digest_of(both, seed);
}

digest seal_content(digest const& fold, std::uint64_t size, std::uint64_t seed) {
  std::string text{fold.view()};
  append_key(text, size);
  return digest_of(text, seed);
}

digest content_of_one(digest const& check, std::uint64_t size, std::uint64_t seed) {
  return seal_content(fold_chunk({}, check, seed), size, seed);
}

bool fits_inside(object_head const& head, std::size_t size) {
  constexpr std::size_t other_fields = 160;  // numbers and digests, none of which is longer than ten or sixteen bytes
  return head.url.size() + head.headers.wire().size() + head.selecting.wire().size() + other_fields + size <=
         chunk_value;
}

bool sound_inside(object_record const& record, std::uint64_t seed) {
  return record.bytes.size() == record.object.size && digest_of(record.bytes, seed) == record.check;
}

object_record read_object(std::string_view key, std::string_view value) {
  object_record record;
  read_object(key, value, record);
  return record;
}

void read_object(std::string_view key, std::string_view value, object_record& out) {
  out.object.invalidated = false;  // this and what follows is missing in older records
  out.check = {};
  out.bytes = {};
  decode_into(out, value);
  out.object.ref = ref_of_key(key);
}

}  // namespace cistern::store
