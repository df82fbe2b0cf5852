#include "tests/support/fake_origin.hpp"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// More bytes behind `buffer`; false at the end.
bool more(int socket, SSL* tls, std::string& buffer) {
  char chunk[16384];
  auto const got =
      tls != nullptr ? SSL_read(tls, chunk, sizeof chunk) : static_cast<int>(recv(socket, chunk, sizeof chunk, 0));
  if (got <= 0) return false;
  buffer.append(chunk, static_cast<std::size_t>(got));
  return true;
}

bool read_request(int socket, SSL* tls, std::string& buffer, seen_request& out) {
  std::size_t end{};
  constexpr char client_hello = 0x16;  // whoever speaks TLS to a plain server is sent away at once
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
    if (!more(socket, tls, buffer) || buffer.front() == client_hello) return false;
  out.head = buffer.substr(0, end + 2);
  buffer.erase(0, end + 4);
  auto const blank = out.head.find(' ');
  out.method = out.head.substr(0, blank);
  out.target = out.head.substr(blank + 1, out.head.find(' ', blank + 1) - blank - 1);
  out.resumed = tls != nullptr && SSL_session_reused(tls) == 1;
  out.body.clear();
  if (auto const length = out.field("content-length"); !length.empty()) {
    auto const size = static_cast<std::size_t>(std::strtoull(length.c_str(), nullptr, 10));
    while (buffer.size() < size)
      if (!more(socket, tls, buffer)) return false;
    out.body = buffer.substr(0, size);
    buffer.erase(0, size);
  } else if (!out.field("transfer-encoding").empty()) {
    while ((end = buffer.find("0\r\n\r\n")) == std::string::npos)
      if (!more(socket, tls, buffer)) return false;
    out.body = buffer.substr(0, end + 5);
    buffer.erase(0, end + 5);
  }
  return true;
}

}  // namespace

std::string seen_request::field(std::string_view name) const {
  auto const wanted = "\n" + lower(name) + ":";
  auto const at = lower(head).find(wanted);
  if (at == std::string::npos) return {};
  auto const from = head.find_first_not_of(' ', at + wanted.size());
  return head.substr(from, head.find('\r', from) - from);
}

bool fake_exchange::send(std::string_view raw) {
  while (!raw.empty()) {
    auto const sent =
        tls_ != nullptr
            ? SSL_write(tls_, raw.data(), static_cast<int>(std::min<std::size_t>(raw.size(), 1 << 20)))
            : static_cast<int>(::send(socket_, raw.data(), std::min<std::size_t>(raw.size(), 1 << 20), MSG_NOSIGNAL));
    if (sent <= 0) return false;
    raw.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void fake_exchange::answer(int status, std::string_view fields, std::string_view body) {
  std::string out = "HTTP/1.1 " + std::to_string(status) + " Scripted\r\n";
  out.append(fields).append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  if (request.method != "HEAD") out += body;
  send(out);
}

void fake_exchange::drip(std::string_view raw) {
  for (std::size_t i = 0; i < raw.size(); ++i)
    if (!send(raw.substr(i, 1))) return;
}

void fake_exchange::stall() {
  while (!receive().empty()) {
  }
  ended_ = true;
}

void fake_exchange::end() {
  if (tls_ != nullptr) SSL_shutdown(tls_);
  ::shutdown(socket_, SHUT_WR);
  ended_ = true;
}

void fake_exchange::cut() {
  ::shutdown(socket_, SHUT_RDWR);
  ended_ = true;
}

void fake_exchange::reset() {
  linger const now{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ended_ = true;
}

std::uint64_t fake_exchange::delivered() const {
  tcp_info info{};
  socklen_t size = sizeof info;
  return ::getsockopt(socket_, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_acked : 0;
}

std::string fake_exchange::receive() {
  auto out = std::exchange(ahead_, {});
  if (out.empty()) more(socket_, tls_, out);
  return out;
}

void fake_exchange::serve_tls(SSL_CTX* context, std::function<void(fake_exchange&)> const& script) {
  std::unique_ptr<SSL, decltype(&SSL_free)> const tls{SSL_new(context), SSL_free};
  SSL_set_fd(tls.get(), socket_);
  std::string buffer;
  seen_request next{};
  ended_ = true;
  if (SSL_accept(tls.get()) != 1) return;
  while (read_request(socket_, tls.get(), buffer, next)) {
    fake_exchange inner{socket_, tls.get(), next, buffer};
    script(inner);
    if (inner.ended_) return;
  }
}

fake_origin::fake_origin(script answer, std::shared_ptr<SSL_CTX> tls)
    : answer_{std::move(answer)}, tls_{std::move(tls)} {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0)
    throw std::runtime_error{"fake_origin cannot listen"};
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

fake_origin::~fake_origin() { stop(); }

void fake_origin::stop() {
  if (stopping_.exchange(true)) return;
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    std::lock_guard const lock{mutex_};
    for (auto const socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  for (auto& thread : threads_) thread.join();
  for (auto const socket : sockets_) ::close(socket);
}

std::string fake_origin::url(std::string_view target) const {
  return (tls_ ? "https://localhost:" : "http://localhost:") + std::to_string(port_) + std::string{target};
}

std::vector<seen_request> fake_origin::requests() const {
  std::lock_guard const lock{mutex_};
  return requests_;
}

void fake_origin::accept_all() {
  while (!stopping_) {
    auto const socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    int const on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::lock_guard const lock{mutex_};
    sockets_.push_back(socket);
    auto const number = ++connections_;
    threads_.emplace_back([this, socket, number] { serve(socket, number); });
  }
}

void fake_origin::serve(int socket, int number) {
  std::unique_ptr<SSL, decltype(&SSL_free)> tls{nullptr, SSL_free};
  std::string buffer;
  if (deaf) {
    while (more(socket, nullptr, buffer)) buffer.clear();
  } else if (tls_) {
    tls.reset(SSL_new(tls_.get()));
    SSL_set_fd(tls.get(), socket);
    if (SSL_accept(tls.get()) != 1) {
      ::shutdown(socket, SHUT_RDWR);
      return;
    }
  }
  seen_request next{};
  next.connection = number;
  while (!deaf && read_request(socket, tls.get(), buffer, next)) {
    {
      std::lock_guard const lock{mutex_};
      requests_.push_back(next);
    }
    fake_exchange exchange{socket, tls.get(), next, buffer};
    answer_(exchange);
    if (exchange.ended_) break;
  }
  // The descriptor stays reserved until the end, so that nobody shuts down a stranger's; a reset needs it closed now.
  linger how{};
  socklen_t size = sizeof how;
  getsockopt(socket, SOL_SOCKET, SO_LINGER, &how, &size);
  if (how.l_onoff == 0) {
    ::shutdown(socket, SHUT_RDWR);
    return;
  }
  std::lock_guard const lock{mutex_};
  std::erase(sockets_, socket);
  ::close(socket);
}
