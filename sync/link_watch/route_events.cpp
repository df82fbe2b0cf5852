#include "sync/link_watch/route_events.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>

namespace cistern::sync {
namespace {

namespace net = boost::asio;

constexpr std::size_t most_messages = 1 << 16;  // a table of that size is no box at the end of a bad link

/// Netlink wants its messages aligned and buffers of a page or more.
struct alignas(nlmsghdr) message_buffer : std::array<char, 32 << 10> {};

struct descriptor {
  int fd = -1;
  ~descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

int open_netlink(unsigned groups) {
  auto const fd = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  sockaddr_nl self{};
  self.nl_family = AF_NETLINK;
  self.nl_groups = groups;
  if (fd >= 0 && ::bind(fd, reinterpret_cast<sockaddr const*>(&self), sizeof self) == 0) return fd;
  auto const error = errno;
  if (fd >= 0) ::close(fd);
  throw boost::system::system_error{error, boost::system::system_category(), "rtnetlink"};
}

struct candidate {
  int index = 0;
  std::uint32_t metric = UINT32_MAX;
};

/// An attribute that holds a 32-bit number.
std::uint32_t number_in(rtattr const* attribute) {
  std::uint32_t value{};
  if (RTA_PAYLOAD(attribute) >= sizeof value) std::memcpy(&value, RTA_DATA(attribute), sizeof value);
  return value;
}

/// Several next hops under one route: the first with a live link.
int first_hop(rtattr* attribute) {
  auto left = static_cast<int>(RTA_PAYLOAD(attribute));
  for (auto* hop = static_cast<rtnexthop*>(RTA_DATA(attribute)); RTNH_OK(hop, left);) {
    if ((hop->rtnh_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN)) == 0) return hop->rtnh_ifindex;
    left -= RTNH_ALIGN(hop->rtnh_len);
    hop = RTNH_NEXT(hop);
  }
  return 0;
}

void consider(nlmsghdr* message, candidate& best) {
  auto* const route = static_cast<rtmsg*>(NLMSG_DATA(message));
  if (message->nlmsg_type != RTM_NEWROUTE || message->nlmsg_len < NLMSG_LENGTH(sizeof(rtmsg))) return;
  if (route->rtm_dst_len != 0 || route->rtm_type != RTN_UNICAST || route->rtm_table == RT_TABLE_LOCAL) return;
  if ((route->rtm_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN)) != 0) return;
  candidate found{.metric = 0};
  auto left = static_cast<int>(RTM_PAYLOAD(message));
  for (auto* a = RTM_RTA(route); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
    if (a->rta_type == RTA_OIF) found.index = static_cast<int>(number_in(a));
    if (a->rta_type == RTA_PRIORITY) found.metric = number_in(a);
    if (a->rta_type == RTA_MULTIPATH) found.index = first_hop(a);
  }
  if (found.index != 0 && (best.index == 0 || found.metric < best.metric)) best = found;
}

/// Reads one dump to its end; false when it broke off.
bool read_dump(int socket, candidate& best) {
  message_buffer buffer{};
  for (std::size_t seen = 0; seen < most_messages;) {
    auto left = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (left <= 0) return false;
    for (auto* m = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(m, static_cast<std::size_t>(left));
         m = NLMSG_NEXT(m, left), ++seen) {
      if (m->nlmsg_type == NLMSG_DONE) return true;
      if (m->nlmsg_type == NLMSG_ERROR) return false;
      consider(m, best);
    }
  }
  return false;
}

bool ask_for_routes(int socket, int family) {
  struct {
    nlmsghdr head{};
    rtmsg body{};
  } question;
  question.head.nlmsg_len = NLMSG_LENGTH(sizeof(rtmsg));
  question.head.nlmsg_type = RTM_GETROUTE;
  question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.body.rtm_family = static_cast<unsigned char>(family);
  return ::send(socket, &question, question.head.nlmsg_len, 0) == static_cast<ssize_t>(question.head.nlmsg_len);
}

}  // namespace

std::optional<way_out> default_route() try {
  candidate best;
  // IPv4 first: where both are there the metrics of the two families do not compare.
  for (int const family : {AF_INET, AF_INET6}) {
    descriptor const socket{open_netlink(0)};
    if (!ask_for_routes(socket.fd, family)) return {};
    static_cast<void>(read_dump(socket.fd, best));
    if (best.index != 0) break;
  }
  std::array<char, IF_NAMESIZE> name{};
  if (best.index == 0 || ::if_indextoname(static_cast<unsigned>(best.index), name.data()) == nullptr) return {};
  return way_out{name.data(), static_cast<unsigned>(best.index)};
} catch (boost::system::system_error const&) {
  return {};
}

route_events::route_events(net::any_io_executor const& executor)
    : socket_{executor, open_netlink(RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_IFADDR |
                                     RTMGRP_IPV6_IFADDR)} {}

net::awaitable<void> route_events::changed() {
  co_await socket_.async_wait(net::posix::descriptor_base::wait_read, net::use_awaitable);
  message_buffer buffer{};
  // ENOBUFS is news too: there were more events than room for them.
  while (::recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT) > 0 || errno == ENOBUFS) {
  }
}

}  // namespace cistern::sync
