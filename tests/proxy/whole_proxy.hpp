#pragma once

#include "proxy/listener.hpp"
#include "proxy/web_proxy.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_origin.hpp"
#include "tests/support/http_get.hpp"
#include "tests/support/temp_store.hpp"

#include <map>
#include <string>

namespace cistern::tests {

using namespace std::chrono_literals;

/// The whole proxy over a real repository, on a port of its own, with a clock that the test turns.
struct whole_proxy {
  fake_clock clock{std::chrono::sys_seconds{1'900'000'000s}};
  temp_store store;
  sync::network_link link{clock};
  sync::resolver names;
  sync::downloads fetching{*store, link, clock, {}};
  sync::queue_runner queue{*store, fetching, link, clock, names, {}};
  proxy::listener server{{.endpoint = {boost::asio::ip::address_v4::loopback(), 0}, .threads = 2}};
  proxy::interception* tls;
  std::string ca_file;
  proxy::web_proxy_settings settings;
  proxy::own_pages own{{.webroot = CISTERN_WEBROOT,
                        .facts = [] { return proxy::status_facts{}; },
                        .link = &link,
                        .carried_hosts = [] { return std::vector<std::string>{}; },
                        .address = "localhost",
                        .authority = tls ? tls->known() : nullptr}};
  proxy::web_proxy handler{{.kept = *store,
                            .fetching = fetching,
                            .queue = queue,
                            .wall = clock,
                            .own = own,
                            .names = names,
                            .client = {.ca_file = ca_file},
                            .webroot = CISTERN_WEBROOT,
                            .tls = tls},
                           settings};

  explicit whole_proxy(std::uint16_t tunnels_to = 443) : whole_proxy{proxy::web_proxy_settings{}, tunnels_to} {}
  explicit whole_proxy(proxy::web_proxy_settings given, std::uint16_t tunnels_to = 443,
                       proxy::interception* ends_tls = nullptr, std::string trusted = {})
      : tls{ends_tls},
        ca_file{std::move(trusted)},
        settings{with_ports(std::move(given), server.endpoint().port(), tunnels_to)} {
    server.start(handler);
  }
  static proxy::web_proxy_settings with_ports(proxy::web_proxy_settings out, std::uint16_t own, std::uint16_t tunnels) {
    out.own_port = own;
    out.connect_ports = {tunnels};
    out.patience = 100ms;
    return out;
  }
  ~whole_proxy() { server.stop(); }

  http_reply get(std::string url, std::map<std::string, std::string> headers = {}, std::string method = "GET",
                 std::string body = {}) {
    return http_send({.port = server.endpoint().port(),
                      .target = std::move(url),
                      .method = std::move(method),
                      .headers = std::move(headers),
                      .body = std::move(body)});
  }
};

inline std::string header(http_reply const& reply, std::string const& name) {
  auto const at = reply.headers.find(name);
  return at == reply.headers.end() ? "(absent)" : at->second;
}

inline fake_origin::script always(std::string fields, std::string body) {
  return [=](fake_exchange& x) { x.answer(200, fields, body); };
}

}  // namespace cistern::tests
