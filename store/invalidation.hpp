#pragma once

#include "store/header_block.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::store {

/// What a write makes invalid (RFC 9111 §4.4).

/// GET, HEAD, OPTIONS, TRACE and the safe methods of the registry; everything else, the unknown too, may change things.
[[nodiscard]] bool is_safe(std::string_view method);

/// The URLs whose stored responses are no longer valid after this exchange: the request's own, and those of Location
/// and Content-Location if they have the same origin (else anyone could empty others' caches). None after an error or a
/// safe method. Absolute, without fragment, as the references spell them.
[[nodiscard]] std::vector<std::string> invalidated_urls(std::string_view method, std::string_view url, unsigned status,
                                                        header_block const& response);

/// `reference` (Location, Content-Location) seen from `base`; nothing when either cannot be read. Fragments are
/// dropped.
[[nodiscard]] std::optional<std::string> resolve_reference(std::string_view base, std::string_view reference);
[[nodiscard]] bool same_origin(std::string_view a, std::string_view b);

/// A POST whose response says that it is what a GET of the same URL would give (RFC 9110 §9.3.3): Content-Location
/// equals the request's URL.
[[nodiscard]] bool answers_get_of(std::string_view url, header_block const& response);

}  // namespace cistern::store
