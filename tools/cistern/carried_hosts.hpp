#pragma once

#include "store/repository.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace cistern::tools {

/// The hosts of all subscriptions, for the PAC file and the certificate authority: of their homepages and feeds, and
/// those of the same owner (images.example.org beside www.example.org) that were fetched for them in the last two
/// months. Hosts of others are not carried because a page takes something from there: nobody asked to have them read.
[[nodiscard]] std::vector<std::string> carried_hosts(store::repository& repository, std::chrono::sys_days today);

}  // namespace cistern::tools
