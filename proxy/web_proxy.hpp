#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "proxy/asked.hpp"
#include "proxy/copy_permits.hpp"
#include "proxy/gateway.hpp"
#include "proxy/hot_bodies.hpp"
#include "proxy/intercept.hpp"
#include "proxy/offline_page.hpp"
#include "proxy/own_pages.hpp"
#include "proxy/request_handler.hpp"
#include "proxy/stored_answer.hpp"
#include "sync/clock.hpp"
#include "sync/downloads.hpp"
#include "sync/part_keeper.hpp"
#include "sync/queue_runner.hpp"

namespace cistern::proxy {

struct web_proxy_settings {
  std::uint16_t own_port = 0;  // requests to it through the proxy are refused
  std::set<std::uint16_t> connect_ports{443};
  std::chrono::milliseconds patience{2'000};  // for an origin, while a stored copy waits
  std::chrono::milliseconds tunnel_idle{300'000};
  bool allow_private = false;  // for clients that are not on this machine
  std::string dashboard{};     // "http://localhost:8910/"
  gateway_settings gateway{};
};

/// Answers the browser: from the repository when it can, else through sync. The network is never on the path of a hit.
class web_proxy final : public request_handler {
public:
  struct parts {
    store::repository& kept;
    sync::downloads& fetching;
    sync::queue_runner& queue;
    sync::clock const& wall;
    own_pages const& own;
    sync::resolver& names;
    sync::client_options client;
    std::filesystem::path webroot;
    class dashboard* board = nullptr;  // everything under our own names, the API included
    interception* tls = nullptr;       // null: every CONNECT is a tunnel
  };
  web_proxy(parts given, web_proxy_settings settings);
  ~web_proxy() override;

  void enter_thread(boost::asio::any_io_executor const& executor) override;
  void leave_thread() override;
  void rest_thread() override;
  bool answer_now(sync::head_view const& head, connection& peer, outgoing& out) override;
  boost::asio::awaitable<after> answer(sync::head_view const& head, connection& peer) override;

private:
  struct exchange;                                   // one request on its way to its answer
  [[nodiscard]] static sync::http_client& client();  // this thread's
  [[nodiscard]] bool is_own_address(std::string_view url) const;
  [[nodiscard]] bool is_offline(std::string_view url) const;
  [[nodiscard]] std::function<bool(boost::asio::ip::address const&)> allowed_for(connection const& peer,
                                                                                 std::uint16_t port) const;

  [[nodiscard]] std::optional<store::reuse_decision> usable_as_is(asked const& request,
                                                                  store::stored_object const& object) const;
  [[nodiscard]] std::optional<store::stored_object> stitched(exchange const& x, on_hand const& copy,
                                                             bool offline) const;
  boost::asio::awaitable<after> answer_own(sync::head_view const& head, connection& peer);
  bool gateway_answer_now(gateway_names::site site, sync::head_view const& head, connection& peer, outgoing& out);
  boost::asio::awaitable<after> answer_gateway(gateway_names::site site, sync::head_view const& head, connection& peer);
  [[nodiscard]] bool is_stored(std::string_view url) const;
  boost::asio::awaitable<after> answer_connect(sync::head_view const& head, connection& peer);
  boost::asio::awaitable<bool> end_tunnel_here(sync::origin const& to, connection& peer,
                                               std::shared_ptr<SSL_CTX> context);
  boost::asio::awaitable<after> answer_upgrade(exchange& x);
  boost::asio::awaitable<after> answer_reserved(exchange& x, std::string_view path);
  boost::asio::awaitable<after> pass_through(exchange& x);
  boost::asio::awaitable<after> keep_posted(exchange& x, sync::response answer, store::arrival when);
  boost::asio::awaitable<after> answer_cached(exchange& x);
  boost::asio::awaitable<after> fetch(exchange& x, found_on_hand found);
  boost::asio::awaitable<after> fetch_head(exchange& x, found_on_hand found);
  boost::asio::awaitable<after> fall_back(exchange& x, found_on_hand const& found, boost::system::error_code why);
  boost::asio::awaitable<after> send_on_hand(exchange& x, on_hand const& copy, std::string_view detail,
                                             store::cache_status::forward why);
  boost::asio::awaitable<after> say(exchange& x, unsigned status, std::string_view type, std::string text,
                                    std::string_view extra);
  boost::asio::awaitable<after> not_here(exchange& x, link_trouble why, boost::system::error_code failure = {});
  /// `answered` is the status of an origin that did answer, with an error.
  boost::asio::awaitable<after> origin_trouble_page(exchange& x, found_on_hand const& found,
                                                    boost::system::error_code why, unsigned answered = 0);
  [[nodiscard]] bool is_worth_asking_alone(exchange const& x);
  boost::asio::awaitable<std::optional<after>> fetch_part(exchange& x, found_on_hand const& found);
  boost::asio::awaitable<after> send_and_keep(exchange& x, sync::response answer, sync::part_keeper keeper,
                                              store::cache_status cache);
  void revalidate_behind(exchange& x, found_on_hand const& found);
  [[nodiscard]] sync::wish wish_for(exchange& x, std::vector<store::stored_object> held) const;

  parts parts_;
  web_proxy_settings settings_;
  page_template offline_template_;
  page_texts texts_;
  std::string token_;
  copy_permits copies_;
  gateway gateway_;
  hot_bodies hot_{8u << 20};
  std::mutex clients_mutex_;
  std::map<std::thread::id, std::unique_ptr<sync::http_client>> clients_;
};

}  // namespace cistern::proxy
