#include "store/freshness.hpp"

#include "store/cache_control.hpp"
#include "store/field_list.hpp"
#include "store/http_date.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace cistern::store {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

/// The fields that matter, of each the first (RFC 9111 §4.2.1, §5.1).
struct head {
  response_directives directives;
  std::optional<std::string_view> age, date, expires, last_modified, etag;
  sys_seconds sent{};  // what Date says, or when it arrived
  bool varies = false;
  bool varies_on_everything = false;

  void see(std::string_view name, std::string_view value) {
    auto const keep_first = [value](std::optional<std::string_view>& into) {
      if (!into) into = value;
    };
    switch (name.size()) {  // this is done on each hit: most fields are told apart by their length
      case 3:
        if (same_token(name, "age")) keep_first(age);
        break;
      case 4:
        if (same_token(name, "date"))
          keep_first(date);
        else if (same_token(name, "etag"))
          keep_first(etag);
        else if (same_token(name, "vary")) {
          varies = true;
          varies_on_everything = varies_on_everything || list_has(value, "*");
        }
        break;
      case 7:
        if (same_token(name, "expires")) keep_first(expires);
        break;
      case 13:
        if (same_token(name, "cache-control"))
          directives.read(value);
        else if (same_token(name, "last-modified"))
          keep_first(last_modified);
        break;
      default:
        break;
    }
  }
};

std::optional<sys_seconds> date_in(std::optional<std::string_view> text, sys_seconds now) {
  return text ? parse_http_date(*text, now) : std::nullopt;
}

head read_head(header_block const& fields, sys_seconds received) {
  head out;
  for (auto const& f : fields) out.see(f.name, f.value);
  out.sent = date_in(out.date, received).value_or(received);
  return out;
}

/// Age is one number; of a list the first member counts, and what is no number does not (RFC 9111 §5.1). Parameters,
/// which are not defined, are cut off rather than making an old response young.
seconds age_value(std::optional<std::string_view> text) {
  if (!text) return seconds{0};
  auto list = *text;
  auto const first = next_element(list).value_or(std::string_view{});
  auto const number = trim_blanks(first.substr(0, first.find(';')));
  return parse_delta_seconds(number).value_or(seconds{0});
}

/// corrected_initial_age (RFC 9111 §4.2.3). Clocks that run ahead of ours make no negative ages.
seconds initial_age(head const& h, arrival when) {
  auto const apparent = std::max(seconds{0}, when.received - h.sent);
  auto const delay = std::max(seconds{0}, when.received - when.requested);
  return std::max(apparent, age_value(h.age) + delay);
}

seconds guessed_lifetime(unsigned status, head const& h, arrival when, cache_settings const& settings) {
  if (!is_heuristically_cacheable(status) && !h.directives.public_response) return seconds{0};
  auto const modified = date_in(h.last_modified, when.received);
  if (modified && *modified < h.sent)
    return std::min((h.sent - *modified) * settings.heuristic_percent / 100, settings.heuristic_limit);
  if (status == 404 || status == 410) return settings.negative_lifetime;
  return seconds{0};
}

/// freshness_lifetime (§4.2.1), or nothing when the response leaves it to us.
std::optional<seconds> explicit_lifetime(head const& h, arrival when, cache_settings const& settings) {
  if (settings.shared && h.directives.s_maxage) return h.directives.s_maxage;
  if (h.directives.max_age) return h.directives.max_age;
  if (!h.expires) return std::nullopt;
  auto const expires = date_in(h.expires, when.received);
  if (!expires) return seconds{0};  // invalid, "0" above all, means in the past (§5.3)
  return std::clamp(*expires - h.sent, seconds{0}, longest_delta);
}

std::uint16_t flags_of(unsigned status, head const& h, bool has_lifetime, cache_settings const& settings) {
  auto const& d = h.directives;
  unsigned flags = 0;
  auto const put = [&](bool condition, stored_policy::flag f) {
    if (condition) flags |= f;
  };
  put(d.must_revalidate || (settings.shared && d.proxy_revalidate), stored_policy::must_revalidate);
  put(settings.shared && d.s_maxage.has_value(), stored_policy::shared_must_revalidate);
  put(d.no_cache || (!has_lifetime && !d.public_response && !is_heuristically_cacheable(status)),
      stored_policy::always_validate);
  put(d.immutable, stored_policy::immutable);
  put(has_lifetime, stored_policy::explicit_lifetime);
  put(h.etag && !h.etag->empty(), stored_policy::has_etag);
  put(h.last_modified && !h.last_modified->empty(), stored_policy::has_last_modified);
  put(h.varies, stored_policy::varies);
  put(h.varies_on_everything, stored_policy::varies_on_everything);
  return static_cast<std::uint16_t>(flags);
}

}  // namespace

stored_policy make_policy(unsigned status, header_block const& fields, arrival when, cache_settings const& settings) {
  auto const h = read_head(fields, when.received);
  auto const lifetime = explicit_lifetime(h, when, settings);
  stored_policy out;
  out.received = when.received.time_since_epoch().count();
  out.initial_age = initial_age(h, when).count();
  out.lifetime = (lifetime ? *lifetime : guessed_lifetime(status, h, when, settings)).count();
  out.stale_while_revalidate = h.directives.stale_while_revalidate.value_or(seconds{0}).count();
  out.stale_if_error = h.directives.stale_if_error.value_or(seconds{-1}).count();
  out.status = static_cast<std::uint16_t>(status);
  out.flags = flags_of(status, h, lifetime.has_value(), settings);
  return out;
}

seconds current_age(stored_policy const& policy, sys_seconds now) {
  auto const resident = now.time_since_epoch().count() - policy.received;
  return seconds{policy.initial_age + std::max<std::int64_t>(0, resident)};  // our clock may have been set back
}

seconds time_to_live(stored_policy const& policy, sys_seconds now) {
  return seconds{policy.lifetime} - current_age(policy, now);
}

bool is_heuristically_cacheable(unsigned status) {
  constexpr std::array<unsigned, 12> codes{200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501};
  return std::binary_search(codes.begin(), codes.end(), status);
}

}  // namespace cistern::store
