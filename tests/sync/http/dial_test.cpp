#include "sync/http/dial.hpp"

#include "sync/errc.hpp"
#include "tests/support/fake_origin.hpp"
#include "tests/support/run_task.hpp"

#include <boost/asio/connect.hpp>
#include <catch2/catch.hpp>

using namespace cistern::sync;
using namespace std::chrono_literals;
namespace net = boost::asio;
using net::ip::tcp;

namespace {

net::ip::address ip(char const* text) { return net::ip::make_address(text); }

/// A port on 127.0.0.3 that drops every SYN, as a dead route does: its queue of connections is full.
class black_hole {
public:
  explicit black_hole(std::uint16_t port) : listener_{io_} {
    listener_.open(tcp::v4());
    listener_.bind({ip("127.0.0.3"), port});
    listener_.listen(0);
    for (int i = 0; i < 4; ++i) {
      auto& s = fillers_.emplace_back(io_);
      s.async_connect({ip("127.0.0.3"), port}, [](boost::system::error_code) {});
    }
    io_.poll();
  }

private:
  net::io_context io_;
  tcp::acceptor listener_;
  std::vector<tcp::socket> fillers_;
};

struct outcome {
  boost::system::error_code error;
  std::string remote;
};

net::awaitable<outcome> connect_to(std::vector<net::ip::address> addresses, std::uint16_t port,
                                   std::chrono::milliseconds limit, std::chrono::milliseconds stagger) {
  auto const socket = co_await dial(std::move(addresses), port, limit, stagger);
  outcome out;
  if (socket) out.remote = socket->remote_endpoint().address().to_string();
  if (!socket) out.error = socket.error();
  co_return out;
}

}  // namespace

TEST_CASE("the two families of addresses take turns, the preferred one first", "[sync][dial]") {
  std::vector const mixed = {ip("2001:db8::1"), ip("2001:db8::2"), ip("192.0.2.1"), ip("2001:db8::3"), ip("192.0.2.2")};
  std::vector const turns = {ip("2001:db8::1"), ip("192.0.2.1"), ip("2001:db8::2"), ip("192.0.2.2"), ip("2001:db8::3")};
  CHECK(interleave(mixed) == turns);
  CHECK(interleave({}).empty());
}

TEST_CASE("an address that refuses is passed over at once", "[sync][dial]") {
  fake_origin origin{[](fake_exchange&) {}};
  net::io_context io{1};
  // The stagger is longer than the watchdog: only the refusal can have started the second attempt.
  std::vector const addresses = {ip("127.0.0.2"), ip("127.0.0.1")};
  CHECK(run_task(io, connect_to(addresses, origin.port(), 1h, 1h)).remote == "127.0.0.1");
}

TEST_CASE("an address that swallows everything delays by the stagger only", "[sync][dial]") {
  fake_origin origin{[](fake_exchange&) {}};
  black_hole const hole{origin.port()};
  net::io_context io{1};
  std::vector const addresses = {ip("127.0.0.3"), ip("127.0.0.1")};
  CHECK(run_task(io, connect_to(addresses, origin.port(), 1h, 20ms)).remote == "127.0.0.1");
}

TEST_CASE("what failed is said when nothing answers", "[sync][dial]") {
  fake_origin origin{[](fake_exchange&) {}};
  auto const port = origin.port();
  net::io_context io{1};
  SECTION("in time") {
    black_hole const hole{port};
    CHECK(run_task(io, connect_to({ip("127.0.0.3")}, port, 50ms, 10ms)).error == errc::connect_timeout);
  }
  SECTION("because it refuses") {
    origin.stop();
    CHECK(run_task(io, connect_to({ip("127.0.0.1"), ip("127.0.0.2")}, port, 5s, 10ms)).error == errc::refused);
  }
  SECTION("because there is no route") {
    CHECK(run_task(io, connect_to({ip("255.255.255.255")}, port, 5s, 10ms)).error == errc::unreachable);
  }
}
