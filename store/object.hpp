#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "store/digest.hpp"
#include "store/header_block.hpp"

namespace cistern::store {

/// What an object is for; eviction weighs it.
enum class object_kind : std::uint8_t { other, page, requisite, feed, homepage, enclosure, derived };

/// Who wants it kept: nobody in particular, a live subscription, a person. Only the first may be evicted.
enum class retention : std::uint8_t { evictable, needed, pinned };

/// A response as it is to be kept: everything but the body.
struct object_head {
  std::string url{};  // any spelling; kept normalised
  int status = 200;
  header_block headers{};    // end-to-end fields, in the origin's order
  header_block selecting{};  // the request's fields that Vary names, with the values they had
  std::chrono::sys_seconds requested{};
  std::chrono::sys_seconds responded{};
  object_kind kind = object_kind::other;
  retention keep = retention::evictable;
  std::optional<std::uint64_t> expected_size{};  // what the origin announced, for a body that is still arriving
  std::uint32_t versions = 1;                    // how many complete dated versions of this URL and variant to keep
};

/// Names one stored response: digest of its URL, and a number that grows with every object ever stored.
struct object_ref {
  digest url{};
  std::uint64_t id = 0;
  bool operator==(object_ref const&) const = default;
};

/// A response in the repository. A value: it owns its strings and outlives the transaction it came from.
struct stored_object : object_head {
  object_ref ref{};
  std::uint64_t body = 0;  // names the bytes, which objects with equal ones share; 0 when they lie with the object
  std::uint64_t size = 0;  // bytes that are stored and durable
  bool complete = false;   // a stored fact, never derived from sizes
  digest content{};        // of a complete body
  bool invalidated =
      false;  // a write to its URL went through us (RFC 9111 §4.4): to be validated before it is used again
};

}  // namespace cistern::store
