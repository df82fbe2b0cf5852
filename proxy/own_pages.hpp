#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/authority.hpp"
#include "proxy/connection.hpp"
#include "proxy/status_page.hpp"
#include "sync/framing.hpp"
#include "sync/link.hpp"

namespace cistern::sync {
class fetcher;
}

namespace cistern::proxy {

/// What is answered under our own names: the status page, what watches the program, the proxy's set-up file, and the
/// few commands that scripts and `cistern online` send. Carried sites cannot reach it: the Host must be ours, and a
/// change needs a header that no page of another origin can set without asking.
class own_pages {
public:
  struct parts {
    std::filesystem::path webroot;
    status_source facts;
    sync::network_link* link = nullptr;
    std::function<std::vector<std::string>()> carried_hosts;
    std::string address;                          // "localhost:8910", for the PAC file
    std::string gateway_domain = "localhost";     // what follows a site's name; empty: there is no gateway
    proxy::authority const* authority = nullptr;  // whose certificate is offered
    sync::fetcher* fetching = nullptr;            // /api/v1/fetch
  };

  explicit own_pages(parts given);

  /// `body` is the request's, read already. `judged`: somebody (the dashboard) has made sure that it may be answered.
  void answer(sync::head_view const& head, std::string_view body, outgoing& out, bool judged = false) const;
  /// Why this request is not answered under our own names: status and sentence; nothing when it is.
  [[nodiscard]] static std::optional<std::pair<unsigned, std::string>> refusal(sync::head_view const& head);
  /// "localhost", an IP literal, with or without a port.
  [[nodiscard]] static bool is_own_host(std::string_view host);

private:
  void link_command(std::string_view body, outgoing& out) const;
  void go(sync::head_view const& head, outgoing& out) const;
  [[nodiscard]] bool answer_certificate(std::string_view target, bool head_only, outgoing& out) const;
  [[nodiscard]] bool is_ours(std::string_view host) const;
  parts parts_;
  status_page page_;
  page_template ca_page_;
};

}  // namespace cistern::proxy
