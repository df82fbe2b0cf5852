#include "sync/watched_fetch.hpp"

#include "store/field_list.hpp"
#include "store/http_date.hpp"
#include "store/invalidation.hpp"
#include "store/url.hpp"
#include "sync/errc.hpp"
#include "sync/http/address_class.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <set>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;

constexpr std::size_t most_redirects = 10;

bool is_redirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::optional<std::string> target_of(std::string const& base, store::header_block const& fields) {
  auto const location = fields.find("Location");
  if (!location) return std::nullopt;
  auto const absolute = store::resolve_reference(base, *location);
  return absolute ? store::normalise_url(*absolute) : std::nullopt;
}

/// What an earlier attempt left where the redirects led then, as far as the stored ones tell.
std::optional<store::stored_object> left_elsewhere(store::repository& kept, std::string url) {
  for (std::size_t hop = 0; hop < most_redirects; ++hop) {
    auto const stored = kept.find(url);
    if (!stored || !*stored || !is_redirect(static_cast<unsigned>((*stored)->status))) return std::nullopt;
    auto next = target_of(url, (*stored)->headers);
    if (!next) return std::nullopt;
    url = std::move(*next);
    auto const there = kept.versions(url);
    if (!there) return std::nullopt;
    for (auto const& each : *there)
      if (!each.complete && each.status == 200 && each.size > 0) return each;
  }
  return std::nullopt;
}

/// By status, for an answer that is not the thing itself.
fetch_end meaning_of(unsigned status, bool names_a_time) {
  if (status == 410) return fetch_end::gone;
  if (status == 429 || (status == 503 && names_a_time)) return fetch_end::retry_after;
  return fetch_end::refused;
}

fetch_end meaning_of(boost::system::error_code error, bool answered) {
  switch (kind_of(error)) {
    case errc::body_too_large:
      return fetch_end::too_large;
    case errc::forbidden_address:
    case errc::bad_url:
      return fetch_end::forbidden;
    default:
      return !answered && is_link_trouble(error) ? fetch_end::link_trouble : fetch_end::broken;
  }
}

void fill(fetch_outcome& out, arrived_head const& head, std::chrono::sys_seconds now) {
  out.status = head.status;
  out.size = head.content_length;
  out.fields = head.fields;
  out.content_type = head.fields.find("Content-Type").value_or("");
  if (auto const after = head.fields.find("Retry-After")) out.retry_after = parse_retry_after(*after, now);
}

}  // namespace

std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, std::chrono::sys_seconds now) {
  if (auto const seconds = store::parse_delta_seconds(value)) return seconds;
  auto const date = store::parse_http_date(value, now);
  return date ? std::optional{std::max(*date - now, std::chrono::seconds{0})} : std::nullopt;
}

/// One exchange without redirects. The reader waits at the end: nobody here looks at the bytes.
static net::awaitable<bool> fetch_hop(downloads& from, http_client& client, wish what, transfer_watch const& watch,
                                      fetch_outcome& out, bool& private_origin) {
  auto const executor = co_await net::this_coro::executor;
  auto const most = what.most;
  auto begun = from.get(std::move(what), client, executor);
  auto const news = co_await begun.from->wait_for_head(0ms);
  if (news->kind == arrival_kind::failed) {
    out.error = news->error;
    out.how = meaning_of(out.error, false);
    co_return true;
  }
  if (news->kind == arrival_kind::freshened) {
    out.how = fetch_end::unchanged;
    out.status = 304;
    out.fields = news->object->headers;
    out.content_type = out.fields.find("Content-Type").value_or("");
    out.object = news->object;
    co_return true;
  }
  auto const& head = news->head;
  fill(out, head, from.now());
  private_origin = head.private_origin;
  if (watch) watch(begun.from, head.content_length);
  bool const good = head.status >= 200 && head.status <= 299;
  if (good && most && out.size.value_or(0) > *most) {  // somebody else's fetch, without our limit
    out.how = fetch_end::too_large;
    out.error = errc::body_too_large;
    co_return true;
  }
  boost::system::error_code broke;
  if (good || head.storing) {  // else nobody needs its end
    begun.reader.seek(UINT64_MAX);
    char byte{};
    auto const ended = co_await begun.reader.read_some(std::span{&byte, 1});
    if (!ended) broke = ended.error();
  }
  if (is_redirect(head.status) && head.fields.has("Location")) co_return false;
  if (!good) {
    out.how = meaning_of(head.status, out.retry_after.has_value());
    co_return true;
  }
  out.gained = begun.from->gained();
  out.object = begun.from->stored();
  out.error = broke;
  if (!broke && head.storing && !out.object) out.error = errc::truncated;  // an end that proves nothing
  out.how = out.error ? meaning_of(out.error, true) : fetch_end::complete;
  co_return true;
}

net::awaitable<fetch_outcome> fetch_once(downloads& from, http_client& client, wish what) {
  return fetch_watched(from, client, std::move(what), {});
}

net::awaitable<fetch_outcome> fetch_watched(downloads& from, http_client& client, wish what, transfer_watch watch) {
  fetch_outcome out;
  out.final_url = what.url;
  auto const caller_allows = what.allow_address;
  auto const earlier = left_elsewhere(from.repository(), what.url);
  std::set<std::string> seen{what.url};
  bool private_so_far = true;  // every origin on the way
  for (;;) {
    bool private_origin = false;
    auto hop = what;
    auto const done = co_await fetch_hop(from, client, std::move(hop), watch, out, private_origin);
    if (done) break;
    private_so_far = private_so_far && private_origin;
    auto next = target_of(what.url, out.fields);
    if (!next || out.redirects.size() == most_redirects || !seen.insert(*next).second) {
      out.how = fetch_end::forbidden;
      out.error = next ? errc::redirect_loop : errc::bad_url;
      break;
    }
    out.redirects.push_back({out.status, what.url, *next});
    what.url = out.final_url = std::move(*next);
    what.held.clear();
    what.elsewhere = earlier && earlier->url != what.url ? earlier : std::nullopt;
    if (auto const held = from.repository().find(what.url); held && *held) what.held.push_back(**held);
    if (!private_so_far)
      what.allow_address = [caller_allows](net::ip::address const& to) {
        return is_public(to) && (!caller_allows || caller_allows(to));
      };
  }
  bool const superseded = out.object && earlier && earlier->url != out.final_url;
  if (superseded) {
    auto task = [ref = earlier->ref](store::write_batch& b) { return b.erase_object(ref); };
    co_await from.repository().write(std::move(task), net::use_awaitable);
  }
  co_return out;
}

}  // namespace cistern::sync
