#pragma once

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <vector>

#include "proxy/stored_answer.hpp"
#include "store/partial_content.hpp"

namespace cistern::proxy {

/// Ranges of what is stored only in part (RFC 9111 §3.3): of a 206, of a download that broke off or still goes on.
struct part_on_hand {
  on_hand from{};
  store::held_part held{};
  store::byte_range wanted{};
};

/// An unfinished response of the right variant that has all of the range that is asked for, and may be used now. With
/// conditions that it cannot judge there is none.
[[nodiscard]] std::optional<part_on_hand> choose_part(asked const& request, store::header_block const& fields,
                                                      std::vector<store::stored_object> const& unfinished,
                                                      store::cache_settings const& settings, bool offline,
                                                      std::chrono::sys_seconds now);

boost::asio::awaitable<after> send_part(store::repository& kept, connection& peer, asked const& request,
                                        part_on_hand part, std::chrono::sys_seconds now, bool keep);

}  // namespace cistern::proxy
