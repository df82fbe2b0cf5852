#pragma once

/// Content-Security-Policy on the gateway: what a site says about its sources is said again in the gateway's names, so
/// that it still protects; and a policy of our own keeps a page inside.

#include "proxy/gateway_names.hpp"

#include <string>
#include <string_view>

namespace cistern::proxy {

/// Nothing a page does may go past Cistern: every kind of request has to go to a gateway name. The dashboard's own name
/// is none.
[[nodiscard]] std::string gateway_policy(gateway_names const& names, std::string_view door);

/// The same as a page's own <meta> may say it: for pages inside pages (srcdoc), whatever the outer page has.
[[nodiscard]] std::string inner_policy(gateway_names const& names, std::string_view door);

/// The same for a page that our service worker sees the requests of: scripts may name anybody, because it gives them
/// gateway names and is itself bound by the policy above. Nothing else can be named that way that our other script
/// does not see. Frames that would have this policy and not that worker (data:, blob:) are not allowed.
[[nodiscard]] std::string with_worker_policy(gateway_names const& names, std::string_view door);

/// Where our own scripts are, under the site's name on the gateway.
struct own_scripts {
  std::string page;       // first in each page
  std::string page_hash;  // its "sha256-..."
  std::string worker;     // the service worker
};

/// One policy, or several with commas between (as header lines join), in the gateway's names. Reports would leave, so
/// they go; so does the upgrade to https, which the gateway has done. Our own scripts are let in where scripts and
/// workers are listed.
[[nodiscard]] std::string rewritten_policy(std::string_view policies, gateway_names const& names, std::string_view door,
                                           own_scripts const& ours);

}  // namespace cistern::proxy
