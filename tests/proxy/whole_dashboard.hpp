#pragma once

#include "proxy/dashboard/dashboard.hpp"
#include "proxy/dashboard/password.hpp"
#include "proxy/listener.hpp"
#include "proxy/web_proxy.hpp"
#include "sync/search/search.hpp"
#include "tests/support/http_get.hpp"
#include "tests/support/whole_engine.hpp"

#include <boost/json/parse.hpp>

namespace cistern::tests {

using namespace std::chrono_literals;

/// The daemon's own pages over a real repository and engine, on a port of their own.
struct whole_dashboard : whole_engine {
  sync::queue_runner queue{*store, *fetching, link, clock, names, {}};
  sync::search finding{*store, {.gather = 1ms}};
  proxy::api interface {
    {
      .engine = *engine, .kept = *store, .link = link, .wall = clock, .version = "test", .search = &finding,
      .queue_changed = [this] { queue.wake(); }
    }
  };
  proxy::listener server{{.endpoint = {boost::asio::ip::address_v4::loopback(), 0}, .threads = 2}};
  proxy::own_pages own{{.webroot = CISTERN_WEBROOT,
                        .facts = [] { return proxy::status_facts{}; },
                        .link = &link,
                        .carried_hosts = [] { return std::vector<std::string>{}; },
                        .address = "localhost"}};
  proxy::dashboard board{{.interface = interface,
                          .own = own,
                          .kept = *store,
                          .wall = clock,
                          .webroot = CISTERN_WEBROOT,
                          .access = {.hosts = {"cistern.lan"}, .password = proxy::hash_password("river water")},
                          .version = "test",
                          .through_proxy = [](std::string const&) { return std::string{"refused"}; }}};
  proxy::web_proxy handler{{.kept = *store,
                            .fetching = *fetching,
                            .queue = queue,
                            .wall = clock,
                            .own = own,
                            .names = names,
                            .client = {},
                            .webroot = CISTERN_WEBROOT,
                            .board = &board},
                           {.own_port = server.endpoint().port()}};

  whole_dashboard() { server.start(handler); }
  ~whole_dashboard() { server.stop(); }

  http_reply send(std::string method, std::string target, std::map<std::string, std::string> headers = {},
                  std::string body = {}) {
    return http_send({.port = server.endpoint().port(),
                      .target = std::move(target),
                      .method = std::move(method),
                      .headers = std::move(headers),
                      .body = std::move(body)});
  }
  http_reply get(std::string target, std::map<std::string, std::string> headers = {}) {
    return send("GET", std::move(target), std::move(headers));
  }
  boost::json::object read(std::string target) { return boost::json::parse(get(std::move(target)).body).as_object(); }
  http_reply change(std::string method, std::string target, std::string body) {
    return send(std::move(method), std::move(target), {{"X-Cistern", "1"}}, std::move(body));
  }

  store::item keep(std::uint64_t feed, int number, std::chrono::sys_seconds seen, std::string content = "text") {
    store::item item{.subscription = feed};
    item.identity = store->url_digest("item " + std::to_string(feed) + '/' + std::to_string(number));
    item.title = "Item " + std::to_string(number);
    item.link = "http://paper.test/" + std::to_string(number);
    item.content = std::move(content);
    item.first_seen = seen;
    item.published = std::chrono::sys_seconds{1'800'000'000s} + std::chrono::seconds{number};
    store.write([item](store::write_batch& b) { return b.put_item(item), true; });
    return item;
  }
};

inline std::string header(http_reply const& reply, std::string const& name) {
  auto const at = reply.headers.find(name);
  return at == reply.headers.end() ? "(absent)" : at->second;
}

}  // namespace cistern::tests
