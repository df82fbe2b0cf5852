/// A server that does as little as an HTTP server can: find the end of a request, look at its path, send bytes that are
/// already in memory. What a proxy reaches of its rate on the same machine says how much the proxy itself costs; it is
/// the origin of tools/bench/proxy too.
///   epoll_limit PORT THREADS OBJECTS
/// Serves /1k /10k /100k /1m /100m and /o/0 … /o/OBJECTS-1 (1 kB each, all different) on 127.0.0.1, absolute-form or
/// not.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

struct response {
  std::string head;
  std::string_view body;
};

/// Everything that can be sent, made before the first request.
class content {
public:
  explicit content(std::size_t objects) : bytes_(std::size_t{100} << 20, '\0') {
    unsigned state = 1;  // noise, so that nobody compresses it
    for (char& c : bytes_) c = static_cast<char>('!' + ((state = state * 1664525U + 1013904223U) >> 25) % 90);
    for (auto const& [path, size] : sizes) named_.emplace(path, make(path, std::string_view{bytes_}.substr(0, size)));
    for (std::size_t i = 0; i < objects; ++i)
      numbered_.push_back(make("o" + std::to_string(i), std::string_view{bytes_}.substr(i * 7, 1024)));
    missing_.head = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
  }

  [[nodiscard]] response const& find(std::string_view path) const {
    if (path.starts_with("/o/")) {
      std::size_t number = 0;
      std::from_chars(path.data() + 3, path.data() + path.size(), number);
      return number < numbered_.size() ? numbered_[number] : missing_;
    }
    auto const found = named_.find(std::string{path});
    return found == named_.end() ? missing_ : found->second;
  }

private:
  static constexpr std::array<std::pair<char const*, std::size_t>, 5> sizes{
      {{"/1k", 1024}, {"/10k", 10240}, {"/100k", 102400}, {"/1m", 1 << 20}, {"/100m", 100 << 20}}};

  static response make(std::string const& tag, std::string_view body) {
    std::array<char, 64> date{};
    std::time_t const now = std::time(nullptr);
    std::tm utc{};
    std::strftime(date.data(), date.size(), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &utc));
    return {std::string{"HTTP/1.1 200 OK\r\nServer: limit\r\nDate: "} + date.data() +
                "\r\nContent-Type: application/octet-stream\r\nCache-Control: public, max-age=604800\r\nETag: \"" +
                tag + "\"\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n",
            body};
  }

  std::string bytes_;
  std::unordered_map<std::string, response> named_;
  std::vector<response> numbered_;
  response missing_;
};

struct connection {
  int fd = -1;
  std::string in;
  response const* out = nullptr;
  std::size_t sent = 0;
};

/// "GET http://host/path HTTP/1.1" or "GET /path HTTP/1.1"
std::string_view path_of(std::string_view request) {
  auto const blank = request.find(' ');
  auto target = request.substr(blank + 1);
  target = target.substr(0, target.find(' '));
  if (!target.starts_with("http://")) return target;
  auto const slash = target.find('/', 7);
  return slash == std::string_view::npos ? "/" : target.substr(slash);
}

/// False when the peer is gone. Leaves `out` set when the socket is full.
bool send_rest(connection& c) {
  while (c.out != nullptr) {
    auto const& r = *c.out;
    std::array<iovec, 2> parts{};
    std::size_t used = 0;
    auto const add = [&](std::string_view bytes, std::size_t skip) {
      if (skip < bytes.size()) parts[used++] = {const_cast<char*>(bytes.data()) + skip, bytes.size() - skip};
    };
    add(r.head, c.sent);
    add(r.body, c.sent > r.head.size() ? c.sent - r.head.size() : 0);
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = used;
    auto const n = sendmsg(c.fd, &message, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN;
    c.sent += static_cast<std::size_t>(n);
    if (c.sent == r.head.size() + r.body.size()) c.out = nullptr;
  }
  return true;
}

bool serve(connection& c, content const& all) {
  for (;;) {
    if (!send_rest(c)) return false;
    if (c.out != nullptr) return true;
    auto const end = c.in.find("\r\n\r\n");
    if (end == std::string::npos) return c.in.size() < 65536;
    c.out = &all.find(path_of(c.in));
    c.sent = 0;
    c.in.erase(0, end + 4);
  }
}

bool receive(connection& c) {
  std::array<char, 16384> buffer;
  auto const n = recv(c.fd, buffer.data(), buffer.size(), 0);
  if (n <= 0) return n < 0 && errno == EAGAIN;
  c.in.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

int listen_on(std::uint16_t port) {
  int const fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int const on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(fd, 1024) != 0) {
    std::perror("epoll_limit");
    std::exit(1);
  }
  return fd;
}

void loop(std::uint16_t port, content const& all) {
  int const listener = listen_on(port);
  int const poll = epoll_create1(EPOLL_CLOEXEC);
  std::unordered_map<int, std::unique_ptr<connection>> open;
  auto const watch = [&](int fd, std::uint32_t what) {
    epoll_event event{};
    event.events = what;
    event.data.fd = fd;
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
  };
  watch(listener, EPOLLIN);
  std::array<epoll_event, 128> events;
  for (;;) {
    int const n = epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < n; ++i) {
      auto const& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == listener) {
        int const fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) continue;
        int const on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        open[fd] = std::make_unique<connection>();
        open[fd]->fd = fd;
        watch(fd, EPOLLIN | EPOLLOUT | EPOLLET);
        continue;
      }
      auto& c = *open.at(event.data.fd);
      bool const lives = ((event.events & EPOLLIN) == 0 || receive(c)) && serve(c, all);
      if (!lives || (event.events & (EPOLLERR | EPOLLHUP)) != 0) {
        close(c.fd);
        open.erase(event.data.fd);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: epoll_limit PORT THREADS OBJECTS\n", stderr);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  content const all{std::strtoul(argv[3], nullptr, 10)};
  std::vector<std::jthread> threads;
  for (unsigned long i = std::max(1UL, std::strtoul(argv[2], nullptr, 10)); i > 0; --i)
    threads.emplace_back([&] { loop(static_cast<std::uint16_t>(std::atoi(argv[1])), all); });
  std::puts("ready");
  std::fflush(stdout);
}
