#pragma once

/// A small HTTP client for tests: blocking, loopback only, bounded in time. Throws std::runtime_error when no answer
/// comes.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace cistern::tests {

struct no_case_less {
  bool operator()(std::string const& a, std::string const& b) const;
};

struct http_reply {
  unsigned status{};
  std::map<std::string, std::string, no_case_less> headers;  // of several of one name, the last
  std::string body;
};

struct http_request {
  std::uint16_t port{};
  std::string target = "/";
  std::string method = "GET";
  std::map<std::string, std::string> headers{};  // Host is added when it is not here
  std::string body{};
};

/// One request on a connection of its own.
http_reply http_send(http_request const& request);
http_reply http_get(std::uint16_t port, std::string target = "/");

/// Sends these bytes and returns all that comes back until the other side closes.
std::string raw_exchange(std::uint16_t port, std::string_view bytes);

/// A connection that stays; for what happens to somebody who sends nothing, slowly, or several requests.
class raw_connection {
public:
  explicit raw_connection(std::uint16_t port);
  ~raw_connection();
  raw_connection(raw_connection&& other) noexcept;
  raw_connection& operator=(raw_connection&&) = delete;

  void send(std::string_view bytes) const;
  /// Reads until `text` has come, and returns all that came; throws when the other side closes or is silent too long.
  std::string read_until(std::string_view text) const;
  /// Reads until the other side closes.
  [[nodiscard]] std::string read_all() const;

private:
  int socket_;
};

}  // namespace cistern::tests
