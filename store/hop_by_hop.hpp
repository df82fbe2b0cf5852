#pragma once

#include "store/header_block.hpp"

#include <string_view>

namespace cistern::store {

/// Fields that are meant for the next peer only (RFC 9110 §7.6.1, RFC 9111 §3.1): never stored, never forwarded.

/// Connection, Keep-Alive, Proxy-Connection, Proxy-Authenticate, Proxy-Authorization, Proxy-Authentication-Info, TE,
/// Trailer, Transfer-Encoding, Upgrade and the obsolete Proxy-* of the same kind.
[[nodiscard]] bool is_hop_by_hop(std::string_view name);

/// The fields without those, and without what Connection names. Fields on which framing, routing or privacy rest (Host,
/// Content-Length, Cache-Control, Authorization, …) stay whatever Connection says: naming them is an old trick to make
/// a proxy forget them.
[[nodiscard]] header_block end_to_end(header_block const& fields);

}  // namespace cistern::store
