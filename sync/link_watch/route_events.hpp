#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <optional>
#include <string>

namespace cistern::sync {

/// The way to the internet, as the kernel's routing tables have it.
struct way_out {
  std::string interface {};  // "wlan0"
  unsigned index{};
  bool operator==(way_out const&) const = default;
};

/// The default route that would be taken, of either family; one over a link without carrier is none. Reads the tables
/// anew, which takes some microseconds; nothing also when the kernel will not say.
[[nodiscard]] std::optional<way_out> default_route();

/// Wakes when links, addresses or routes change (rtnetlink). The events say only that something did: an interface that
/// is switched off takes its IPv4 routes with it without a word, so the tables are what to look at (default_route).
class route_events {
public:
  /// Throws boost::system::system_error when the kernel has no rtnetlink for us.
  explicit route_events(boost::asio::any_io_executor const& executor);

  /// Returns at the next change. Changes that came before are not lost.
  boost::asio::awaitable<void> changed();

private:
  boost::asio::posix::stream_descriptor socket_;
};

}  // namespace cistern::sync
