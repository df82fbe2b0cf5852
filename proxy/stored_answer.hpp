#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "proxy/answer_head.hpp"
#include "proxy/asked.hpp"
#include "proxy/request_handler.hpp"
#include "store/freshness.hpp"
#include "store/ranges.hpp"
#include "store/repository.hpp"
#include "store/reuse.hpp"

namespace cistern::proxy {

/// A stored response that could answer a request.
struct on_hand {
  store::stored_object object;
  store::stored_policy policy;
  bool matches = true;  // false: another variant, taken because the link is down
};

/// Its policy, with what was learned about it since it was stored.
[[nodiscard]] store::stored_policy policy_of(store::stored_object const& object, store::cache_settings const& settings);

struct found_on_hand {
  std::optional<on_hand> best{};
  std::vector<store::stored_object>
      all{};  // every complete current response of the URL: their validators are worth sending
  std::vector<store::stored_object> unfinished{};  // ranges, and downloads that broke off or still go on
};
/// Chooses among the variants of `request.url` (RFC 9111 §4.1).
[[nodiscard]] found_on_hand look_up(store::repository& kept, asked const& request, store::header_block const& fields,
                                    store::cache_settings const& settings, bool offline);

/// What of a stored response is to be sent for this request.
struct stored_plan {
  enum class kind { whole, decoded, not_modified, precondition_failed, partial, unsatisfiable } what = kind::whole;
  std::vector<store::byte_range> ranges{};

  [[nodiscard]] bool needs_body(asked const& request) const {
    return !request.is_head && (what == kind::whole || what == kind::decoded || what == kind::partial);
  }
};
[[nodiscard]] stored_plan plan(asked const& request, store::stored_object const& object);

/// Fills `out` with an answer whose body needs no streaming: everything but long bodies, several ranges and decoding.
/// `body` is the whole stored body.
void compose(outgoing& out, asked const& request, store::stored_object const& object, stored_plan const& what,
             std::chrono::seconds age, store::cache_status const& cache, std::string body);

/// Sends any of it, from the repository, chunk by chunk.
boost::asio::awaitable<after> send_stored(store::repository& kept, connection& peer, asked const& request,
                                          store::stored_object object, std::chrono::seconds age,
                                          store::cache_status cache, bool keep);

}  // namespace cistern::proxy
