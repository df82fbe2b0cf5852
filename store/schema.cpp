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

object_record read_object(std::string_view key, std::string_view value) {
  auto record = decode<object_record>(value);
  record.object.ref = ref_of_key(key);
  return record;
}

}  // namespace cistern::store
