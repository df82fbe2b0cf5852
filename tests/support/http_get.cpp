#include "tests/support/http_get.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace cistern::tests {
namespace {

constexpr timeval patience{20, 0};

/// -1 at the end of the stream; a reset counts as one, since that is how a peer that has had enough may close.
ssize_t receive(int socket, char* into, std::size_t size) {
  auto const count = ::recv(socket, into, size, 0);
  if (count > 0) return count;
  if (count == 0 || errno == ECONNRESET) return -1;
  throw std::runtime_error{std::string{"no answer: "} + std::strerror(errno)};
}

std::string unchunked(std::string_view text) {
  std::string out;
  for (;;) {
    auto const line = text.find("\r\n");
    if (line == text.npos) throw std::runtime_error{"chunked body ends early"};
    auto const size = std::stoul(std::string{text.substr(0, line)}, nullptr, 16);
    if (size == 0) return out;
    text.remove_prefix(line + 2);
    if (text.size() < size + 2) throw std::runtime_error{"chunk ends early"};
    out += text.substr(0, size);
    text.remove_prefix(size + 2);
  }
}

http_reply parse(std::string const& text) {
  auto const head_end = text.find("\r\n\r\n");
  if (head_end == text.npos || text.size() < 12) throw std::runtime_error{"no HTTP answer: " + text};
  http_reply reply;
  reply.status = static_cast<unsigned>(std::stoul(text.substr(9, 3)));
  for (auto at = text.find("\r\n") + 2; at < head_end + 2;) {
    auto const end = text.find("\r\n", at);
    auto const line = text.substr(at, end - at);
    auto const colon = line.find(':');
    auto const value = line.find_first_not_of(' ', colon + 1);
    reply.headers[line.substr(0, colon)] = value == line.npos ? "" : line.substr(value);
    at = end + 2;
  }
  reply.body = text.substr(head_end + 4);
  if (reply.headers["Transfer-Encoding"] == "chunked") reply.body = unchunked(reply.body);
  return reply;
}

}  // namespace

bool no_case_less::operator()(std::string const& a, std::string const& b) const {
  return ::strcasecmp(a.c_str(), b.c_str()) < 0;
}

http_reply http_send(http_request const& request) {
  auto text = request.method + ' ' + request.target + " HTTP/1.1\r\n";
  auto headers = request.headers;
  headers.emplace("Host", "localhost:" + std::to_string(request.port));
  headers.emplace("Connection", "close");
  if (!request.body.empty()) headers.emplace("Content-Length", std::to_string(request.body.size()));
  for (auto const& [name, value] : headers) text += name + ": " + value + "\r\n";
  return parse(raw_exchange(request.port, text + "\r\n" + request.body));
}

http_reply http_get(std::uint16_t port, std::string target) {
  return http_send({.port = port, .target = std::move(target)});
}

std::string raw_exchange(std::uint16_t port, std::string_view bytes) {
  raw_connection const connection{port};
  connection.send(bytes);
  return connection.read_all();
}

raw_connection::raw_connection(std::uint16_t port) : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    auto const why = std::string{std::strerror(errno)};
    ::close(socket_);
    throw std::runtime_error{"cannot connect: " + why};
  }
}

raw_connection::~raw_connection() {
  if (socket_ >= 0) ::close(socket_);
}

raw_connection::raw_connection(raw_connection&& other) noexcept : socket_{std::exchange(other.socket_, -1)} {}

void raw_connection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    auto const count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;  // the other side has closed; what it said before is still to be read
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string raw_connection::read_until(std::string_view text) const {
  std::string all;
  char buffer[4096];
  while (all.find(text) == all.npos) {
    auto const count = receive(socket_, buffer, sizeof buffer);
    if (count < 0) throw std::runtime_error{"closed before \"" + std::string{text} + "\" came: " + all};
    all.append(buffer, static_cast<std::size_t>(count));
  }
  return all;
}

std::string raw_connection::read_all() const {
  std::string all;
  char buffer[4096];
  for (;;) {
    auto const count = receive(socket_, buffer, sizeof buffer);
    if (count < 0) return all;
    all.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace cistern::tests
