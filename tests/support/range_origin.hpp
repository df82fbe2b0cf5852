#pragma once

#include "tests/support/fake_origin.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

/// How an origin serves one file to one request.
struct served_file {
  std::string_view body{};
  std::string fields{};              // validators and the like, lines with their ends
  std::size_t cut_after = SIZE_MAX;  // bytes of body, then the connection breaks
  bool ranges = true;
};

/// The first byte that is asked for; 0 without Range.
inline std::size_t asked_from(seen_request const& request) {
  auto const range = request.field("Range");
  return range.starts_with("bytes=") ? static_cast<std::size_t>(std::strtoull(range.c_str() + 6, nullptr, 10)) : 0;
}

/// An origin that does ranges as it should: If-Range must be among the fields, a range past the end gets 416.
inline void serve_file(fake_exchange& x, served_file const& file) {
  auto const if_range = x.request.field("If-Range");
  bool const current = if_range.empty() || file.fields.find(if_range) != std::string::npos;
  bool const partial = file.ranges && current && !x.request.field("Range").empty();
  auto const from = partial ? asked_from(x.request) : 0;
  auto const size = std::to_string(file.body.size());
  if (from >= file.body.size() && partial)
    return x.answer(416, file.fields + "Content-Range: bytes */" + size + "\r\n", "");
  auto const part = file.body.substr(from);
  std::string head = partial ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n";
  head += file.fields + "Content-Length: " + std::to_string(part.size()) + "\r\n";
  if (partial)
    head += "Content-Range: bytes " + std::to_string(from) + "-" + std::to_string(file.body.size() - 1) + "/" + size +
            "\r\n";
  x.send(head + "\r\n");
  x.send(part.substr(0, file.cut_after));
  if (file.cut_after < part.size()) x.cut();
}
