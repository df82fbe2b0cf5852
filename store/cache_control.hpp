#pragma once

#include "store/header_block.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::store {

/// Cache-Control (RFC 9111 §5.2, RFC 5861, RFC 8246), one line or many, read without allocating.
/// Of a directive that comes twice the first counts (§4.2.1). A lifetime that is not a number counts as 0, "stale",
/// since its author asked for something and we do not know what. Unknown directives are passed over; names have no
/// case; an argument may be a token or a quoted string (§5.2).

struct response_directives {
  std::optional<std::chrono::seconds> max_age;
  std::optional<std::chrono::seconds> s_maxage;
  std::optional<std::chrono::seconds> stale_while_revalidate;
  std::optional<std::chrono::seconds> stale_if_error;
  bool no_store = false;
  bool no_cache = false;          // without field names
  bool no_cache_fields = false;   // no-cache="a, b": those fields must not be sent without validation
  bool private_response = false;  // without field names
  bool private_fields = false;    // private="a, b": those fields are one user's
  bool public_response = false;
  bool must_revalidate = false;
  bool proxy_revalidate = false;
  bool must_understand = false;
  bool no_transform = false;
  bool immutable = false;

  /// Adds the directives of one Cache-Control field line.
  void read(std::string_view value);
};

[[nodiscard]] response_directives read_response_directives(header_block const& fields);

struct request_directives {
  std::optional<std::chrono::seconds> max_age;
  std::optional<std::chrono::seconds> min_fresh;
  std::optional<std::chrono::seconds> max_stale;  // longest_delta when any staleness will do
  std::optional<std::chrono::seconds> stale_if_error;
  bool no_cache = false;
  bool no_store = false;
  bool no_transform = false;
  bool only_if_cached = false;
  bool has_cache_control = false;
  bool pragma_no_cache = false;

  /// Looks at one request field; to be called with each (a proxy need not build a header block for it).
  void note(std::string_view name, std::string_view value);
  /// Pragma speaks only where Cache-Control is silent (RFC 9111 §5.4).
  [[nodiscard]] bool wants_validation() const { return no_cache || (pragma_no_cache && !has_cache_control); }
};

[[nodiscard]] request_directives read_request_directives(header_block const& fields);

/// The field names of every `no-cache="…"` or `private="…"` argument in the fields, as one list: "a, b".
[[nodiscard]] std::string listed_fields(header_block const& fields, std::string_view directive);

}  // namespace cistern::store
