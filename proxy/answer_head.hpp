#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/asked.hpp"
#include "store/cache_status.hpp"
#include "store/header_block.hpp"

namespace cistern::proxy {

/// What is decided about an answer's head beside its own fields.
struct answer_frame {
  unsigned status = 200;
  std::optional<std::uint64_t> content_length{};  // nothing: chunked, or until the connection ends for HTTP/1.0
  bool has_body = true;                           // false for 304 and 204: no framing fields at all
  bool keep = true;
  bool one_dot_zero = false;
  std::optional<std::chrono::seconds> age{};  // nothing: fields' own Age passes
  store::cache_status cache{};
};

/// Appends status line, `fields` (without those that frame, and without Age when we know better), and what we add, up
/// to and with the empty line. `extra` is lines of our own, each with its line end.
void write_head(std::string& out, answer_frame const& frame, store::header_block const& fields,
                std::string_view extra = {});

/// "404 Not Found"; the number alone for codes without a name.
[[nodiscard]] std::string_view reason_of(unsigned status);

/// A piece of body in the chunked coding (RFC 9112 §7.1); an empty one is the end.
[[nodiscard]] std::string frame_chunk(std::string_view bytes);

/// A whole small answer of our own. `type` is its Content-Type.
void write_own(std::string& head, std::string& body, unsigned status, std::string_view type, std::string text,
               bool keep, bool head_only, std::string_view extra = {});

}  // namespace cistern::proxy
