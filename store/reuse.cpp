#include "store/reuse.hpp"

#include <algorithm>

namespace cistern::store {
namespace {

using std::chrono::seconds;

/// Is what the client asks of age and freshness met (§5.2.1)?
bool young_enough(request_directives const& request, seconds age, seconds ttl) {
  if (request.max_age && age > *request.max_age) return false;
  return !request.min_fresh || ttl >= *request.min_fresh;
}

/// RFC 8246 §2: a reload, which browsers send as max-age=0, need not ask for what never changes.
bool is_plain_reload(request_directives const& request) { return request.max_age == seconds{0} && !request.min_fresh; }

reuse while_stale(stored_policy const& policy, request_directives const& request, seconds age, seconds staleness) {
  bool const wants_fresher = request.min_fresh || (request.max_age && age > *request.max_age);
  if (policy.is(stored_policy::must_revalidate) || wants_fresher) return reuse::validate;
  if (policy.stale_while_revalidate > 0 && staleness.count() <= policy.stale_while_revalidate)
    return reuse::stale_while_validating;
  bool const asked_for = request.max_stale && staleness <= *request.max_stale;
  return asked_for && !policy.is(stored_policy::shared_must_revalidate) ? reuse::stale_by_request : reuse::validate;
}

reuse while_link_is_up(stored_policy const& policy, request_directives const& request, seconds age, seconds ttl) {
  if (policy.is(stored_policy::always_validate) || policy.is(stored_policy::varies_on_everything))
    return reuse::validate;
  if (request.wants_validation()) return reuse::validate;
  if (ttl.count() <= 0) return while_stale(policy, request, age, -ttl);
  if (policy.is(stored_policy::immutable) && is_plain_reload(request)) return reuse::fresh;
  return young_enough(request, age, ttl) ? reuse::fresh : reuse::validate;
}

}  // namespace

reuse_decision decide(stored_policy const& policy, request_directives const& request, link_view link,
                      std::chrono::sys_seconds now, cache_settings const& settings) {
  auto const age = current_age(policy, now);
  auto const ttl = seconds{policy.lifetime} - age;
  auto what = while_link_is_up(policy, request, age, ttl);
  if (what == reuse::validate && link.down) {
    bool const allowed = settings.offline_serves_everything || may_serve_on_error(policy, now);
    what = allowed ? reuse::offline : reuse::forbidden;
  } else if (what == reuse::validate && request.only_if_cached) {
    what = reuse::unavailable;
  }
  return {what, age, ttl};
}

bool may_serve_on_error(stored_policy const& policy, std::chrono::sys_seconds now) {
  if (policy.is(stored_policy::always_validate)) return false;
  if (is_fresh(policy, now)) return true;
  if (policy.is(stored_policy::must_revalidate)) return false;
  if (!policy.is(stored_policy::shared_must_revalidate)) return true;
  auto const staleness = -time_to_live(policy, now).count();
  return staleness <= std::max(policy.stale_if_error, policy.stale_while_revalidate);
}

bool is_origin_failure(unsigned status) { return status == 500 || status == 502 || status == 503 || status == 504; }

}  // namespace cistern::store
