#include "proxy/stored_answer.hpp"

#include "proxy/stored_body.hpp"
#include "proxy/streamed_answer.hpp"
#include "store/errc.hpp"
#include "store/vary.hpp"
#include "sync/decode.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using store::stored_object;

std::string random_boundary() {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(random()),
                static_cast<unsigned long long>(random()));
  return text.data();
}

answer_frame frame_for(asked const& request, stored_object const& object, std::chrono::seconds age,
                       store::cache_status const& cache, bool keep) {
  answer_frame frame{.status = static_cast<unsigned>(object.status), .content_length = object.size};
  frame.has_body = object.status != 204 && object.status != 304;
  frame.keep = keep;
  frame.one_dot_zero = request.one_dot_zero;
  frame.age = age;
  frame.cache = cache;
  return frame;
}

/// Several ranges are small ones of a file that a viewer looks into: they are copied.
net::awaitable<bool> send_parts(store::body_reader const& body, connection& peer, store::multipart_ranges const& parts,
                                std::vector<store::byte_range> const& ranges, std::string head) {
  bool first = true;
  for (auto const& range : ranges) {
    head += parts.part_head(range, std::exchange(first, false));
    auto const sent = co_await copy_stored_body(peer, std::move(head), body, range);
    if (!sent) co_return false;
    head.clear();
  }
  auto const end = parts.end();
  co_return co_await peer.write(end);
}

net::awaitable<bool> send_piece(connection& peer, std::string_view bytes, bool chunked) {
  if (!chunked) co_return co_await peer.write(bytes);
  auto const framed = frame_chunk(bytes);
  co_return co_await peer.write(framed);
}

/// For a client that cannot take the stored coding.
net::awaitable<bool> send_decoded(store::body_reader const& body, connection& peer, sync::coding coding, bool chunked) {
  sync::decoder decoder{coding};
  std::string in(stored_block, '\0');
  std::string out(stored_block, '\0');
  for (std::uint64_t at = 0; at < body.size();) {
    auto const got = body.read(at, in);
    if (!got || *got == 0) co_return false;
    at += *got;
    auto rest = std::string_view{in}.substr(0, *got);
    for (;;) {
      auto const step = decoder.decode(rest, out);
      if (!step) co_return false;
      rest.remove_prefix(step->consumed);
      if (step->produced > 0) {
        auto const sent = co_await send_piece(peer, std::string_view{out}.substr(0, step->produced), chunked);
        if (!sent) co_return false;
      }
      if (step->done || (rest.empty() && step->produced < out.size())) break;
    }
  }
  if (!decoder.complete()) co_return false;
  co_return !chunked || co_await peer.write("0\r\n\r\n");
}

}  // namespace

store::stored_policy policy_of(stored_object const& object, store::cache_settings const& settings) {
  auto policy = store::make_policy(static_cast<unsigned>(object.status), object.headers,
                                   {object.requested, object.responded}, settings);
  if (object.invalidated) policy.flags |= store::stored_policy::always_validate;
  return policy;
}

found_on_hand look_up(store::repository& kept, asked const& request, store::header_block const& fields,
                      store::cache_settings const& settings, bool offline) {
  found_on_hand out;
  auto versions = kept.versions(request.url);
  if (!versions) return out;
  auto const rest =
      std::stable_partition(versions->begin(), versions->end(), [](stored_object const& o) { return o.complete; });
  out.unfinished.assign(std::move_iterator{rest}, std::move_iterator{versions->end()});
  versions->erase(rest, versions->end());
  std::vector<store::variant> variants;
  for (auto const& object : *versions) {
    store::variant one{.date = object.responded};
    if (auto const selecting = object.selecting.begin(); selecting != object.selecting.end()) {
      one.names = selecting->name;
      one.key = selecting->value;
    }
    one.content_language = object.headers.find("Content-Language").value_or("");
    variants.push_back(one);
  }
  auto const chosen = store::choose_variant(variants, fields, offline);
  if (chosen)
    out.best = on_hand{(*versions)[chosen->index], policy_of((*versions)[chosen->index], settings), chosen->matches};
  out.all = std::move(*versions);
  return out;
}

stored_plan plan(asked const& request, stored_object const& object) {
  using kind = stored_plan::kind;
  if (request.conditions.any()) {
    switch (store::check(request.conditions, request.method, static_cast<unsigned>(object.status), object.headers,
                         object.responded)) {
      case store::precondition::not_modified:
        return {kind::not_modified};
      case store::precondition::failed:
        return {kind::precondition_failed};
      case store::precondition::send:
        break;
    }
  }
  // Before its ranges: those are of the coded bytes, and who goes on from decoded ones would put the two together.
  if (auto const coding = object.headers.find("Content-Encoding"); coding && !accepts_coding(request, *coding)) {
    auto const known = sync::coding_of(*coding);
    if (known && *known != sync::coding::identity) return {kind::decoded};
  }
  if (!request.conditions.range.empty() && !request.is_head && object.status == 200 &&
      store::range_applies(request.conditions, object.headers, object.responded)) {
    auto asked_for = store::read_range(request.conditions.range, object.size);
    if (asked_for.what == store::range_answer::kind::partial) return {kind::partial, std::move(asked_for.ranges)};
    if (asked_for.what != store::range_answer::kind::whole) return {kind::unsatisfiable};
  }
  return {kind::whole};
}

void compose(outgoing& out, asked const& request, stored_object const& object, stored_plan const& what,
             std::chrono::seconds age, store::cache_status const& cache, std::string body) {
  auto frame = frame_for(request, object, age, cache, out.keep);
  out.head.clear();
  switch (what.what) {
    case stored_plan::kind::not_modified:
      frame.status = 304;
      frame.has_body = false;
      out.body.clear();
      write_head(out.head, frame, store::fields_of_not_modified(object.headers));
      return;
    case stored_plan::kind::precondition_failed:
      frame.status = 412;
      frame.content_length = 0;
      body.clear();
      break;
    case stored_plan::kind::unsatisfiable:
      frame.status = 416;
      frame.content_length = 0;
      write_head(out.head, frame, object.headers,
                 "Content-Range: " + store::unsatisfied_content_range(object.size) + "\r\n");
      out.body.clear();
      return;
    case stored_plan::kind::partial: {
      auto const range = what.ranges.front();
      frame.status = 206;
      frame.content_length = range.size();
      write_head(out.head, frame, object.headers,
                 "Content-Range: " + store::content_range(range, object.size) + "\r\n");
      out.body = body.substr(static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.size()));
      return;
    }
    default:
      break;
  }
  write_head(out.head, frame, object.headers);
  if (request.is_head || !frame.has_body) body.clear();
  out.body = std::move(body);
}

net::awaitable<after> send_stored(store::repository& kept, connection& peer, asked const& request, stored_object object,
                                  std::chrono::seconds age, store::cache_status cache, bool keep) {
  using kind = stored_plan::kind;
  auto const what = plan(request, object);
  outgoing out{.keep = keep};
  kept.note_use(object);
  if (object.size == 0 || !what.needs_body(request)) {
    compose(out, request, object, what, age, cache, {});
    auto const sent = co_await peer.write(out.head, out.body);
    co_return sent&& keep ? after::keep : after::close;
  }
  auto body = kept.open_body(object);
  if (!body) {
    write_own(out.head, out.body, 503, "text/plain", "The stored copy was replaced just now; ask again.\n", keep, false,
              "Retry-After: 0\r\n");
    auto const sent = co_await peer.write(out.head, out.body);
    co_return sent&& keep ? after::keep : after::close;
  }
  auto frame = frame_for(request, object, age, cache, keep);
  bool sent = false;
  if (what.what == kind::decoded) {
    auto const coding =
        sync::coding_of(object.headers.find("Content-Encoding").value_or("")).value_or(sync::coding::identity);
    frame.content_length.reset();
    frame.keep = keep = keep && !request.one_dot_zero;
    write_head(out.head, frame, fields_of_decoded(object.headers));
    sent = co_await peer.write(out.head);
    if (sent) sent = co_await send_decoded(*body, peer, coding, !request.one_dot_zero);
  } else if (what.what == kind::partial && what.ranges.size() > 1) {
    store::multipart_ranges const parts{
        random_boundary(), std::string{object.headers.find("Content-Type").value_or("application/octet-stream")},
        object.size};
    auto fields = object.headers;
    fields.set("Content-Type", parts.content_type());
    frame.status = 206;
    frame.content_length = parts.content_length(what.ranges);
    write_head(out.head, frame, fields);
    sent = co_await send_parts(*body, peer, parts, what.ranges, std::move(out.head));
  } else {
    auto range = store::byte_range{0, object.size - 1};
    std::string extra;
    if (what.what == kind::partial) {
      range = what.ranges.front();
      frame.status = 206;
      frame.content_length = range.size();
      extra = "Content-Range: " + store::content_range(range, object.size) + "\r\n";
    }
    write_head(out.head, frame, object.headers, extra);
    sent = co_await send_stored_body(peer, std::move(out.head), *body, range);
  }
  co_return sent&& keep ? after::keep : after::close;
}

}  // namespace cistern::proxy
