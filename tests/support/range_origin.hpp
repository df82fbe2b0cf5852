#pragma once

#include "tests/support/fake_origin.hpp"

#include <cstdint>
#include <cstdlib>
#include <optional>
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

/// The range that is answered: none when the whole is.
inline std::optional<std::size_t> served_from(seen_request const& request, served_file const& file) {
  auto const if_range = request.field("If-Range");
  bool const current = if_range.empty() || file.fields.find(if_range) != std::string::npos;
  bool const partial = file.ranges && current && !request.field("Range").empty();
  return partial ? std::optional{asked_from(request)} : std::nullopt;
}

/// What comes before the body, where there is one.
inline std::string head_of(seen_request const& request, served_file const& file) {
  auto const from = served_from(request, file);
  auto const size = file.body.size();
  auto head = std::string{from ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n"} + file.fields +
              "Content-Length: " + std::to_string(size - from.value_or(0)) + "\r\n";
  if (from)
    head += "Content-Range: bytes " + std::to_string(*from) + "-" + std::to_string(size - 1) + "/" +
            std::to_string(size) + "\r\n";
  return head + "\r\n";
}

/// An origin that does ranges as it should: If-Range must be among the fields, a range past the end gets 416.
inline void serve_file(fake_exchange& x, served_file const& file) {
  auto const from = served_from(x.request, file);
  if (from && *from >= file.body.size())
    return x.answer(416, file.fields + "Content-Range: bytes */" + std::to_string(file.body.size()) + "\r\n", "");
  auto const part = file.body.substr(from.value_or(0));
  x.send(head_of(x.request, file));
  x.send(part.substr(0, file.cut_after));
  if (file.cut_after < part.size()) x.cut();
}
