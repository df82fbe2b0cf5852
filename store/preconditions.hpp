#pragma once

#include "store/header_block.hpp"

#include <chrono>
#include <string_view>

namespace cistern::store {

/// The client's own conditions, checked against a stored response (RFC 9110 §13.2, RFC 9111 §4.3.2).

enum class precondition {
  send,          // no condition, or it holds: the whole response, or the range if that is asked for
  not_modified,  // 304
  failed,        // 412
};

/// What conditions there are; noted field by field, so that a proxy need not build a header block to find none.
struct client_conditions {
  std::string_view if_match;
  std::string_view if_none_match;  // first line; see `more_lines`
  std::string_view if_modified_since;
  std::string_view if_unmodified_since;
  std::string_view if_range;
  std::string_view range;
  bool more_lines = false;  // If-Match or If-None-Match came in several lines: join them first (header_block::joined)

  void note(std::string_view name, std::string_view value);
  /// Conditions that only the origin can judge (§4.3.2): forward while the link is up.
  [[nodiscard]] bool for_the_origin() const { return !if_match.empty() || !if_unmodified_since.empty(); }
  [[nodiscard]] bool any() const { return for_the_origin() || !if_none_match.empty() || !if_modified_since.empty(); }
};
/// Views into the request, which must live as long.
[[nodiscard]] client_conditions read_conditions(header_block const& request);
client_conditions read_conditions(header_block const&& request) = delete;

/// In the order of §13.2.2. Only a stored 200 or 206 is measured; other stored answers are sent as they are. Where
/// Last-Modified is missing, Date and then `received` stand in for it (RFC 9111 §4.3.2).
[[nodiscard]] precondition check(client_conditions const& asked, std::string_view method, unsigned stored_status,
                                 header_block const& stored, std::chrono::sys_seconds received);

/// Does the Range count (RFC 9110 §13.1.5)? Without If-Range yes; else only for the same strong tag, or a Last-Modified
/// that is exactly the same and at least a second older than Date, which makes it strong (§8.8.2.2).
[[nodiscard]] bool range_applies(client_conditions const& asked, header_block const& stored,
                                 std::chrono::sys_seconds received);

/// The fields of a 304 made from a stored response: no Content-Length, Content-Type or other fields that describe the
/// body, but those §15.4.5 names, and everything that updates metadata.
[[nodiscard]] header_block fields_of_not_modified(header_block const& stored);

}  // namespace cistern::store
