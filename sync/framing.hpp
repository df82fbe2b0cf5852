#pragma once

#include "store/header_block.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cistern::sync {

/// Why a message's bytes are refused. Each of these lets two parsers disagree about where a message ends, which is how
/// requests are smuggled, so nothing is repaired: a client gets 400, an origin's answer becomes 502, the connection
/// closes.
enum class framing_fault : std::uint8_t {
  none,
  incomplete,  // not a fault: more bytes are needed to judge
  bad_request_line,
  bad_status_line,
  unsupported_version,
  bare_cr,
  bare_lf,
  obs_fold,
  bad_name,  // empty, or with a blank (also before the colon) or another byte that is not a token's
  bad_value,
  bad_content_length,
  conflicting_content_length,
  length_with_coding,
  bad_transfer_encoding,
  missing_host,
  repeated_host,
  bad_host,
  bad_chunk_size,
  bad_chunk_line,
  long_chunk_line,
  bad_trailer,
  long_trailer,
};

/// One line for logs and error pages.
[[nodiscard]] std::string_view describe(framing_fault fault);

/// A message head as it lies in the caller's buffer: all views point there and live as long as it does.
struct head_view {
  std::string_view method;  // requests
  std::string_view target;
  unsigned status{};  // responses
  std::string_view reason;
  unsigned minor{};         // HTTP/1.0 or HTTP/1.1
  std::string_view fields;  // "Name: value\r\n" each, without the empty line: what store::header_block::from_wire takes
  std::size_t size{};       // of the whole head with its empty line (and empty lines before a request)

  std::string_view host;  // requests
  std::optional<std::uint64_t> content_length;
  bool chunked{};
  bool unknown_coding{};  // responses: a Transfer-Encoding that names nothing; the body ends with the connection
  bool close{};           // options of Connection
  bool keep_alive{};
  bool upgrade{};

  /// Walk: `for (auto it = begin(); it != end(); ++it)`, or a range-for over the view itself.
  [[nodiscard]] store::header_block::iterator begin() const { return store::header_block::iterator{fields}; }
  [[nodiscard]] store::header_block::iterator end() const { return store::header_block::iterator{std::string_view{}}; }
  /// The first field of that name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  /// Whether the sender wants the connection kept (RFC 9112 §9.3).
  [[nodiscard]] bool persistent() const { return !close && (minor == 1 || keep_alive); }
};

/// Read and judge a head at the start of `received` in one pass, without allocation. `incomplete` when its end is not
/// there yet; any other fault as soon as it is seen. Only after `none` may `view` be used. Up to two empty lines before
/// a request are skipped (RFC 9112 §2.2). The caller bounds the size of `received`.
[[nodiscard]] framing_fault parse_request_head(std::string_view received, head_view& view);
[[nodiscard]] framing_fault parse_response_head(std::string_view received, head_view& view);

/// Where a head ends (behind its empty line), looking at what came since `from` only, or 0. For peers that drip: parse
/// once, and after `incomplete` parse again only when this finds an end, so that the work stays linear. It also stops
/// at
/// "\n\n", which the parser then refuses.
[[nodiscard]] std::size_t find_head_end(std::string_view received, std::size_t from = 0);

}  // namespace cistern::sync
