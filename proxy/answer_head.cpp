#include "proxy/answer_head.hpp"

#include <boost/beast/http/status.hpp>

#include <charconv>

namespace cistern::proxy {
namespace {

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  auto const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

/// Fields that say how the message is framed or how old it is: ours to write. By length first: this runs for each field
/// of each hit.
bool is_ours(std::string_view name, bool know_age) {
  switch (name.size()) {
    case 3:
      return know_age && store::same_token(name, "age");
    case 10:
      return store::same_token(name, "connection") || store::same_token(name, "keep-alive");
    case 14:
      return store::same_token(name, "content-length");
    case 17:
      return store::same_token(name, "transfer-encoding");
    default:
      return false;
  }
}

}  // namespace

std::string_view reason_of(unsigned status) {
  auto const known = boost::beast::http::int_to_status(status);
  if (known == boost::beast::http::status::unknown) return status == 103 ? "Early Hints" : "Unknown";
  auto const reason = boost::beast::http::obsolete_reason(known);
  return {reason.data(), reason.size()};
}

void write_head(std::string& out, answer_frame const& frame, store::header_block const& fields,
                std::string_view extra) {
  out += "HTTP/1.1 ";
  append_number(out, frame.status);
  out += ' ';
  out += reason_of(frame.status);
  out += "\r\n";
  for (auto const& field : fields) {
    if (is_ours(field.name, frame.age.has_value())) continue;
    out.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  out += extra;
  if (frame.age) {
    out += "Age: ";
    append_number(out, static_cast<std::uint64_t>(std::max<std::int64_t>(0, frame.age->count())));
    out += "\r\n";
  }
  if (frame.has_body && frame.content_length) {
    out += "Content-Length: ";
    append_number(out, *frame.content_length);
    out += "\r\n";
  } else if (frame.has_body && !frame.one_dot_zero) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  out += "Via: 1.1 cistern\r\nCache-Status: ";
  store::append_cache_status(out, frame.cache);
  if (!frame.keep) {
    out += "\r\nConnection: close";
  } else if (frame.one_dot_zero) {
    out += "\r\nConnection: keep-alive";
  }
  out += "\r\n\r\n";
}

std::string frame_chunk(std::string_view bytes) {
  char digits[16];
  auto const end = std::to_chars(digits, digits + sizeof digits, bytes.size(), 16).ptr;
  std::string out;
  out.reserve(bytes.size() + sizeof digits + 4);
  out.append(digits, end).append("\r\n").append(bytes).append("\r\n");
  return out;
}

void write_own(std::string& head, std::string& body, unsigned status, std::string_view type, std::string text,
               bool keep, bool head_only, std::string_view extra) {
  head = "HTTP/1.1 ";
  append_number(head, status);
  head.append(" ").append(reason_of(status)).append("\r\nContent-Type: ").append(type).append("\r\nContent-Length: ");
  append_number(head, text.size());
  head += "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
  head += extra;
  if (!keep) head += "Connection: close\r\n";
  head += "\r\n";
  body = head_only ? std::string{} : std::move(text);
}

}  // namespace cistern::proxy
