#include "proxy/streamed_answer.hpp"

#include "proxy/exchange.hpp"
#include "store/hop_by_hop.hpp"
#include "store/preconditions.hpp"
#include "store/ranges.hpp"
#include "sync/decode.hpp"

#include <array>
#include <functional>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;

constexpr std::size_t block = 64 << 10;

using next_bytes = std::function<net::awaitable<sync::result<std::size_t>>(std::span<char>)>;

/// Head and body to the peer. `limit` bytes of body at most; a body that breaks ends the connection, so that nobody
/// takes it for whole.
net::awaitable<bool> relay(connection& peer, std::string head, next_bytes read, bool chunked, std::uint64_t limit) {
  std::string piece(block, '\0');
  bool more = limit > 0;
  if (!more) co_return co_await peer.write(head);
  while (more) {
    auto const room = std::span{piece}.first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), limit)));
    peer.expire_in(std::chrono::hours{24});  // the origin's pace is bounded elsewhere
    auto const got = co_await read(room);
    if (!got && !head.empty()) {  // nothing of it is out yet: an answer that cannot be read is no answer
      std::string words;
      write_own(head, words, 502, text_type, got.error().message() + "\n", false, false, {});
      co_await peer.write(head, words);
    }
    if (!got) co_return false;
    limit -= *got;
    more = *got > 0 && limit > 0;
    std::string_view bytes{piece.data(), *got};
    std::string framed;
    if (chunked) {
      framed = frame_chunk(bytes);
      bytes = framed;
    }
    auto const sent = co_await peer.write(head, bytes);
    if (!sent) co_return false;
    head.clear();
  }
  co_return true;
}

/// Bytes with a content coding, and what takes it off.
struct coded_source {
  next_bytes coded;
  sync::decoder decoder;
  std::string in = std::string(block, '\0');
  std::string_view rest{};
  bool any = false;
  bool ended = false;
};

/// The end is told only after that of the coded bytes: until then they are not stored.
net::awaitable<sync::result<std::size_t>> decode_some(std::shared_ptr<coded_source> from, std::span<char> into) {
  for (;;) {
    auto const step = from->decoder.decode(from->rest, into);
    if (!step) co_return step.error();
    from->rest.remove_prefix(step->consumed);
    if (step->produced > 0) co_return step->produced;
    if (from->ended) break;
    auto const got = co_await from->coded(from->in);
    if (!got) co_return got.error();
    from->ended = *got == 0;
    from->any = from->any || *got > 0;
    from->rest = std::string_view{from->in}.substr(0, *got);
  }
  if (from->any && !from->decoder.complete()) co_return sync::errc::truncated;
  co_return std::size_t{0};
}

next_bytes decoded(next_bytes coded, sync::coding what) {
  auto const from = std::make_shared<coded_source>(coded_source{std::move(coded), sync::decoder{what}});
  return [from](std::span<char> into) { return decode_some(from, into); };
}

/// The coding to take off for this client, if there is one that it cannot take.
std::optional<sync::coding> coding_to_take_off(asked const& request, store::header_block const& fields) {
  auto const value = fields.find("Content-Encoding").value_or("");
  auto const known = sync::coding_of(value);
  if (accepts_coding(request, value) || known == sync::coding::identity) return std::nullopt;
  return known;
}

/// An answer without a body has been seen whole as soon as its head has. So that waits until it is stored, and until
/// nobody is given it any more who asks only then.
net::awaitable<void> wait_for_end(sync::transfer::reader& from) {
  std::array<char, 1> nothing;
  auto const ended = co_await from.read_some(nothing);
  static_cast<void>(ended);  // that it could not be stored does not make it another answer
}

bool is_bodiless(unsigned status) { return status == 204 || status == 304 || status < 200; }

answer_frame frame_for(asked const& request, unsigned status, std::optional<std::uint64_t> length, bool has_body,
                       store::cache_status const& cache, bool& keep) {
  answer_frame frame{.status = status, .content_length = length};
  frame.has_body = !is_bodiless(status);
  if (!has_body && !request.is_head && !length) frame.content_length = 0;
  if (request.is_head && !length) frame.has_body = false;
  bool const until_close = frame.has_body && !frame.content_length && request.one_dot_zero;
  keep = keep && !until_close;
  frame.keep = keep;
  frame.one_dot_zero = request.one_dot_zero;
  frame.cache = cache;
  return frame;
}

}  // namespace

store::header_block fields_of_decoded(store::header_block fields) {
  fields.erase("Content-Encoding");
  // Other bytes than those the tag was made for, with the same meaning (RFC 9110 §8.8.1).
  if (auto const tag = fields.find("ETag"); tag && !tag->starts_with("W/"))
    fields.set("ETag", "W/" + std::string{*tag});
  return fields;
}

net::awaitable<after> send_transfer(sync::transfer::reader from, sync::arrived_head const& head, connection& peer,
                                    asked const& request, store::cache_status cache, bool keep) {
  bool const whole = head.has_body && head.status != 206;  // a part of coded bytes cannot be read alone
  auto const coding = whole ? coding_to_take_off(request, head.fields) : std::nullopt;
  auto const length = coding ? std::nullopt : head.content_length;
  auto frame = frame_for(request, head.status, length, head.has_body, cache, keep);
  std::uint64_t offset = 0;
  std::uint64_t limit = UINT64_MAX;
  std::string extra;
  bool const cut = head.status == 200 && head.storing && length && *length > 0 && !request.conditions.range.empty() &&
                   store::range_applies(request.conditions, head.fields, head.responded);
  if (cut) {
    auto const wanted = store::read_range(request.conditions.range, *length);
    if (wanted.what == store::range_answer::kind::partial && wanted.ranges.size() == 1) {
      offset = wanted.ranges.front().first;
      limit = wanted.ranges.front().size();
      frame.status = 206;
      frame.content_length = limit;
      extra = "Content-Range: " + store::content_range(wanted.ranges.front(), *length) + "\r\n";
    } else if (wanted.what == store::range_answer::kind::unsatisfiable ||
               wanted.what == store::range_answer::kind::refused) {
      limit = 0;
      frame.status = 416;
      frame.content_length = 0;
      extra = "Content-Range: " + store::unsatisfied_content_range(*length) + "\r\n";
    }
  }
  from.seek(offset);
  std::string text;
  write_head(text, frame, coding ? fields_of_decoded(head.fields) : head.fields, extra);
  bool const body = frame.has_body && !request.is_head && head.has_body;
  bool const chunked = body && !frame.content_length && !request.one_dot_zero;
  next_bytes read = [&from](std::span<char> into) { return from.read_some(into); };
  if (coding) read = decoded(std::move(read), *coding);
  if (!frame.has_body) co_await wait_for_end(from);
  // A reader that seeks ahead waits for bytes it does not send; they pass through the repository, not through memory.
  auto const sent = co_await relay(peer, std::move(text), std::move(read), chunked, body ? limit : 0);
  co_return sent&& keep ? after::keep : after::close;
}

net::awaitable<after> send_response(sync::response answer, connection& peer, asked const& request,
                                    store::cache_status cache, bool keep) {
  auto const frame = frame_for(request, answer.status, answer.content_length, answer.has_body, cache, keep);
  std::string text;
  write_head(text, frame, store::end_to_end(answer.fields));
  bool const body = frame.has_body && !request.is_head && answer.has_body;
  bool const chunked = body && !frame.content_length && !request.one_dot_zero;
  next_bytes read = [&answer](std::span<char> into) { return answer.read_some(into); };
  auto const sent = co_await relay(peer, std::move(text), std::move(read), chunked, body ? UINT64_MAX : 0);
  co_return sent&& keep ? after::keep : after::close;
}

}  // namespace cistern::proxy
