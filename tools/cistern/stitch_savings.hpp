#pragma once

#include <string>

namespace cistern::tools {

/// What stitching saves on a corpus, a line a site and a total: bytes of the page that need not be fetched against
/// bytes of the feed that must, over consecutive versions, plain and with gzip. Returns the exit code.
int print_savings(std::string const& corpus);

}  // namespace cistern::tools
