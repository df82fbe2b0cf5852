#pragma once

#include "store/header_block.hpp"
#include "sync/http/origin.hpp"

namespace cistern::sync {

/// Whether a plain answer has the marks of a captive portal's: 511 (RFC 6585 §6), or a redirect of a public host into
/// the local network or to somebody else's login. A second line of defence for answers in doubt; the proof is
/// `network_link::may_store`. Pure.
[[nodiscard]] bool looks_like_portal(origin const& asked, unsigned status, store::header_block const& fields);

}  // namespace cistern::sync
