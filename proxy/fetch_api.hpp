#pragma once

#include <string>
#include <string_view>

#include "sync/fetcher.hpp"

namespace cistern::proxy {

/// `/api/v1/fetch?url=…`, which `cistern fetch` uses: POST wants a file, GET says how far it is, DELETE leaves it.
/// Answers {"state": "fetching|waiting|complete|failed|none", "have", "total", "why", "next_try_ms", "final_url",
/// "attempts"}. For clients on this machine: what is fetched so may be on its private networks.
struct fetch_reply {
  unsigned status = 200;
  std::string json{};
};
[[nodiscard]] fetch_reply answer_fetch(sync::fetcher& desk, std::string_view method, std::string_view target);

}  // namespace cistern::proxy
