#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>

#include "proxy/answer_head.hpp"
#include "proxy/asked.hpp"
#include "proxy/request_handler.hpp"
#include "sync/http/response.hpp"
#include "sync/transfer.hpp"

namespace cistern::proxy {

/// Of an answer whose content coding is taken off on its way to the client.
[[nodiscard]] store::header_block fields_of_decoded(store::header_block fields);

/// Sends what is arriving, as it arrives; decoded for a client that cannot take the coding. A single range of something
/// that is being stored whole is cut out of it; anything else that asks for ranges gets what the origin sends.
boost::asio::awaitable<after> send_transfer(sync::transfer::reader from, sync::arrived_head const& head,
                                            connection& peer, asked const& request, store::cache_status cache,
                                            bool keep);

/// Sends an origin's answer that nobody stores or shares (to POST and the like).
boost::asio::awaitable<after> send_response(sync::response answer, connection& peer, asked const& request,
                                            store::cache_status cache, bool keep);

}  // namespace cistern::proxy
