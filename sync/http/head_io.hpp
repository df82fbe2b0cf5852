#pragma once

#include "sync/framing.hpp"
#include "sync/http/connection.hpp"
#include "sync/http/parent_proxy.hpp"
#include "sync/http/request.hpp"

namespace cistern::sync {

/// The request's head as it goes out; errc::bad_url when method or target would break out of their line.
/// `parent` is the proxy that is to read it, for the absolute form.
[[nodiscard]] result<std::string> write_head(request const& what, parent_proxy const* parent);

/// Reads a response head of at most `limit` bytes; 1xx but 101 are told to `interim` and left behind. `view` points
/// into `link.pending()`, from which the caller consumes `view.size` bytes. errc::truncated when the peer ended before
/// its first byte or inside the head.
[[nodiscard]] boost::asio::awaitable<result<void>> read_head(connection& link, head_view& view, std::size_t limit,
                                                             deadline until, interim_listener const& interim = {});

}  // namespace cistern::sync
