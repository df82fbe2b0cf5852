#pragma once

#include "sync/fetch.hpp"

namespace cistern::sync {

/// Told of each transfer on the way, once its head is there, and of the size of what it brings.
using transfer_watch = std::function<void(std::shared_ptr<transfer> const&, std::optional<std::uint64_t> total)>;

/// `fetch_once` for somebody who wants to see how far it is.
boost::asio::awaitable<fetch_outcome> fetch_watched(downloads& from, http_client& client, wish what,
                                                    transfer_watch watch);

}  // namespace cistern::sync
