#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
    std::string address;  // "localhost:8910", for the PAC file
    sync::fetcher* fetching = nullptr;
  };

  explicit own_pages(parts given);

  /// `body` is the request's, read already. Some things are for clients on this machine only.
  void answer(sync::head_view const& head, std::string_view body, outgoing& out, bool is_local = true) const;
  /// Why this request is not answered under our own names: status and sentence; nothing when it is.
  [[nodiscard]] static std::optional<std::pair<unsigned, std::string>> refusal(sync::head_view const& head);
  /// "localhost", an IP literal, with or without a port.
  [[nodiscard]] static bool is_own_host(std::string_view host);

private:
  void link_command(std::string_view body, outgoing& out) const;
  parts parts_;
  status_page page_;
};

}  // namespace cistern::proxy
