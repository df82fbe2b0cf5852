/// Load for TLS servers: tls_load PORT HOST PATH handshakes|resumptions|hits SECONDS [through CONNECT_PORT]
/// Prints operations per second. One thread, blocking, certificates not verified: the server is what is measured, and
/// client and server share the machine in every run alike. With `through`, a CONNECT to HOST:CONNECT_PORT comes first.

#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace {

struct target {
  int port = 0;
  std::string host, path, connect_port;
};

int dial(target const& to) {
  auto const out = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(to.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(out, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::exit(1);
  int const yes = 1;
  ::setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (to.connect_port.empty()) return out;
  auto const where = to.host + ':' + to.connect_port;
  auto const ask = "CONNECT " + where + " HTTP/1.1\r\nHost: " + where + "\r\n\r\n";
  if (::write(out, ask.data(), ask.size()) < 0) std::exit(1);
  char answer[1024];
  std::string got;
  while (got.find("\r\n\r\n") == std::string::npos) {
    auto const count = ::read(out, answer, sizeof answer);
    if (count <= 0) std::exit(1);
    got.append(answer, static_cast<std::size_t>(count));
  }
  if (got.find(" 200 ") == std::string::npos) {
    std::fputs(got.c_str(), stderr);
    std::exit(1);
  }
  return out;
}

SSL_SESSION* kept = nullptr;
int keep_session(SSL*, SSL_SESSION* session) {
  if (kept) SSL_SESSION_free(kept);
  kept = session;
  return 1;
}

/// One GET on an open connection; the size of what came, 0 when it broke.
std::size_t get(SSL* tls, target const& to) {
  auto const ask = "GET " + to.path + " HTTP/1.1\r\nHost: " + to.host + "\r\n\r\n";
  if (SSL_write(tls, ask.data(), static_cast<int>(ask.size())) <= 0) return 0;
  static char piece[64 << 10];
  std::string head;
  std::size_t total = 0, wanted = 0;
  while (wanted == 0 || total < wanted) {
    auto const got = SSL_read(tls, piece, sizeof piece);
    if (got <= 0) return 0;
    total += static_cast<std::size_t>(got);
    if (wanted != 0) continue;
    head.append(piece, static_cast<std::size_t>(got));
    auto const end = head.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    auto const length = head.find("Content-Length: ");
    wanted = end + 4 + (length < end ? std::strtoul(head.c_str() + length + 16, nullptr, 10) : 0);
  }
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  std::signal(SIGPIPE, SIG_IGN);
  target to{std::atoi(argv[1]), argv[2], argv[3], argc > 7 ? argv[7] : ""};
  std::string_view const mode = argv[4];
  bool const hits = mode == "hits", resume = mode == "resumptions";
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> const context{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context.get(), keep_session);
  auto const began = std::chrono::steady_clock::now();
  auto const end = began + std::chrono::seconds{std::atoi(argv[5])};
  long done = 0, resumed = 0;
  while (std::chrono::steady_clock::now() < end) {
    auto const socket = dial(to);
    std::unique_ptr<SSL, decltype(&SSL_free)> const tls{SSL_new(context.get()), SSL_free};
    SSL_set_fd(tls.get(), socket);
    SSL_set_tlsext_host_name(tls.get(), to.host.c_str());
    if (resume && kept) SSL_set_session(tls.get(), kept);
    if (SSL_connect(tls.get()) != 1) return 1;
    resumed += SSL_session_reused(tls.get());
    do {
      if (get(tls.get(), to) == 0) return 1;
      if (hits) ++done;
    } while (hits && std::chrono::steady_clock::now() < end);
    if (!hits) ++done;
    // Without this OpenSSL takes the session for damaged and never resumes it.
    SSL_set_shutdown(tls.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    ::close(socket);
  }
  auto const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::printf("%.0f %ld\n", static_cast<double>(done) / took, resumed);
}
