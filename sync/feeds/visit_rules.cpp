#include "sync/feeds/visit_rules.hpp"

#include "store/cache_control.hpp"
#include "store/http_date.hpp"

#include <algorithm>
#include <charconv>

namespace cistern::sync {
namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::uint32_t sightings_to_believe = 3;
constexpr auto days_to_believe = std::chrono::hours{48};

std::optional<seconds> whole_seconds(std::string_view text) {
  std::int64_t count = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 0) return std::nullopt;
  return seconds{std::min<std::int64_t>(count, 1'000'000'000)};
}

/// A date in the future or at the end of 32 bits was invented by somebody, and echoing it would latch it for ever.
bool worth_echoing(std::string const& last_modified, sys_seconds now) {
  auto const date = store::parse_http_date(last_modified, now);
  return !last_modified.empty() && (!date || *date <= now + 24h);
}

}  // namespace

std::optional<sys_seconds> retry_after(store::header_block const& fields, sys_seconds now) {
  auto const value = fields.find("Retry-After");
  if (!value) return std::nullopt;
  if (auto const wait = whole_seconds(*value)) return now + *wait;
  return store::parse_http_date(*value, now);
}

sys_seconds fresh_until(store::header_block const& fields, sys_seconds now, visit_floors const& floors) {
  auto const control = store::read_response_directives(fields);
  if (control.no_cache || control.no_store) return now;
  seconds lifetime{0};
  if (control.max_age) {
    lifetime = *control.max_age;
  } else if (auto const expires = fields.find("Expires")) {
    auto const date_field = fields.find("Date");
    auto const date = date_field ? store::parse_http_date(*date_field, now) : std::nullopt;
    auto const end = store::parse_http_date(*expires, now);
    if (end) lifetime = *end - date.value_or(now);
  }
  if (auto const age = fields.find("Age"))
    if (auto const spent = whole_seconds(*age)) lifetime -= *spent;
  return now + std::clamp(lifetime, seconds{0}, floors.longest_wish);
}

sys_seconds earliest_visit(store::subscription const& feed, visit_floors const& floors) {
  if (feed.last_visit == sys_seconds{}) return feed.not_before;
  bool const can_ask_cheaply = !feed.etag.empty() || !feed.last_modified.empty();
  auto const floor = can_ask_cheaply ? floors.with_validators : floors.without_validators;
  // A visit that failed brought nothing: its own rule (`stay_away`) is in `not_before`.
  auto const after_visit = feed.failures > 0 ? sys_seconds{} : feed.last_visit + floor;
  return std::max(after_visit, feed.not_before);
}

seconds stay_away(unsigned status, std::uint32_t failures, visit_floors const& floors) {
  auto const doubled = [&](seconds first) {
    auto const steps = std::min<std::uint32_t>(failures > 0 ? failures - 1 : 0, 12);
    return std::min<seconds>(first * (1u << steps), floors.longest_retry);
  };
  if (status == 401) return 24h;
  if (status == 403) return std::max<seconds>(4h, doubled(4h));
  if (status == 429 || status == 503) return doubled(std::max<seconds>(floors.first_retry, 30min));
  return doubled(floors.first_retry);
}

bool add_conditions(store::header_block& request, store::subscription const& feed, std::string const& url,
                    sys_seconds now) {
  if (feed.final_url != url) return false;
  bool any = false;
  if (!feed.etag.empty()) {
    request.add("If-None-Match", feed.etag);
    request.add("A-IM", "feed");  // RFC 3229: only what is new, from servers that can
    any = true;
  }
  if (worth_echoing(feed.last_modified, now)) {
    request.add("If-Modified-Since", feed.last_modified);
    any = true;
  }
  return any;
}

void take_validators(store::subscription& feed, unsigned status, store::header_block const& answer,
                     std::string const& final_url) {
  bool const same_place = feed.final_url == final_url;
  auto const etag = answer.find("ETag");
  auto const modified = answer.find("Last-Modified");
  if (etag) {
    feed.etag = *etag;
  } else if (status != 304 || !same_place) {
    feed.etag.clear();
  }
  if (modified) {
    feed.last_modified = *modified;
  } else if (status != 304 || !same_place) {
    feed.last_modified.clear();
  }
  feed.final_url = final_url;
}

bool note_move(store::subscription& feed, std::string const& target, sys_seconds now) {
  if (target.empty() || target == feed.feed_url) {
    feed.moved_to.clear();
    feed.moved_sightings = 0;
    return false;
  }
  if (feed.moved_to != target) {
    feed.moved_to = target;
    feed.moved_sightings = 0;
    feed.moved_since = now;
  }
  ++feed.moved_sightings;
  return feed.moved_sightings >= sightings_to_believe && now - feed.moved_since >= days_to_believe;
}

}  // namespace cistern::sync
