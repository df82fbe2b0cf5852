#include "proxy/client_hello.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace cistern::proxy {
namespace {

using std::string_view;
using state = client_hello::state;

constexpr unsigned char handshake_record = 22, hello_message = 1;
constexpr std::uint32_t server_name_extension = 0, alpn_extension = 16;
constexpr std::size_t record_head = 5, message_head = 4;

/// Takes numbers and vectors off the front; once something is missing, everything is.
class reader {
public:
  explicit reader(string_view bytes) : bytes_{bytes} {}

  std::uint32_t number(std::size_t width) {
    std::uint32_t out = 0;
    for (char const c : take(width)) out = out << 8 | static_cast<unsigned char>(c);
    return out;
  }
  string_view take(std::size_t count) {
    if (count > bytes_.size()) {
      bytes_ = {};
      broken_ = true;
      return {};
    }
    auto const out = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return out;
  }
  string_view vector(std::size_t width) { return take(number(width)); }
  [[nodiscard]] bool more() const { return !bytes_.empty(); }
  [[nodiscard]] bool broken() const { return broken_; }

private:
  string_view bytes_;
  bool broken_ = false;
};

/// The first handshake message, which may lie in several records.
state gather(string_view bytes, std::string& message) {
  for (;;) {
    if (message.size() >= message_head) {
      auto const length = reader{string_view{message}.substr(1)}.number(3);
      if (length > longest_hello) return state::nonsense;
      if (message.size() >= message_head + length) return state::whole;
    }
    if (bytes.empty()) return state::incomplete;
    if (static_cast<unsigned char>(bytes[0]) != handshake_record) return state::nonsense;
    if (bytes.size() < record_head) return state::incomplete;
    auto const length = reader{bytes.substr(3)}.number(2);
    if (length == 0) return state::nonsense;
    bytes.remove_prefix(record_head);
    message += bytes.substr(0, length);
    bytes.remove_prefix(std::min<std::size_t>(length, bytes.size()));
  }
}

void read_server_name(string_view extension, client_hello& out) {
  reader names{reader{extension}.vector(2)};
  while (names.more()) {
    bool const host = names.number(1) == 0;
    auto const name = names.vector(2);
    if (!host || names.broken() || !out.server_name.empty()) continue;
    out.server_name = name;
    std::ranges::transform(out.server_name, out.server_name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  }
}

void read_protocols(string_view extension, client_hello& out) {
  reader names{reader{extension}.vector(2)};
  while (names.more()) out.protocols.emplace_back(names.vector(1));
}

}  // namespace

bool client_hello::may_speak_http() const {
  return protocols.empty() || std::ranges::find(protocols, "http/1.1") != protocols.end();
}

client_hello::state read_client_hello(string_view bytes, client_hello& out) {
  std::string message;
  if (auto const gathered = gather(bytes, message); gathered != state::whole) return gathered;
  reader hello{message};
  if (hello.number(1) != hello_message) return state::nonsense;
  reader body{hello.vector(3)};
  body.take(2 + 32);  // version and random
  body.vector(1);     // session
  body.vector(2);     // cipher suites
  body.vector(1);     // compression
  if (body.broken()) return state::nonsense;
  reader extensions{body.more() ? body.vector(2) : string_view{}};
  while (extensions.more()) {
    auto const kind = extensions.number(2);
    auto const value = extensions.vector(2);
    if (kind == server_name_extension) read_server_name(value, out);
    if (kind == alpn_extension) read_protocols(value, out);
  }
  return body.broken() || extensions.broken() ? state::nonsense : state::whole;
}

}  // namespace cistern::proxy
