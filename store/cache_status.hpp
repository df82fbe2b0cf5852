#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::store {

/// Cache-Status (RFC 9211): what this cache did, for people and for tests. `cistern; hit; ttl=-5400; detail=offline`
struct cache_status {
  enum class forward { none, bypass, method, uri_miss, vary_miss, miss, request, stale, partial };

  bool hit = false;             // answered without the origin (then `fwd` is none)
  forward fwd = forward::none;  // why it went to the origin
  int fwd_status = 0;           // what the origin said, where that differs from the answer's status
  std::optional<std::chrono::seconds> ttl{};
  bool stored = false;
  bool collapsed = false;     // shared another request's fetch
  std::string_view detail{};  // a token, or else it is sent as a string
};

/// Appends this cache's member. To keep what caches further inward said, send theirs first: "theirs, ours".
void append_cache_status(std::string& out, cache_status const& status);
[[nodiscard]] std::string render(cache_status const& status);

}  // namespace cistern::store
