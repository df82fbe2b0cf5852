#pragma once

#include "store/repository.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace cistern::sync {

/// A stored body as its author wrote it, content coding taken off; nothing when it cannot be unpacked within bounds.
[[nodiscard]] std::optional<std::string> plain_body(store::repository& kept, store::stored_object const& object,
                                                    std::uint64_t largest);

}  // namespace cistern::sync
