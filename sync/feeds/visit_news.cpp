#include "sync/feeds/visit_news.hpp"

#include "stitch/url.hpp"
#include "store/url.hpp"
#include "sync/feeds/item_memory.hpp"
#include "sync/schedule/hints.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace cistern::sync {
namespace {

using stitch::feed::key_policy;
using standing = item_memory::standing;

constexpr std::size_t longest_window = 20'000;

store::publishing_hints hints_from(stitch::feed::feed const& feed) {
  auto const said = schedule::hints_of(feed);
  store::publishing_hints out;
  if (said.ttl) out.ttl_minutes = static_cast<std::uint32_t>(said.ttl->count());
  if (said.period) out.period_seconds = static_cast<std::uint32_t>(said.period->count());
  out.skip_hours = static_cast<std::uint32_t>(said.skip_hours.to_ulong());
  out.skip_days = static_cast<std::uint32_t>(said.skip_days.to_ulong());
  for (auto const& rule : said.rules)
    out.rules.push_back({.start_hour = rule.start_hour,
                         .end_hour = rule.end_hour,
                         .start_day = rule.start_day,
                         .end_day = rule.end_day,
                         .minutes = static_cast<std::uint32_t>(rule.interval.count())});
  return out;
}

/// What the feed says goes into the record; what a reader did to the item stays.
void fill(store::item& record, stitch::feed::item const& seen, item_memory::sighting const& sighting,
          std::chrono::sys_seconds now) {
  auto dated = seen;
  stitch::feed::clamp_future(dated, record.first_seen == std::chrono::sys_seconds{} ? now : record.first_seen);
  record.identity = sighting.identity;
  record.fingerprint = sighting.fingerprint;
  record.link_key = sighting.link_key;
  record.title_key = sighting.title_key;
  record.id = seen.id;
  record.link = seen.link;
  record.title = seen.title;
  record.summary = seen.summary;
  record.content = seen.content;
  record.author = seen.author;
  record.published = dated.published;
  record.updated = dated.updated;
  record.zone = seen.zone;
  record.categories = seen.categories;
  record.image = seen.image;
  record.enclosures.clear();
  for (auto const& attached : seen.enclosures) record.enclosures.push_back(attached.url);
}

/// Newer and dearer first; a byte spent on a small thing buys more things.
double worth(double weight, std::optional<std::chrono::sys_seconds> date, std::chrono::sys_seconds now,
             std::uint64_t bytes) {
  auto const days = date ? std::max(0.0, static_cast<double>((now - *date).count()) / 86'400) : 7.0;
  return weight / (1.0 + days) / static_cast<double>(std::max<std::uint64_t>(bytes, 1'000));
}

class digester {
public:
  digester(store::repository& kept, store::subscription before, visit_report const& report,
           std::chrono::sys_seconds now, news_settings const& settings)
      : memory_{kept, before}, report_{report}, now_{now}, settings_{settings}, first_visit_{before.window.empty()} {
    out_.feed = std::move(before);
  }

  visit_news run() {
    auto const current = key_policy{std::max<std::uint8_t>(out_.feed.identity_policy, 1)};
    auto const policy = stitch::feed::settled(current, report_.items);
    out_.feed.identity_policy = static_cast<std::uint8_t>(policy);
    std::vector<store::digest> shown;
    for (std::size_t i = 0; i < report_.items.size(); ++i) {
      auto const sighting = memory_.look_at(report_.items[i], policy);
      if (!met_.insert(sighting.identity).second) continue;
      if (i < report_.in_document) shown.push_back(sighting.identity);
      take(report_.items[i], sighting);
    }
    out_.turned_over = memory_.has_window() && !report_.overlaps;
    out_.gap = out_.turned_over && !out_.fresh.empty();
    if (out_.gap) out_.fresh.back().gap_before = true;
    set_window(std::move(shown));
    return std::move(out_);
  }

private:
  void take(stitch::feed::item const& seen, item_memory::sighting const& sighting) {
    if (sighting.what == standing::unchanged) return;
    store::item record = sighting.known.value_or(store::item{});
    if (sighting.what == standing::moved) out_.moved_from.push_back(record);
    record.subscription = out_.feed.id;
    fill(record, seen, sighting, now_);
    if (sighting.what != standing::fresh) {
      record.edits += sighting.what == standing::edited;
      if (sighting.what == standing::edited) want_page(record, seen);
      out_.edited.push_back(std::move(record));
      return;
    }
    record.first_seen = now_;
    auto const date = seen.published ? seen.published : seen.updated;
    if (date) {
      out_.postings.push_back(*date);
    } else {
      ++out_.undated;
    }
    if (!first_visit_ || out_.fresh.size() < settings_.first_items) {
      want_page(record, seen);
      want_enclosures(record, seen);
    }
    out_.fresh.push_back(std::move(record));
  }

  void want(store::item const& record, std::string url, store::job_class priority, std::uint64_t bytes) {
    store::job job{.url = std::move(url), .priority = priority};
    job.owners.push_back(owner_name(record));
    job.created = now_;
    job.value = worth(out_.feed.weight, record.published, now_, bytes);
    job.subscription = out_.feed.id;
    job.found_on = record.link;
    out_.wanted.push_back(std::move(job));
  }

  void want_page(store::item& record, stitch::feed::item const& seen) {
    auto const url = store::normalise_url(seen.link);
    if (!out_.feed.carry.pages || !url) return;
    want(record, *url, store::job_class::page, settings_.typical_page);
    record.state = store::completeness::wanted;
  }

  [[nodiscard]] bool carried(stitch::feed::enclosure const& attached) const {
    auto const& rules = out_.feed.carry;
    if (rules.enclosure_limit && attached.length && *attached.length > *rules.enclosure_limit) return false;
    auto const fits = [&](std::string const& type) { return attached.type.starts_with(type); };
    return rules.enclosure_types.empty() || std::ranges::any_of(rules.enclosure_types, fits);
  }

  void want_enclosures(store::item const& record, stitch::feed::item const& seen) {
    if (!out_.feed.carry.enclosures) return;
    for (auto const& attached : seen.enclosures) {
      auto const url = store::normalise_url(attached.url);
      if (!url || !carried(attached)) continue;
      want(record, *url, store::job_class::enclosure, attached.length.value_or(20'000'000));
      if (attached.length.value_or(0) > 0) out_.wanted.back().expected_size = attached.length;
      out_.wanted.back().hash = attached.hash;
    }
  }

  /// A head or a delta stands above what was there before; a whole document is all there is.
  void set_window(std::vector<store::digest> shown) {
    auto& feed = out_.feed;
    if (!report_.whole || report_.delta) {
      auto const room =
          report_.delta ? feed.window.size() + shown.size() : std::max<std::size_t>(feed.capacity, shown.size());
      std::set<store::digest> const here{shown.begin(), shown.end()};
      for (auto const& older : feed.window)
        if (shown.size() < room && !here.contains(older)) shown.push_back(older);
    }
    shown.resize(std::min(shown.size(), longest_window));
    if (report_.whole && !report_.delta)
      feed.capacity = std::max(feed.capacity, static_cast<std::uint32_t>(report_.in_document));
    feed.window = std::move(shown);
  }

  item_memory memory_;
  visit_report const& report_;
  std::chrono::sys_seconds now_;
  news_settings const& settings_;
  bool first_visit_;
  std::set<store::digest> met_;
  visit_news out_;
};

void note_reading(store::subscription& feed, visit_report const& report, std::chrono::sys_seconds now) {
  if (report.delta) return;
  if (report.whole) {
    feed.last_whole_read = now;
    feed.head_reads = 0;
    bool const decided = feed.order == store::feed_order::odd || report.order == store::feed_order::unknown;
    if (!decided) feed.order = report.order;
  } else {
    ++feed.head_reads;
  }
}

}  // namespace

visit_news digest_visit(store::repository& kept, store::subscription before, visit_report const& report,
                        std::chrono::sys_seconds now, visit_floors const& floors, news_settings const& settings) {
  using outcome = visit_report::outcome;
  auto out = report.how == outcome::read ? digester{kept, std::move(before), report, now, settings}.run()
                                         : visit_news{.feed = std::move(before)};
  auto& feed = out.feed;
  feed.last_visit = now;
  feed.last_status = report.status;
  bool const good = report.how == outcome::read || report.how == outcome::unchanged;
  if (!good) return out;
  feed.failures = 0;
  feed.last_error.clear();
  feed.not_before = fresh_until(report.fields, now, floors);
  if (auto const asked = retry_after(report.fields, now))
    feed.not_before = std::max(feed.not_before, std::min(*asked, now + floors.longest_retry_after));
  if (!report.cut) take_validators(feed, report.status, report.fields, report.final_url);
  out.adopted_move = note_move(feed, report.permanent_target, now);
  if (out.adopted_move) {
    feed.feed_url = feed.moved_to;
    feed.moved_to.clear();
    feed.moved_sightings = 0;
  }
  if (report.how != outcome::read) return out;
  note_reading(feed, report, now);
  feed.hints = hints_from(report.feed);
  if (feed.title.empty()) feed.title = report.feed.title;
  if (feed.homepage_url.empty()) feed.homepage_url = store::normalise_url(report.feed.link).value_or("");
  return out;
}

bool write_news(store::write_batch& batch, visit_news const& news) {
  auto const now = batch.get<store::subscription>(news.feed.key());
  if (!now) return false;
  auto merged = news.feed;
  bool const readdressed = now->feed_url != merged.feed_url && !news.adopted_move;
  if (readdressed) return false;
  merged.weight = now->weight;
  merged.carry = now->carry;
  merged.folders = now->folders;
  merged.paused = now->paused;
  merged.stitch = now->stitch;
  merged.extra = now->extra;
  if (!now->title.empty()) merged.title = now->title;
  if (!now->homepage_url.empty()) merged.homepage_url = now->homepage_url;
  merged.homepage_fetched = now->homepage_fetched;
  merged.homepage_bytes = now->homepage_bytes;
  for (auto const& old : news.moved_from) batch.erase_item(old);
  for (auto const& item : news.fresh) batch.put_item(item);
  for (auto const& item : news.edited) {
    auto edited = item;
    if (auto const current = batch.get<store::item>(item.key())) {
      edited.read = current->read;
      edited.starred = current->starred;
    }
    batch.put_item(edited);
  }
  for (auto const& job : news.wanted) batch.enqueue(job);
  batch.put(merged);
  return true;
}

std::string owner_name(store::item const& of) {
  static constexpr std::string_view digits = "0123456789abcdef";
  auto out = "item " + std::to_string(of.subscription) + ' ';
  for (char const c : of.identity.bytes) {
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::optional<std::string> item_key_of(std::string_view owner) {
  if (!owner.starts_with("item ")) return std::nullopt;
  owner.remove_prefix(5);
  store::item named{};
  auto const [end, error] = std::from_chars(owner.data(), owner.data() + owner.size(), named.subscription);
  if (error != std::errc{}) return std::nullopt;
  owner.remove_prefix(static_cast<std::size_t>(end - owner.data()));
  if (owner.size() != 1 + 2 * named.identity.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < named.identity.bytes.size(); ++i) {
    unsigned byte = 0;
    auto const* const at = owner.data() + 1 + 2 * i;
    if (std::from_chars(at, at + 2, byte, 16).ptr != at + 2) return std::nullopt;
    named.identity.bytes[i] = static_cast<char>(byte);
  }
  return named.key();
}

}  // namespace cistern::sync
