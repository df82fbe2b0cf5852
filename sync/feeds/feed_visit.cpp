#include "sync/feeds/feed_visit.hpp"

#include "stitch/feed/reader.hpp"
#include "stitch/url.hpp"
#include "store/url.hpp"
#include "sync/budget.hpp"
#include "sync/decode.hpp"
#include "sync/errc.hpp"
#include "sync/feeds/head_rule.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <set>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using stitch::feed::key_policy;

constexpr int redirects_at_most = 8;
constexpr std::size_t first_piece = 4 << 10;  // small pieces: a head is often no longer
constexpr std::size_t later_piece = 16 << 10;

bool is_redirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}
bool is_permanent(unsigned status) { return status == 301 || status == 308; }

/// Everything that one visit knows on its way.
struct visit {
  http_client& client;
  store::repository& kept;
  store::subscription const& feed;
  feed_settings const& settings;
  std::chrono::sys_seconds now;
  std::shared_ptr<traffic> meter;
  key_policy policy;
  visit_report report{};
  std::optional<item_memory> memory{};  // once there is a document to compare with

  [[nodiscard]] bool wants_whole() const {
    return feed.order != store::feed_order::newest_first || feed.window.empty() ||
           feed.head_reads >= settings.head_reads_at_most || now - feed.last_whole_read >= settings.whole_read_every;
  }
};

/// The bytes of one answer, unpacked, into one reader.
class document {
public:
  document(visit& v, response const& answer, std::string base, bool may_end_early)
      : visit_{v},
        rule_{may_end_early},
        reader_{{.base = std::move(base), .content_type = std::string{answer.fields.find("Content-Type").value_or("")}},
                [this](stitch::feed::item&& item) { take(std::move(item)); }} {
    auto const named = answer.fields.find("Content-Encoding");
    auto const packed = coding_of(named.value_or(""));
    if (packed && *packed != coding::identity) unpacker_.emplace(*packed);
  }

  [[nodiscard]] bool push(std::string_view bytes) {
    if (!unpacker_) return reader_.push(bytes), true;
    std::string out(64 << 10, '\0');
    for (bool more = true; more && !reader_.done();) {
      auto const step = unpacker_->decode(bytes, out);
      if (!step) return false;
      bytes.remove_prefix(step->consumed);
      reader_.push(std::string_view{out}.substr(0, step->produced));
      more = !step->done && (!bytes.empty() || step->produced == out.size());
    }
    return true;
  }
  [[nodiscard]] bool enough() const { return rule_.enough(); }
  [[nodiscard]] bool done() const { return reader_.done(); }
  [[nodiscard]] auto finish() { return reader_.finish(); }
  [[nodiscard]] store::feed_order order() const { return rule_.order(); }
  [[nodiscard]] bool overlaps() const { return overlaps_; }
  std::vector<stitch::feed::item> items{};

private:
  void take(stitch::feed::item&& item) {
    auto const seen = visit_.memory->look_at(item, visit_.policy);
    overlaps_ |= seen.what != item_memory::standing::fresh;
    rule_.note(seen.what, item.published ? item.published : item.updated);
    items.push_back(std::move(item));
  }

  visit& visit_;
  head_rule rule_;
  stitch::feed::feed_reader reader_;
  std::optional<decoder> unpacker_;
  bool overlaps_ = false;
};

net::awaitable<result<response>> ask(visit& v, std::string url, bool conditional) {
  auto const parsed = parse_url(url);
  if (!parsed) co_return parsed.error();
  request out{.to = parsed->to, .target = parsed->target};
  out.fields.add("User-Agent", v.settings.user_agent);
  out.fields.add("Accept", "*/*");  // feeds come under any type; a longer list would cost every visit 90 bytes
  out.fields.add("Accept-Encoding", accepted_codings());
  if (conditional) add_conditions(out.fields, v.feed, url, v.now);
  out.options.limits = v.settings.limits;
  out.options.allow_address = v.settings.allow_address;
  out.options.meter = v.meter;
  if (v.settings.spending) {
    expense on{.purpose = store::job_class::feed, .subscription = v.feed.id, .daily_limit = v.feed.carry.daily_limit};
    on.url = url;
    out.options.spends = v.settings.spending->open(std::move(on));
  }
  ++v.report.requests;
  co_return co_await v.client.open(std::move(out));
}

/// Follows redirects; the last answer, or an error. Notes where it ended and whether every step was a permanent one.
net::awaitable<result<response>> ask_through_redirects(visit& v, std::string url) {
  std::set<std::string> passed;
  bool permanent = true;
  for (int hop = 0; hop <= redirects_at_most; ++hop) {
    if (!passed.insert(url).second) co_return errc::bad_url;
    auto answer = co_await ask(v, url, true);
    v.report.final_url = url;
    if (!answer || !is_redirect(answer->status)) co_return answer;
    auto const location = answer->fields.find("Location");
    auto const target = location ? store::normalise_url(stitch::resolve(url, *location)) : std::nullopt;
    if (!target) co_return answer;
    permanent = permanent && is_permanent(answer->status);
    v.report.permanent_target = permanent ? *target : std::string{};
    url = *target;
  }
  co_return errc::bad_url;
}

struct reading {
  boost::system::error_code broken{};
  std::uint64_t on_wire = 0;  // of the body, before it was unpacked
  bool whole = false;
};

/// The document is complete. What little may follow it is read for the sake of the connection, which the next request
/// can use again.
net::awaitable<reading> finish_reading(response& answer, reading out, std::string piece) {
  out.whole = true;
  for (auto const start = out.on_wire; out.on_wire < start + later_piece;) {
    auto const got = co_await answer.read_some(piece);
    if (!got || *got == 0) break;
    out.on_wire += *got;
  }
  co_return out;
}

/// Until the end, until enough is known, or until it is too long.
net::awaitable<reading> read_document(visit& v, response& answer, document& into) {
  reading out;
  std::string piece(first_piece, '\0');
  auto const worth_ending = [&] {
    auto const all = answer.content_length ? *answer.content_length : v.feed.whole_bytes;
    return all == 0 || all > out.on_wire + v.settings.worth_stopping;
  };
  for (;;) {
    auto const got = co_await answer.read_some(piece);
    if (!got) {
      out.broken = got.error();
      co_return out;
    }
    if (*got == 0) break;
    out.on_wire += *got;
    bool const readable = into.push(std::string_view{piece}.substr(0, *got));
    if (!readable) {
      out.broken = errc::bad_encoding;
      co_return out;
    }
    if (into.enough() && worth_ending()) co_return out;
    if (into.done()) co_return co_await finish_reading(answer, std::move(out), std::move(piece));
    if (out.on_wire >= v.settings.largest) co_return out;
    piece.resize(later_piece);
  }
  out.whole = true;
  co_return out;
}

/// Older pages of the feed, until something known is met: what was posted while nobody could look.
net::awaitable<void> walk_archives(visit& v, stitch::feed::feed const& newest) {
  auto next = newest.prev_archive.empty() ? newest.next : newest.prev_archive;
  std::set<std::string> passed{v.report.final_url};
  for (std::size_t page = 0; page < v.settings.archive_pages && !v.report.overlaps; ++page) {
    auto const url = store::normalise_url(next);
    if (!url || !passed.insert(*url).second) co_return;
    auto answer = co_await ask(v, *url, false);
    if (!answer || answer->status != 200) co_return;
    document older{v, *answer, *url, false};
    auto const got = co_await read_document(v, *answer, older);
    auto const channel = older.finish();
    if (got.broken || !channel) co_return;
    std::ranges::move(older.items, std::back_inserter(v.report.items));
    v.report.overlaps = older.overlaps();
    next = channel->prev_archive.empty() ? channel->next : channel->prev_archive;
  }
}

net::awaitable<void> take_document(visit& v, response answer) {
  using outcome = visit_report::outcome;
  auto& report = v.report;
  v.memory.emplace(v.kept, v.feed);
  report.delta = answer.status == 226;
  bool const may_end_early = !v.wants_whole() && !report.delta;
  document read{v, answer, report.final_url, may_end_early};
  auto const got = co_await read_document(v, answer, read);
  auto channel = read.finish();
  if (got.broken && read.items.empty()) {
    report.error = got.broken;
    co_return;
  }
  if (!channel) {
    report.how = outcome::not_a_feed;
    co_return;
  }
  report.cut = static_cast<bool>(got.broken);
  report.whole = got.whole && !report.cut;
  if (answer.content_length && !report.whole) report.unread = *answer.content_length - got.on_wire;
  if (!answer.content_length && read.enough() && v.feed.whole_bytes > got.on_wire)
    report.unread = v.feed.whole_bytes - got.on_wire;
  report.order = report.whole && !report.delta ? read.order() : store::feed_order::unknown;
  report.feed = std::move(*channel);
  report.items = std::move(read.items);
  report.in_document = report.items.size();
  report.overlaps = read.overlaps() || report.delta || !v.memory->has_window();
  // A delta may be empty; a feed that had items yesterday and none today is a mistake of somebody's.
  bool const emptied = report.items.empty() && !report.delta && v.memory->has_window();
  report.how = emptied ? outcome::empty : outcome::read;
  if (!report.overlaps && !emptied) co_await walk_archives(v, report.feed);
}

}  // namespace

net::awaitable<visit_report> visit_feed(http_client& client, store::repository& kept, store::subscription const& feed,
                                        feed_settings const& settings, std::chrono::sys_seconds now,
                                        std::shared_ptr<traffic> meter) {
  using outcome = visit_report::outcome;
  auto const policy = key_policy{std::max<std::uint8_t>(feed.identity_policy, 1)};
  visit v{client, kept, feed, settings, now, std::move(meter), policy};
  auto start = v.feed.feed_url;
  auto answer = co_await ask_through_redirects(v, std::move(start));
  if (!answer) {
    v.report.error = answer.error();
    co_return std::move(v.report);
  }
  v.report.status = answer->status;
  v.report.fields = answer->fields;
  if (answer->status == 304) {
    v.report.how = outcome::unchanged;
  } else if (answer->status == 200 || answer->status == 226) {
    co_await take_document(v, std::move(*answer));
  } else {
    v.report.how = answer->status == 410 ? outcome::gone : outcome::refused;
  }
  co_return std::move(v.report);
}

visit_report read_feed(store::repository& kept, store::subscription const& feed, std::string_view body, unsigned status,
                       store::header_block const& fields, std::string const& url) {
  visit_report out{.status = status, .final_url = url, .fields = fields};
  item_memory memory{kept, feed};
  head_rule rule{false};
  auto const policy = key_policy{std::max<std::uint8_t>(feed.identity_policy, 1)};
  auto parsed =
      stitch::feed::parse(body, {.base = url, .content_type = std::string{fields.find("Content-Type").value_or("")}});
  if (!parsed) {
    out.how = visit_report::outcome::not_a_feed;
    return out;
  }
  out.items = std::exchange(parsed->items, {});
  out.feed = std::move(*parsed);
  out.in_document = out.items.size();
  out.overlaps = !memory.has_window();
  for (auto const& item : out.items) {
    auto const seen = memory.look_at(item, policy);
    out.overlaps |= seen.what != item_memory::standing::fresh;
    rule.note(seen.what, item.published ? item.published : item.updated);
  }
  out.whole = true;
  out.order = rule.order();
  out.how = visit_report::outcome::read;
  return out;
}

}  // namespace cistern::sync
