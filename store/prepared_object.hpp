#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/object.hpp"

namespace cistern::store {

/// A whole response made ready for one repository: its URL normalised, its body hashed, its record encoded. That is
/// done where it comes from, so that the one thread that writes, which everybody waits for, only files it. A value.
struct prepared_object {
  stored_object object{};        // as it will be stored, but for its number
  std::vector<digest> checks{};  // of the chunks of its body
  std::string record{};          // encoded, with the body as its end, when that fits
  std::string rest{};            // a body that does not

  [[nodiscard]] std::string_view body() const& {
    return record.empty() ? std::string_view{rest} : std::string_view{record}.substr(record.size() - object.size);
  }
  std::string_view body() const&& = delete;
};

/// Leaves `rest` empty: whoever has the body keeps it as long as it is needed. `seed` is the repository's.
[[nodiscard]] prepared_object prepare_object(object_head head, std::string_view body, std::uint64_t seed);

}  // namespace cistern::store
