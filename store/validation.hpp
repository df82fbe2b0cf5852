#pragma once

#include "store/header_block.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cistern::store {

/// Asking the origin whether a stored response still holds, and what its answer means (RFC 9111 §4.3, §3.2).

/// Entity tags (RFC 9110 §8.8.3.2). Views are of the whole tag, W/ and quotes included. Tags that lack their quotes,
/// which exist, equal only their own like.
[[nodiscard]] bool strong_match(std::string_view a, std::string_view b);
[[nodiscard]] bool weak_match(std::string_view a, std::string_view b);
[[nodiscard]] bool is_weak_tag(std::string_view tag);

/// Puts If-None-Match (the tags of every stored response that could answer) and If-Modified-Since (of the one to be
/// used) into a request that had its own conditions taken off. False when there is no validator: ask without.
bool add_validators(header_block& request, std::span<header_block const* const> stored);
/// Takes away what only concerns the client's own copy: If-None-Match, If-Modified-Since, If-Range and Range.
void remove_conditions(header_block& request);

enum class validation_result {
  freshen,      // 304 for this stored response: update it and use it
  mismatch,     // 304 for something else: it says nothing about this one; ask again without conditions
  replace,      // a full answer: it takes the stored one's place, if it may be stored
  origin_error  // treat as no answer: see may_serve_on_error
};
/// `stored` is the response that was validated; `asked_for_one` when only its validators were sent.
[[nodiscard]] validation_result interpret(unsigned status, header_block const& answer, header_block const& stored,
                                          bool asked_for_one);

/// The stored fields after a 304, or a HEAD's 200, brought news (§3.2). Never changes what describes the stored bytes
/// (Content-Length, Content-Encoding, Content-Range, Transfer-Encoding, Vary), nor takes hop-by-hop fields or
/// Set-Cookie.
[[nodiscard]] header_block update_stored(header_block const& stored, header_block const& news,
                                         std::chrono::sys_seconds received);

/// What a 200 to a HEAD does to a stored GET (§4.3.5).
enum class head_effect { update, make_stale };
[[nodiscard]] head_effect effect_of_head(header_block const& head_answer, header_block const& stored);

}  // namespace cistern::store
