#include "sync/link_watch/network_manager.hpp"

#include "sync/systemd.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace cistern::sync {
namespace {

namespace net = boost::asio;

constexpr char const* service = "org.freedesktop.NetworkManager";
constexpr char const* object = "/org/freedesktop/NetworkManager";
constexpr char const* property_changes =
    "type='signal',sender='org.freedesktop.NetworkManager',path='/org/freedesktop/NetworkManager',"
    "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'";
constexpr char const* its_coming_and_going =
    "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.freedesktop.NetworkManager'";

struct close_bus {
  void operator()(sd_bus* bus) const noexcept { systemd()->bus_close_unref(bus); }
};
using bus_handle = std::unique_ptr<sd_bus, close_bus>;

// Where the system has no bus, as on small boxes, the library need not even be loaded.
bool has_system_bus() {
  return std::getenv("DBUS_SYSTEM_BUS_ADDRESS") || ::access("/run/dbus/system_bus_socket", F_OK) == 0;
}

bus_handle open_bus(std::string const& address) {
  if ((address.empty() && !has_system_bus()) || !systemd()) return nullptr;
  sd_bus* bus = nullptr;
  if (address.empty()) return systemd()->bus_open_system(&bus) < 0 ? nullptr : bus_handle{bus};
  if (systemd()->bus_new(&bus) < 0) return nullptr;
  bus_handle out{bus};
  auto const started = systemd()->bus_set_address(bus, address.c_str()) >= 0 &&
                       systemd()->bus_set_bus_client(bus, 1) >= 0 && systemd()->bus_start(bus) >= 0;
  return started ? std::move(out) : nullptr;
}

/// One conversation with the bus. sd-bus calls back on the thread that processes.
class conversation {
public:
  conversation(sd_bus* bus, std::function<void(manager_facts)> told) : bus_{bus}, told_{std::move(told)} {}

  bool begin() {
    return systemd()->bus_add_match_async(bus_, nullptr, property_changes, on_change, nullptr, this) >= 0 &&
           systemd()->bus_add_match_async(bus_, nullptr, its_coming_and_going, on_change, nullptr, this) >= 0 && ask();
  }

private:
  /// One property a call: whatever a version adds or drops, these two stay.
  bool ask() {
    return ask_for("Connectivity", &conversation::connectivity_) && ask_for("Metered", &conversation::metered_);
  }

  struct question {
    conversation* self;
    std::uint32_t conversation::*to;
  };

  bool ask_for(char const* property, std::uint32_t conversation::*to) {
    auto& asked = to == &conversation::connectivity_ ? questions_[0] : questions_[1];
    asked = {this, to};
    return systemd()->bus_call_method_async(bus_, nullptr, service, object, "org.freedesktop.DBus.Properties", "Get",
                                            on_answer, &asked, "ss", service, property) >= 0;
  }

  static int on_change(sd_bus_message*, void* self, sd_bus_error*) noexcept {
    static_cast<conversation*>(self)->ask();
    return 0;
  }

  static int on_answer(sd_bus_message* answer, void* data, sd_bus_error*) noexcept {
    auto const& asked = *static_cast<question*>(data);
    std::uint32_t value = 0;  // unknown, for both
    // An error is a NetworkManager that is not there.
    if (systemd()->bus_message_is_method_error(answer, nullptr) == 0)
      static_cast<void>(systemd()->bus_message_read(answer, "v", "u", &value));
    asked.self->*asked.to = value;
    asked.self->tell();
    return 0;
  }

  void tell() noexcept try {
    auto const now = manager_facts_from(connectivity_, metered_);
    if (now == last_) return;
    last_ = now;
    told_(now);
  } catch (...) {
    // No exception may pass through C; what could not be told is told at the next change.
    last_ = {};
  }

  sd_bus* bus_;
  std::function<void(manager_facts)> told_;
  question questions_[2]{};
  std::uint32_t connectivity_ = 0;
  std::uint32_t metered_ = 0;
  manager_facts last_{};
};

}  // namespace

manager_facts manager_facts_from(std::uint32_t connectivity, std::uint32_t metered) {
  using reach = manager_facts::connectivity;
  manager_facts out;
  if (connectivity >= 1 && connectivity <= 4) out.reach = static_cast<reach>(connectivity - 1);
  if (metered == 1 || metered == 3) out.metered = true;
  if (metered == 2) out.metered = false;
  return out;
}

net::awaitable<void> follow_network_manager(std::string address, std::function<void(manager_facts)> told) {
  auto const bus = open_bus(address);
  if (!bus) co_return;
  conversation talk{bus.get(), std::move(told)};
  if (!talk.begin()) co_return;
  // A descriptor of our own: the bus closes its one, and Asio must not.
  net::posix::stream_descriptor ready{co_await net::this_coro::executor, ::dup(systemd()->bus_get_fd(bus.get()))};
  for (;;) {
    int done = 0;
    do done = systemd()->bus_process(bus.get(), nullptr);
    while (done > 0);
    if (done < 0) co_return;  // the bus went away
    // Writing never blocks here for more than a moment: our questions are a few bytes.
    if (systemd()->bus_flush(bus.get()) < 0) co_return;
    auto const [failed] =
        co_await ready.async_wait(net::posix::descriptor_base::wait_read, net::as_tuple(net::use_awaitable));
    if (failed) co_return;
  }
}

}  // namespace cistern::sync
