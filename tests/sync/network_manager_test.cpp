#include "sync/link_watch/network_manager.hpp"

#include "tests/support/child_process.hpp"
#include "tests/support/temp_dir.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <systemd/sd-bus.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

using namespace cistern::sync;
using namespace std::chrono_literals;
using cistern::tests::child_process;
using cistern::tests::temp_dir;
using reach = manager_facts::connectivity;
namespace net = boost::asio;

namespace {

constexpr char const* bus_daemon = "/usr/bin/dbus-daemon";

/// A bus for this test alone.
class private_bus {
public:
  private_bus() {
    dir_.write("bus.conf", "<busconfig><type>custom</type><listen>" + address() +
                               "</listen><auth>EXTERNAL</auth><policy context='default'><allow user='*'/>"
                               "<allow own='*'/><allow send_destination='*' eavesdrop='true'/>"
                               "<allow eavesdrop='true'/></policy></busconfig>");
    daemon_ = std::make_unique<child_process>(std::vector<std::string>{
        bus_daemon, "--nofork", "--nopidfile", "--print-address", "--config-file=" + (dir_ / "bus.conf").string()});
    daemon_->wait_for("unix:");
  }
  [[nodiscard]] std::string address() const { return "unix:path=" + (dir_ / "bus").string(); }
  void stop() { daemon_.reset(); }

private:
  temp_dir dir_;
  std::unique_ptr<child_process> daemon_;
};

/// Says on the bus what NetworkManager would.
class fake_manager {
public:
  fake_manager(std::string const& address, std::uint32_t connectivity, std::uint32_t metered)
      : connectivity_{connectivity}, metered_{metered} {
    thread_ = std::thread{[this, address] { serve(address); }};
    while (!ready_) std::this_thread::sleep_for(1ms);
  }
  ~fake_manager() {
    stopping_ = true;
    thread_.join();
  }
  void say(std::uint32_t connectivity, std::uint32_t metered) {
    connectivity_ = connectivity;
    metered_ = metered;
    changed_ = true;
  }

private:
  static int read_property(sd_bus*, char const*, char const*, char const*, sd_bus_message* reply, void* number,
                           sd_bus_error*) {
    return sd_bus_message_append(reply, "u", static_cast<std::atomic<std::uint32_t>*>(number)->load());
  }

  void serve(std::string const& address) {
    sd_bus* bus = nullptr;
    sd_bus_new(&bus);
    sd_bus_set_address(bus, address.c_str());
    sd_bus_set_bus_client(bus, 1);
    sd_bus_start(bus);
    sd_bus_vtable const table[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Connectivity", "u", read_property, offsetof(fake_manager, connectivity_),
                        SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("Metered", "u", read_property, offsetof(fake_manager, metered_),
                        SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_VTABLE_END,
    };
    constexpr char const* name = "org.freedesktop.NetworkManager";
    constexpr char const* path = "/org/freedesktop/NetworkManager";
    sd_bus_add_object_vtable(bus, nullptr, path, name, table, this);
    sd_bus_request_name(bus, name, 0);
    ready_ = true;
    while (!stopping_) {
      if (changed_.exchange(false)) sd_bus_emit_properties_changed(bus, path, name, "Connectivity", "Metered", nullptr);
      if (sd_bus_process(bus, nullptr) == 0) sd_bus_wait(bus, 5'000);
    }
    sd_bus_flush_close_unref(bus);
  }

  std::atomic<std::uint32_t> connectivity_;
  std::atomic<std::uint32_t> metered_;
  std::atomic<bool> ready_{false};
  std::atomic<bool> changed_{false};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

/// Follows a bus and remembers what was told.
struct follower {
  explicit follower(std::string address) {
    auto const told = [this](manager_facts facts) { last = facts; };
    net::co_spawn(io, follow_network_manager(std::move(address), told), [this](std::exception_ptr) { ended = true; });
  }
  bool hears(manager_facts const& wanted) {
    auto const until = std::chrono::steady_clock::now() + 5s;
    while (last != wanted && std::chrono::steady_clock::now() < until) io.run_for(5ms);
    return last == wanted;
  }
  net::io_context io{1};
  manager_facts last{};
  bool ended = false;
};

}  // namespace

TEST_CASE("NetworkManager's numbers are understood", "[sync][link_watch]") {
  CHECK(manager_facts_from(0, 0) == manager_facts{});
  CHECK(manager_facts_from(1, 1) == manager_facts{reach::none, true});
  CHECK(manager_facts_from(2, 2) == manager_facts{reach::portal, false});
  CHECK(manager_facts_from(3, 3) == manager_facts{reach::limited, true});  // it guesses that it is
  CHECK(manager_facts_from(4, 4) == manager_facts{reach::full, {}});       // it guesses that it is not
  CHECK(manager_facts_from(99, 99) == manager_facts{});
}

TEST_CASE("where there is no bus nothing is said and nothing fails", "[sync][link_watch]") {
  follower nobody{"unix:path=/nowhere"};
  nobody.io.run_for(5s);
  CHECK(nobody.ended);
  CHECK(nobody.last == manager_facts{});
}

TEST_CASE("NetworkManager is believed when it is there, when it changes its mind, and when it goes",
          "[sync][link_watch]") {
  if (!std::filesystem::exists(bus_daemon)) {
    WARN("skipped: there is no dbus-daemon here");
    return;
  }
  private_bus bus;
  follower ours{bus.address()};
  ours.io.run_for(50ms);
  CHECK_FALSE(ours.ended);  // a bus without NetworkManager: it may come
  CHECK(ours.last == manager_facts{});
  {
    fake_manager manager{bus.address(), 2, 1};
    CHECK(ours.hears({reach::portal, true}));
    manager.say(4, 2);
    CHECK(ours.hears({reach::full, false}));
  }
  CHECK(ours.hears({}));
  bus.stop();
  ours.io.run_for(5s);
  CHECK(ours.ended);
}
