#include "sync/framing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace cistern::sync {
namespace {

using store::same_token;

enum : std::uint8_t { in_token = 1, in_target = 2, in_host = 4 };

constexpr auto make_byte_classes() {
  std::array<std::uint8_t, 256> classes{};
  auto const add = [&](unsigned from, unsigned to, std::uint8_t what) {
    for (auto c = from; c <= to; ++c) classes[c] |= what;
  };
  add('0', '9', in_token);
  add('a', 'z', in_token);
  add('A', 'Z', in_token);
  for (char const c : {'!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~'})
    classes[static_cast<unsigned char>(c)] |= in_token;
  add(0x21, 0x7e, in_target | in_host);
  add(0x80, 0xff, in_target);
  for (char const c : {'/', '\\', '?', '#', '@', ',', '<', '>', '"', '{', '}', '|', '^', '`'})
    classes[static_cast<unsigned char>(c)] &= static_cast<std::uint8_t>(~in_host);
  return classes;
}
constexpr auto byte_classes = make_byte_classes();

bool is(std::uint8_t what, char c) { return (byte_classes[static_cast<unsigned char>(c)] & what) != 0; }
bool blank(char c) { return c == ' ' || c == '\t'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// The first control byte in [p, end), eight bytes at a time: values are most of a head.
char const* find_control(char const* p, char const* end) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t ones = 0x0101010101010101, highs = ones * 0x80;
    while (end - p >= 8) {
      std::uint64_t x;
      std::memcpy(&x, p, 8);
      auto const y = x ^ (ones * 0x7f);
      auto const hit = (((x - ones * 0x20) & ~x) | ((y - ones) & ~y)) & highs;
      if (hit != 0) return p + std::countr_zero(hit) / 8;
      p += 8;
    }
  }
  while (p != end && !control(*p)) ++p;
  return p;
}

/// What is wrong (or missing) where a line end had to be.
framing_fault line_end_fault(char const* p, char const* end, framing_fault otherwise) {
  if (p == end) return framing_fault::incomplete;
  if (*p == '\n') return framing_fault::bare_lf;
  if (*p != '\r') return otherwise;
  return p + 1 == end ? framing_fault::incomplete : framing_fault::bare_cr;
}

bool at_line_end(char const* p, char const* end) { return end - p >= 2 && p[0] == '\r' && p[1] == '\n'; }

std::string_view text(char const* from, char const* to) { return {from, static_cast<std::size_t>(to - from)}; }

/// Takes the next element off a comma-separated list, without its blanks.
std::string_view take_element(std::string_view& list) {
  auto const comma = list.find(',');
  auto element = list.substr(0, comma);
  list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  while (!element.empty() && blank(element.front())) element.remove_prefix(1);
  while (!element.empty() && blank(element.back())) element.remove_suffix(1);
  return element;
}

/// RFC 9110 §8.6: the same number again is one number; everything else is a lie about the length.
framing_fault read_content_length(std::string_view value, head_view& view) {
  if (value.empty() || value.back() == ',') return framing_fault::bad_content_length;
  while (!value.empty()) {
    auto const element = take_element(value);
    if (element.empty()) return framing_fault::bad_content_length;
    std::uint64_t number = 0;
    for (char const c : element) {
      auto const next = static_cast<unsigned>(c - '0');
      if (!digit(c) || number > (static_cast<std::uint64_t>(INT64_MAX) - next) / 10)
        return framing_fault::bad_content_length;
      number = number * 10 + next;
    }
    if (view.content_length && *view.content_length != number) return framing_fault::conflicting_content_length;
    view.content_length = number;
  }
  return framing_fault::none;
}

/// One word that names no coding there is, nor looks like one: it cannot have been applied.
bool names_nothing(std::string_view value) {
  constexpr std::array<std::string_view, 5> codings{"gzip", "x-gzip", "deflate", "compress", "x-compress"};
  bool const word = !value.empty() && std::all_of(value.begin(), value.end(), [](char c) { return is(in_token, c); });
  bool const known = std::any_of(codings.begin(), codings.end(), [&](auto each) { return same_token(each, value); });
  for (std::size_t at = 0; at + 7 <= value.size(); ++at)
    if (same_token(value.substr(at, 7), "chunked")) return false;
  return word && !known;
}

/// Only "chunked", once: we never send TE, so no peer may use another coding towards us (RFC 9112 §7.4). An answer with
/// a coding that nobody knows ends with its connection (§6.3), as every reader of it must see; a request has no such
/// end.
framing_fault read_transfer_encoding(std::string_view value, bool request, head_view& view) {
  if (view.chunked || view.unknown_coding) return framing_fault::bad_transfer_encoding;
  view.chunked = same_token(value, "chunked");
  view.unknown_coding = !request && !view.chunked && names_nothing(value);
  return view.chunked || view.unknown_coding ? framing_fault::none : framing_fault::bad_transfer_encoding;
}

void read_connection(std::string_view value, head_view& view) {
  while (!value.empty()) {
    auto const option = take_element(value);
    if (same_token(option, "close")) view.close = true;
    if (same_token(option, "keep-alive")) view.keep_alive = true;
    if (same_token(option, "upgrade")) view.upgrade = true;
  }
}

framing_fault read_host(std::string_view value, head_view& view) {
  if (view.host.data() != nullptr) return framing_fault::repeated_host;
  for (char const c : value)
    if (!is(in_host, c)) return framing_fault::bad_host;
  view.host = value;
  return framing_fault::none;
}

/// The few fields that decide where the message ends; told apart by length first, since most are none of them.
framing_fault read_known(std::string_view name, std::string_view value, bool request, head_view& view) {
  switch (name.size()) {
    case 4:
      return request && same_token(name, "host") ? read_host(value, view) : framing_fault::none;
    case 10:
      if (same_token(name, "connection")) read_connection(value, view);
      return framing_fault::none;
    case 14:
      return same_token(name, "content-length") ? read_content_length(value, view) : framing_fault::none;
    case 17:
      return same_token(name, "transfer-encoding") ? read_transfer_encoding(value, request, view) : framing_fault::none;
    default:
      return framing_fault::none;
  }
}

/// One "Name: value" line; moves `p` behind it.
framing_fault read_field(char const*& p, char const* end, bool request, head_view& view) {
  auto const name = p;
  while (p != end && is(in_token, *p)) ++p;
  if (p == end || *p != ':' || p == name) return line_end_fault(p, end, framing_fault::bad_name);
  auto const name_end = p++;
  while (p != end && blank(*p)) ++p;
  auto const value = p;
  for (p = find_control(p, end); p != end && *p == '\t';) p = find_control(p + 1, end);
  if (!at_line_end(p, end)) return line_end_fault(p, end, framing_fault::bad_value);
  auto value_end = p;
  while (value_end != value && blank(value_end[-1])) --value_end;
  p += 2;
  return read_known(text(name, name_end), text(value, value_end), request, view);
}

framing_fault read_fields(char const* p, char const* end, char const* start, bool request, head_view& view) {
  auto const first = p;
  while (p != end && *p != '\r') {
    if (blank(*p)) return p == first ? framing_fault::bad_name : framing_fault::obs_fold;
    if (auto const fault = read_field(p, end, request, view); fault != framing_fault::none) return fault;
  }
  if (!at_line_end(p, end)) return line_end_fault(p, end, framing_fault::bad_name);
  view.fields = text(first, p);
  view.size = static_cast<std::size_t>(p + 2 - start);
  if ((view.chunked || view.unknown_coding) && view.content_length) return framing_fault::length_with_coding;
  // An HTTP/1.0 peer does not know chunks; something between us made this up (RFC 9112 §6.1).
  if (view.chunked && view.minor == 0) return framing_fault::bad_transfer_encoding;
  return framing_fault::none;
}

/// "HTTP/1.0" or "HTTP/1.1" at `p`.
framing_fault read_version(char const*& p, char const* end, head_view& view, framing_fault otherwise) {
  constexpr std::string_view prefix = "HTTP/1.";
  auto const there = text(p, end).substr(0, prefix.size());
  if (there != prefix.substr(0, there.size())) {
    return there.substr(0, 5) == prefix.substr(0, 5) ? framing_fault::unsupported_version
                                                     : line_end_fault(p, end, otherwise);
  }
  if (static_cast<std::size_t>(end - p) <= prefix.size()) return framing_fault::incomplete;
  auto const minor = p[prefix.size()];
  if (minor != '0' && minor != '1') return framing_fault::unsupported_version;
  view.minor = static_cast<unsigned>(minor - '0');
  p += prefix.size() + 1;
  return framing_fault::none;
}

}  // namespace

std::optional<std::string_view> head_view::find(std::string_view name) const {
  for (auto const& field : *this)
    if (same_token(field.name, name)) return field.value;
  return std::nullopt;
}

framing_fault parse_request_head(std::string_view received, head_view& view) {
  constexpr auto wrong = framing_fault::bad_request_line;
  view = {};
  auto p = received.data();
  auto const start = p, end = p + received.size();
  for (int i = 0; i < 2 && at_line_end(p, end); ++i) p += 2;

  auto const method = p;
  while (p != end && is(in_token, *p)) ++p;
  if (p == end || *p != ' ' || p == method) return line_end_fault(p, end, wrong);
  view.method = text(method, p++);

  auto const target = p;
  while (p != end && is(in_target, *p)) ++p;
  if (p == end || *p != ' ' || p == target) return line_end_fault(p, end, wrong);
  view.target = text(target, p++);

  if (auto const fault = read_version(p, end, view, wrong); fault != framing_fault::none) return fault;
  if (!at_line_end(p, end)) return line_end_fault(p, end, wrong);
  auto const fault = read_fields(p + 2, end, start, true, view);
  if (fault != framing_fault::none) return fault;
  return view.minor == 1 && view.host.data() == nullptr ? framing_fault::missing_host : framing_fault::none;
}

framing_fault parse_response_head(std::string_view received, head_view& view) {
  constexpr auto wrong = framing_fault::bad_status_line;
  view = {};
  auto p = received.data();
  auto const start = p, end = p + received.size();
  if (auto const fault = read_version(p, end, view, wrong); fault != framing_fault::none) return fault;
  if (end - p < 4) return text(p, end).find('\n') == std::string_view::npos ? framing_fault::incomplete : wrong;
  if (p[0] != ' ' || !digit(p[1]) || !digit(p[2]) || !digit(p[3]) || p[1] == '0') return wrong;
  view.status = static_cast<unsigned>((p[1] - '0') * 100 + (p[2] - '0') * 10 + (p[3] - '0'));
  p += 4;
  // The blank before an empty reason is often left out.
  if (p != end && *p == ' ') {
    auto const reason = ++p;
    for (p = find_control(p, end); p != end && *p == '\t';) p = find_control(p + 1, end);
    view.reason = text(reason, p);
  }
  if (!at_line_end(p, end)) return line_end_fault(p, end, wrong);
  return read_fields(p + 2, end, start, false, view);
}

std::size_t find_head_end(std::string_view received, std::size_t from) {
  // An end may straddle what was seen before: three bytes of it at most.
  for (auto at = received.find('\n', from > 3 ? from - 3 : 0); at != std::string_view::npos;
       at = received.find('\n', at + 1)) {
    auto const rest = received.substr(at + 1, 2);
    if (rest.substr(0, 1) == "\n") return at + 2;
    if (rest == "\r\n") return at + 3;
  }
  return 0;
}

std::string_view describe(framing_fault fault) {
  switch (fault) {
    case framing_fault::none:
      return "well formed";
    case framing_fault::incomplete:
      return "the message is not complete";
    case framing_fault::bad_request_line:
      return "the request line is malformed";
    case framing_fault::bad_status_line:
      return "the status line is malformed";
    case framing_fault::unsupported_version:
      return "only HTTP/1.0 and HTTP/1.1 are spoken here";
    case framing_fault::bare_cr:
      return "a carriage return without a line feed";
    case framing_fault::bare_lf:
      return "a line feed without a carriage return";
    case framing_fault::obs_fold:
      return "a header field is folded over two lines";
    case framing_fault::bad_name:
      return "a header field's name is malformed";
    case framing_fault::bad_value:
      return "a header field's value holds a control character";
    case framing_fault::bad_content_length:
      return "Content-Length is not a number";
    case framing_fault::conflicting_content_length:
      return "two different Content-Length values";
    case framing_fault::length_with_coding:
      return "Content-Length together with Transfer-Encoding";
    case framing_fault::bad_transfer_encoding:
      return "a Transfer-Encoding other than chunked";
    case framing_fault::missing_host:
      return "the Host field is missing";
    case framing_fault::repeated_host:
      return "more than one Host field";
    case framing_fault::bad_host:
      return "the Host field is malformed";
    case framing_fault::bad_chunk_size:
      return "a chunk's size is malformed or too large";
    case framing_fault::bad_chunk_line:
      return "a chunk's line is malformed";
    case framing_fault::long_chunk_line:
      return "chunk extensions are too long";
    case framing_fault::bad_trailer:
      return "the trailer section is malformed";
    case framing_fault::long_trailer:
      return "the trailer section is too long";
  }
  return "unknown";
}

}  // namespace cistern::sync
