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

/// One policy, or several with commas between (as header lines join), in the gateway's names. Reports would leave, so
/// they go; so does the upgrade to https, which the gateway has done. `script` is the address of our own script and
/// `script_hash` its "sha256-...": one of them is let in where scripts are listed.
[[nodiscard]] std::string rewritten_policy(std::string_view policies, gateway_names const& names, std::string_view door,
                                           std::string_view script, std::string_view script_hash);

}  // namespace cistern::proxy
