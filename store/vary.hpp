#pragma once

#include "store/header_block.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cistern::store {

/// Which of several stored responses a request may get (RFC 9111 §4.1).
///
/// A stored response keeps the names its Vary listed and a key: the selecting fields of the request it answered,
/// normalised. Normalising only joins what has the same meaning: field lines are combined, blanks around commas go; in
/// Accept, Accept-Language, Accept-Encoding and Accept-Charset also case and order within a quality. Give the request
/// as it is sent to the origin: a proxy that sends its own Accept-Encoding has one key for all clients.

/// The names in all Vary fields: lower case, sorted, once each, "a,b"; "*" when any of them is a star; empty without
/// Vary.
[[nodiscard]] std::string vary_names(header_block const& response);

/// The key for those names. Empty for no names; never to be used for "*". An absent field differs from an empty one.
[[nodiscard]] std::string vary_key(std::string_view names, header_block const& request);

struct variant {
  std::string_view names{};             // from vary_names
  std::string_view key{};               // from vary_key
  std::string_view content_language{};  // of the stored response, or empty
  std::chrono::sys_seconds date{};      // of the stored response, or when it was received
};

struct chosen_variant {
  std::size_t index = 0;
  bool matches = true;  // false: taken because the link is down; mark the answer (Cache-Status detail)
};

/// The newest of the variants that match, one with Vary before one without (§4.1). Where the language is all that
/// differs, a variant whose Content-Language is what the request likes best matches too. With `offline` and no match:
/// the newest.
[[nodiscard]] std::optional<chosen_variant> choose_variant(std::span<variant const> stored, header_block const& request,
                                                           bool offline);

/// One field's value in its normal form; `value` has its lines joined by commas.
[[nodiscard]] std::string normal_form(std::string_view name, std::string_view value);

}  // namespace cistern::store
