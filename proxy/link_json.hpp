#pragma once

#include "sync/link.hpp"

#include <string>

namespace cistern::proxy {

/// The link for programs: {"state","mode","reason","since","metered","name","in_doubt","clock_trouble","history":[…]}.
/// Times are RFC 3339 in UTC.
[[nodiscard]] std::string link_json(sync::network_link const& link);

}  // namespace cistern::proxy
