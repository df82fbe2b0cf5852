#pragma once

/// Everything under our own names: the dashboard's pages, its files, the API and its events. The pages are made here
/// from what the API says and can be read without scripts; the scripts in webroot/assets make them live.

#include "proxy/api/api.hpp"
#include "proxy/dashboard/guard.hpp"
#include "proxy/dashboard/static_files.hpp"
#include "proxy/own_pages.hpp"
#include "proxy/page_template.hpp"
#include "proxy/page_texts.hpp"
#include "proxy/request_handler.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace cistern::proxy {

class dashboard {
public:
  struct parts {
    api& interface;
    own_pages const& own;  // what is older than the dashboard: health, PAC file, link
    store::repository& kept;
    sync::clock const& wall;
    std::filesystem::path webroot{};
    guard_options access{};
    std::string version{};
    /// Where a stored page is opened, given its address and the Host that was asked; empty: at its own address, through
    /// the proxy that the browser uses.
    std::function<std::string(std::string_view url, std::string_view host)> door{};
    std::string gateway_domain{};  // for the page that tries the doors; empty: there is no gateway
    /// How https to a host fares through the proxy: the end of a key "door.…" of the texts.
    std::function<std::string(std::string const& host)> through_proxy{};
  };
  /// Reads the files of `webroot`; throws std::runtime_error when they are not there.
  explicit dashboard(parts given);

  /// Any of the listener's threads; see request_handler::answer.
  boost::asio::awaitable<after> answer(sync::head_view const& head, connection& peer);

private:
  struct reply {
    unsigned status = 200;
    std::string type{"text/html; charset=utf-8"};
    std::string body{};
    std::string extra{};                                                  // header lines, each with its end
    bool pictures = false;  // has frames with pages of others, made still (stitch/html/still.hpp)
  };
  boost::asio::awaitable<after> stream(connection& peer);
  boost::asio::awaitable<reply> respond(sync::head_view const& head, connection& peer, std::string body);
  boost::asio::awaitable<reply> page(std::string path, std::string query, std::string host);
  boost::asio::awaitable<boost::json::object> ask(std::string target);
  boost::asio::awaitable<reply> new_items(std::string query, std::string host);
  boost::asio::awaitable<reply> reading_view(std::string key, std::string host);
  boost::asio::awaitable<reply> sites(std::string query, std::string host);
  boost::asio::awaitable<reply> sync_state();
  boost::asio::awaitable<reply> rhythm(std::string id);
  boost::asio::awaitable<reply> savings();
  boost::asio::awaitable<reply> search(std::string query, std::string host);  // search_page.cpp
  boost::asio::awaitable<reply> set_up(std::string host);
  boost::asio::awaitable<reply> lab(std::string query);
  boost::asio::awaitable<reply> lab_upload(std::string type, std::string body);
  [[nodiscard]] reply show_lab(page_values values, boost::json::object const& facts);
  [[nodiscard]] reply turned_away(sync::head_view const& head, guard::judgement const& why);
  [[nodiscard]] reply log_in(sync::head_view const& head, std::string_view body, std::string const& from);
  [[nodiscard]] reply picture(std::string const& url);
  [[nodiscard]] reply asset(sync::head_view const& head, std::string_view name) const;
  [[nodiscard]] reply message(unsigned status, std::string words);
  [[nodiscard]] page_values common(std::string_view name);
  [[nodiscard]] reply show(std::string_view name, page_values values);
  void add_doors(page_values& site, std::string_view host) const;

  parts parts_;
  std::string policy_, picture_policy_;
  guard guard_;
  static_files files_;
  page_texts texts_;
  page_template frame_;
  std::map<std::string, page_template, std::less<>> pages_;
  std::atomic<int> streams_{0};
};

}  // namespace cistern::proxy
