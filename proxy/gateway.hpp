#pragma once

/// Sites under names of ours, for browsers that were not set up: http://www.example.org.localhost:8910/.
///
/// A request to such a name is translated into the request to the site that the proxy answers anyway; its answer is
/// translated back on the way out. What is stored is always the origin's bytes. Pages, style sheets and drawings have
/// their addresses rewritten (stitch/rewrite.hpp), which is remembered by digest; everything else passes as it is.

#include "proxy/connection.hpp"
#include "proxy/gateway_fields.hpp"
#include "proxy/gateway_names.hpp"

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cistern::proxy {

struct gateway_settings {
  bool enabled = true;
  std::string domain = "localhost";
  bool allow_private = false;  // sites on private addresses: a page from outside could reach the neighbours through us
  std::size_t memory = 32u << 20;  // for rewritten bodies
};

/// One request to a gateway name.
struct gateway_visit {
  gateway_names::site site;
  bool secure = true;
  std::string text;  // the translated head
  sync::head_view head;
  std::string url;       // the site's own address
  std::string for_what;  // Sec-Fetch-Dest
  bool shown = true;     // not read by a script
  bool is_head = false;
  bool had_our_tag = false;  // asks with the tag of a body that we changed
};

/// Safe to use from all of the listener's threads.
class gateway {
public:
  gateway(gateway_settings settings, std::filesystem::path const& webroot);

  [[nodiscard]] gateway_settings const& settings() const { return settings_; }
  [[nodiscard]] gateway_names const& names() const { return names_; }

  /// Whether this Host field is one of ours.
  [[nodiscard]] std::optional<gateway_names::site> site_of(std::string_view host) const;
  /// The request as the site would have got it. Nothing when it cannot be one.
  [[nodiscard]] std::unique_ptr<gateway_visit> visit(sync::head_view const& head, gateway_names::site site,
                                                     bool secure) const;
  /// What is answered under every gateway name by ourselves: the scripts. False when it is not that.
  [[nodiscard]] bool answer_own(sync::head_view const& head, outgoing& out) const;

  /// How a response has to be treated.
  enum class treatment { pass, page, style, drawing, manifest, worker, service_worker };
  [[nodiscard]] treatment treatment_of(gateway_visit const& visit, sync::head_view const& response) const;
  /// The response's head as the browser is to see it. `length` of the new body, when the body is a new one.
  [[nodiscard]] std::string head_of(gateway_visit const& visit, sync::head_view const& response, treatment what,
                                    std::optional<std::size_t> length) const;
  /// The body as the browser is to see it, null when it is to stay as it is. `body` is as it was sent, still coded.
  [[nodiscard]] std::shared_ptr<std::string const> rewritten(gateway_visit const& visit,
                                                             sync::head_view const& response, treatment what,
                                                             std::string_view body);
  /// The same, when it is remembered.
  [[nodiscard]] std::shared_ptr<std::string const> remembered(gateway_visit const& visit,
                                                              sync::head_view const& response, treatment what,
                                                              std::string_view body, std::string& key);

  /// Hosts that were found to speak http only, and those that were seen to speak https: these are never asked without.
  [[nodiscard]] bool is_plain(gateway_names::site const& site) const;
  void note_plain(gateway_names::site const& site);
  [[nodiscard]] bool is_secure(gateway_names::site const& site) const;
  void note_secure(gateway_names::site const& site);

private:
  [[nodiscard]] std::string make(gateway_visit const& visit, sync::head_view const& response, treatment what,
                                 std::string_view body) const;
  void remember(std::string key, std::shared_ptr<std::string const> body);
  [[nodiscard]] own_scripts scripts_for(gateway_names::site const& site) const;
  [[nodiscard]] std::string worker_script(std::string_view door) const;

  gateway_settings settings_;
  gateway_names names_;
  std::string script_;       // of pages: its text
  std::string script_hash_;  // "sha256-..."
  std::string worker_;       // what a service worker has beside it
  mutable std::mutex mutex_;
  struct kept {
    std::string key;
    std::shared_ptr<std::string const> body;
  };
  std::list<kept> recent_;  // newest first
  std::unordered_map<std::string, std::list<kept>::iterator> by_key_;
  std::size_t held_ = 0;
  std::set<std::string> plain_, secure_;
};

}  // namespace cistern::proxy
