#pragma once

#include "sync/downloads.hpp"

#include <string>

namespace cistern::sync {

/// For what a person fetches past the repository (a tunnel, a form, a part): it is bound by the budget, and written
/// into the ledger when the last who holds its meter lets go of it. `from` outlives them all.
void put_on_account(downloads& from, request_options& options, std::string const& url, std::string const& host);

}  // namespace cistern::sync
