#include "store/cache_status.hpp"

#include "store/field_list.hpp"

#include <charconv>

namespace cistern::store {
namespace {

std::string_view token(cache_status::forward why) {
  switch (why) {
    case cache_status::forward::none:
      return {};
    case cache_status::forward::bypass:
      return "bypass";
    case cache_status::forward::method:
      return "method";
    case cache_status::forward::uri_miss:
      return "uri-miss";
    case cache_status::forward::vary_miss:
      return "vary-miss";
    case cache_status::forward::miss:
      return "miss";
    case cache_status::forward::request:
      return "request";
    case cache_status::forward::stale:
      return "stale";
    case cache_status::forward::partial:
      return "partial";
  }
  return {};
}

void append_number(std::string& out, std::int64_t value) {
  char digits[24];
  auto const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

/// Structured Fields (RFC 8941): a token starts with a letter; else a string, in which only ASCII may stand.
void append_token_or_string(std::string& out, std::string_view text) {
  bool const letter = !text.empty() && ((text[0] | 0x20) >= 'a') && ((text[0] | 0x20) <= 'z');
  if (letter && is_token(text)) {
    out += text;
    return;
  }
  out += '"';
  for (char const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= 0x20 && c < 0x7f ? c : '?';
  }
  out += '"';
}

}  // namespace

void append_cache_status(std::string& out, cache_status const& status) {
  out += "cistern";
  if (status.hit) out += "; hit";
  if (!status.hit && status.fwd != cache_status::forward::none) (out += "; fwd=") += token(status.fwd);
  if (status.fwd_status != 0) append_number(out += "; fwd-status=", status.fwd_status);
  if (status.ttl) append_number(out += "; ttl=", status.ttl->count());
  if (status.stored) out += "; stored";
  if (status.collapsed) out += "; collapsed";
  if (!status.detail.empty()) append_token_or_string(out += "; detail=", status.detail);
}

std::string render(cache_status const& status) {
  std::string out;
  append_cache_status(out, status);
  return out;
}

}  // namespace cistern::store
