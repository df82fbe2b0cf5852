#include "stitch/feed/json_mender.hpp"

#include <charconv>
#include <utility>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

}  // namespace

void json_mender::push(string_view utf8, string& out) {
  out.reserve(out.size() + utf8.size());
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    if (spot_ != spot::text) {
      outside(utf8[at]);
      out += utf8[at];
      continue;
    }
    // Nearly all of a string means itself.
    auto end = at;
    if (escape_.empty() && half_.empty())
      while (end < utf8.size() && utf8[end] != '"' && utf8[end] != '\\' && !is_control(utf8[end])) ++end;
    out.append(utf8, at, end - at);
    at = end;
    if (at < utf8.size()) in_text(utf8[at], out);
  }
}

void json_mender::outside(char c) {
  switch (spot_) {
    case spot::slash:
      spot_ = c == '/' ? spot::line_comment : c == '*' ? spot::block_comment : spot::outside;
      break;
    case spot::line_comment:
      if (c == '\n') spot_ = spot::outside;
      break;
    case spot::block_comment:
      if (c == '*') spot_ = spot::star;
      break;
    case spot::star:
      spot_ = c == '/' ? spot::outside : c == '*' ? spot::star : spot::block_comment;
      break;
    default:
      if (c == '/') spot_ = spot::slash;
      if (c == '"') spot_ = spot::text;
  }
}

void json_mender::in_text(char c, string& out) {
  if (!escape_.empty()) return in_escape(c, out);
  if (c == '\\') return void(escape_ = c);
  drop_half(out);
  if (is_control(c)) {
    ++repairs_;
    if (c == '\n' || c == '\r' || c == '\t') out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    return;
  }
  out += c;
  if (c == '"') spot_ = spot::outside;
}

void json_mender::in_escape(char c, string& out) {
  bool const unicode = escape_.size() > 1;
  if (unicode ? is_hex(c) : c == 'u') {
    escape_ += c;
    if (escape_.size() == 6) end_unicode(out);
    return;
  }
  drop_half(out);
  auto const begun = std::exchange(escape_, {});
  if (!unicode && string_view{"\"\\/bfnrt"}.find(c) != string_view::npos) {
    if (c == 'b' || c == 'f')
      ++repairs_;  // no character of a text
    else
      (out += '\\') += c;
    return;
  }
  ++repairs_;  // an escape that JSON has not: what follows the backslash is meant
  out.append(begun, 1);
  in_text(c, out);
}

void json_mender::end_unicode(string& out) {
  unsigned code = 0;
  std::from_chars(escape_.data() + 2, escape_.data() + 6, code, 16);
  auto whole = std::exchange(escape_, {});
  bool const low = code >= 0xdc00 && code <= 0xdfff;
  if (low && !half_.empty()) {
    out += std::exchange(half_, {});
    out += whole;
    return;
  }
  drop_half(out);
  if (code >= 0xd800 && code <= 0xdbff) {
    half_ = std::move(whole);
  } else if (low) {
    ++repairs_;
    out += "\\ufffd";
  } else if ((code < 0x20 && code != 9 && code != 10 && code != 13) || code >= 0xfffe) {
    ++repairs_;
  } else {
    out += whole;
  }
}

void json_mender::drop_half(string& out) {
  if (half_.empty()) return;
  half_.clear();
  ++repairs_;
  out += "\\ufffd";
}

}  // namespace cistern::stitch::feed
