#include "proxy/part_answer.hpp"

#include "proxy/exchange.hpp"
#include "proxy/stored_body.hpp"
#include "proxy/streamed_answer.hpp"
#include "proxy/web_proxy.hpp"
#include "store/hop_by_hop.hpp"
#include "store/storability.hpp"
#include "sync/account.hpp"
#include "sync/part_keeper.hpp"

#include <algorithm>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using store::stored_object;

constexpr std::size_t read_size = 64 << 10;
constexpr std::size_t worth_a_commit = 1 << 20;

bool selects(stored_object const& object, store::header_block const& request) {
  for (auto const& field : object.selecting)
    if (field.name == "*" || store::vary_key(field.name, request) != field.value) return false;
  return true;
}

}  // namespace

std::optional<part_on_hand> choose_part(asked const& request, store::header_block const& fields,
                                        std::vector<stored_object> const& unfinished,
                                        store::cache_settings const& settings, bool offline,
                                        std::chrono::sys_seconds now) {
  if (request.conditions.range.empty() || request.conditions.any() || request.is_head) return std::nullopt;
  for (auto const& object : unfinished) {
    auto const held = store::stored_part(object.status, object.headers, object.size, object.expected_size);
    auto const wanted = held ? store::range_in_part(request.conditions.range, *held) : std::nullopt;
    if (!wanted || !selects(object, fields) ||
        !store::range_applies(request.conditions, object.headers, object.responded) ||
        !accepts_coding(request, object.headers.find("Content-Encoding").value_or("")))
      continue;
    auto const policy = policy_of(object, settings);
    auto const decision = store::decide(policy, request.directives, {offline}, now, settings);
    // Nothing validates a part behind the reader's back, so what would have to be is not used.
    if (!store::usable_now(decision.what) || decision.what == store::reuse::stale_while_validating) continue;
    return part_on_hand{{object, policy}, *held, *wanted};
  }
  return std::nullopt;
}

net::awaitable<after> send_part(store::repository& kept, connection& peer, asked const& request, part_on_hand part,
                                std::chrono::sys_seconds now, bool keep) {
  auto const& object = part.from.object;
  kept.note_use(object);
  auto const body = kept.open_body(object);
  if (!body) co_return after::close;
  answer_frame frame{.status = 206, .content_length = part.wanted.size()};
  frame.keep = keep;
  frame.one_dot_zero = request.one_dot_zero;
  frame.age = store::current_age(part.from.policy, now);
  frame.cache = {.hit = true, .ttl = store::time_to_live(part.from.policy, now), .detail = "partial"};
  auto fields = object.headers;
  fields.erase("Content-Range");
  std::string head;
  write_head(head, frame, fields, "Content-Range: " + store::content_range(part.wanted, part.held.size) + "\r\n");
  auto const from = part.wanted.first - part.held.range.first;
  auto const range = store::byte_range{from, from + part.wanted.size() - 1};
  auto const sent = co_await send_stored_body(peer, std::move(head), *body, range);
  co_return sent&& keep ? after::keep : after::close;
}

/// Asks for just the range, which starts far in. Nothing when the origin does not do ranges: then the whole is fetched.
net::awaitable<std::optional<after>> web_proxy::fetch_part(exchange& x, found_on_hand const& found) {
  auto const url = sync::parse_url(x.request.url);
  if (!url) co_return std::nullopt;
  auto& link = parts_.fetching.link();
  sync::request out{.to = url->to, .target = url->target, .fields = forwarded_fields(x.head)};
  out.options.limits = parts_.fetching.settings().limits;
  out.options.allow_address = allowed_for(x.peer, url->to.port);
  out.options.interim = x.interim_listener();
  sync::put_on_account(parts_.fetching, out.options, x.request.url, url->to.host);
  auto const sent_fields = out.fields;
  store::arrival when{.requested = parts_.wall.now()};
  x.peer.expire_in(std::chrono::hours{24});  // the origin's time is bounded by the fetch
  auto answer = co_await client().open(std::move(out));
  when.received = parts_.wall.now();
  if (!answer) {
    link.failed(url->to.host, answer.error());
    co_return co_await fall_back(x, found, answer.error());
  }
  link.succeeded(url->to.host, url->to.tls);
  if (answer->status == 200) co_return std::nullopt;
  store::add_missing_date(answer->fields, when.received);

  auto const& caching = parts_.fetching.settings().caching;
  store::storing_request const asked_for{.method = "GET",
                                         .url = x.request.url,
                                         .has_authorization = x.request.has_authorization,
                                         .no_store = x.request.directives.no_store};
  auto const part =
      answer->status == 206 ? store::received_part(answer->fields, answer->content_length.value_or(0)) : std::nullopt;
  bool const storing = part && link.may_store(url->to.host, url->to.tls) &&
                       store::may_store(asked_for, 206, answer->fields, caching) == store::storability::stored;
  store::cache_status const cache{.fwd = x.why, .fwd_status = static_cast<int>(answer->status), .stored = storing};
  if (!storing) co_return co_await send_response(std::move(*answer), x.peer, x.request, cache, x.keep);
  auto head = store::head_to_store(x.request.url, 206, answer->fields, sent_fields, when, caching);
  auto known = found.unfinished;
  std::erase_if(known, [&](stored_object const& o) { return o.selecting != head.selecting; });
  sync::part_keeper keeper{parts_.kept, std::move(head), *part, std::move(known)};
  co_return co_await send_and_keep(x, std::move(*answer), std::move(keeper), cache);
}

/// The last piece is held back until all is durable: whoever has seen the whole answer will find it again.
net::awaitable<after> web_proxy::send_and_keep(exchange& x, sync::response answer, sync::part_keeper keeper,
                                               store::cache_status cache) {
  answer_frame frame{.status = answer.status, .content_length = answer.content_length};
  frame.keep = x.keep;
  frame.one_dot_zero = x.request.one_dot_zero;
  frame.cache = cache;
  std::string head;
  write_head(head, frame, store::end_to_end(answer.fields));
  std::string block;
  std::string last;
  for (bool storing = true;;) {
    std::string piece(read_size, '\0');
    x.peer.expire_in(std::chrono::hours{24});  // the origin's pace is bounded elsewhere
    auto const got = co_await answer.read_some(piece);
    bool const ended = !got || *got == 0;
    if (!ended) block.append(piece, 0, *got);
    if (storing && (ended || block.size() >= worth_a_commit)) storing = co_await keeper.add(block);
    if (ended || block.size() >= worth_a_commit) block.clear();
    if (!got) co_return after::close;
    bool sent = true;
    if (ended || !last.empty()) sent = co_await x.peer.write(head, last);
    if (ended) co_return sent&& x.keep ? after::keep : after::close;
    if (!last.empty()) head.clear();
    piece.resize(*got);
    last = std::move(piece);
    if (!sent) {
      if (storing) co_await keeper.add(block);
      co_return after::close;
    }
  }
}

}  // namespace cistern::proxy
