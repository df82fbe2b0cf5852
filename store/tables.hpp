#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/codec.hpp"
#include "store/digest.hpp"

/// The typed tables that sync, stitch and the dashboard keep their facts in. Each record knows its table and its key;
/// `write_batch::put` and `repository::get` do the rest. How records grow: see store/codec.hpp.

namespace cistern::store {

/// The numbers are positions in the schema, not stored.
enum class table_id : std::size_t {
  jobs,
  job_urls,
  subscriptions,
  items,
  items_by_time,
  templates,
  journal,
  ledger,
  settings,
  search_marks
};

/// In the order in which sync spends a connection.
enum class job_class : std::uint8_t { person, feed, page, requisite, homepage, enclosure };
enum class job_state : std::uint8_t { waiting, running, paused, failed };

/// Something that is wanted from the network. One a URL: a second wish joins the first as another owner.
struct job {
  static constexpr std::uint8_t version = 1;
  static constexpr table_id table = table_id::jobs;
  std::uint64_t id = 0;
  std::string url{};
  job_class priority = job_class::page;
  job_state state = job_state::waiting;
  std::vector<std::string> owners{};  // who wants it: a client's address, "subscription 7", "item …"
  std::chrono::sys_seconds created{};
  std::chrono::sys_seconds not_before{};
  std::uint32_t attempts = 0;
  double value = 0;  // worth per byte inside its class
  std::optional<std::uint64_t> expected_size{};
  std::string last_error{};
  std::uint64_t subscription = 0;
  std::string found_on{};     // the page that needs it, or the link to resolve it from again
  std::string hash{};         // what the feed says of the file: "md5 …", "sha-1 …"
  std::uint32_t depth = 0;    // styles that import styles, pages that continue
  std::uint32_t damaged = 0;  // times that it came whole and was not what `hash` says

  [[nodiscard]] std::string key() const;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.id, self.url, self.priority, self.state, self.owners, self.created, self.not_before, self.attempts,
      self.value, self.expected_size, self.last_error, self.subscription, self.found_on, self.hash, self.depth,
      self.damaged);
  }
};

/// The value of a job that a person wants now, before all others of every class.
inline constexpr double wanted_now = std::numeric_limits<double>::infinity();
[[nodiscard]] inline bool is_wanted_now(job const& job) { return job.value == wanted_now; }

/// What a subscription carries, and within which bounds.
struct carry_rules {
  bool pages = true;
  bool requisites = true;
  bool enclosures = false;
  std::vector<std::string> enclosure_types{};      // empty: all
  std::optional<std::uint64_t> enclosure_limit{};  // bytes each
  std::optional<std::uint64_t> item_limit{};       // bytes an item with all it needs
  std::optional<std::uint64_t> daily_limit{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.pages, self.requisites, self.enclosures, self.enclosure_types, self.enclosure_limit, self.item_limit,
      self.daily_limit);
  }
};

/// "Between these hours on these days I post every so many minutes."
struct publishing_rule {
  std::int32_t start_hour = 0, end_hour = 24, start_day = 0, end_day = 6;
  std::uint32_t minutes = 0;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.start_hour, self.end_hour, self.start_day, self.end_day, self.minutes);
  }
};

/// What the publisher says about when to come, as the feed last said it.
struct publishing_hints {
  std::optional<std::uint32_t> ttl_minutes{};
  std::optional<std::uint32_t> period_seconds{};
  std::uint32_t skip_hours = 0;  // a bit an hour, UTC
  std::uint32_t skip_days = 0;   // a bit a day, Monday is the lowest
  std::vector<publishing_rule> rules{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.ttl_minutes, self.period_seconds, self.skip_hours, self.skip_days, self.rules);
  }
};

enum class stitching : std::uint8_t { when_good, always, never };
/// As whole reads have shown it; `odd` stays.
enum class feed_order : std::uint8_t { unknown, newest_first, odd };

/// A site that is carried: its feed, its homepage, and what was learned of both.
struct subscription {
  static constexpr std::uint8_t version = 1;
  static constexpr table_id table = table_id::subscriptions;
  std::uint64_t id = 0;
  std::string feed_url{};
  std::string homepage_url{};
  std::string title{};
  std::vector<std::string> folders{};
  double weight = 1;
  carry_rules carry{};
  std::chrono::sys_seconds added{};
  std::string etag{};           // byte for byte as the origin sent it
  std::string last_modified{};  // likewise
  std::string final_url{};      // the validators belong to this address
  std::chrono::sys_seconds last_visit{};
  std::chrono::sys_seconds next_visit{};
  std::uint32_t failures = 0;
  std::string last_error{};
  std::string moved_to{};  // a permanent redirect that is being watched
  std::uint32_t moved_sightings = 0;
  bool gone = false;
  std::string posting_pattern{};     // what the polling policy learned, in its own encoding
  std::string extra{};               // OPML attributes and the like that must survive export
  std::uint8_t identity_policy = 1;  // stitch::feed::key_policy; only ever made coarser
  std::vector<digest> window{};      // identities of the items the feed shows, in its order, as far as it was read
  feed_order order = feed_order::unknown;  // only newest_first may be read by its head
  std::uint32_t head_reads = 0;            // since the last whole one
  std::chrono::sys_seconds last_whole_read{};
  std::chrono::sys_seconds not_before{};  // what the origin asked for: Retry-After, Cache-Control
  std::uint64_t whole_bytes = 0;          // on the wire, of the last whole read
  publishing_hints hints{};
  std::uint32_t capacity = 0;  // most items seen at once; 0: never read whole
  std::uint32_t last_status = 0;
  std::chrono::sys_seconds moved_since{};
  std::chrono::sys_seconds homepage_fetched{};
  std::uint64_t homepage_bytes = 0;  // on the wire, of its last download
  stitching stitch = stitching::when_good;
  bool paused = false;

  [[nodiscard]] std::string key() const;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.id, self.feed_url, self.homepage_url, self.title, self.folders, self.weight, self.carry, self.added,
      self.etag, self.last_modified, self.final_url, self.last_visit, self.next_visit, self.failures, self.last_error,
      self.moved_to, self.moved_sightings, self.gone, self.posting_pattern, self.extra, self.identity_policy,
      self.window, self.order, self.head_reads, self.last_whole_read, self.not_before, self.whole_bytes, self.hints,
      self.capacity, self.last_status, self.moved_since, self.homepage_fetched, self.homepage_bytes, self.stitch,
      self.paused);
  }
};

enum class completeness : std::uint8_t { wanted, partial, whole };

/// What a list needs of each item to choose and to order them, without reading the items: beside their times in
/// `items_by_time`. An entry that an older program wrote has none of it; then the item itself is looked at.
struct item_glance {
  static constexpr std::uint8_t version = 1;
  std::chrono::sys_seconds published{};  // or when it was first seen
  bool read = false;
  bool starred = false;
  std::uint64_t bytes = 0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.published, self.read, self.starred, self.bytes);
  }
};

/// An item as a list sees it.
struct listed_item {
  std::chrono::sys_seconds first_seen{};
  std::uint64_t subscription = 0;
  std::string key{};
  item_glance seen{};
};

/// An item of a feed, with what a reader did to it.
struct item {
  static constexpr std::uint8_t version = 1;
  static constexpr table_id table = table_id::items;
  std::uint64_t subscription = 0;
  digest identity{};  // of the id chosen by the feed's identity policy
  std::string id{};
  std::string link{};
  std::string title{};
  std::string summary{};
  std::string content{};
  std::string author{};
  std::optional<std::chrono::sys_seconds> published{};
  std::optional<std::chrono::sys_seconds> updated{};
  std::chrono::sys_seconds first_seen{};
  std::vector<std::string> categories{};
  std::vector<std::string> enclosures{};
  std::string image{};
  digest fingerprint{};  // of the item's data: another one means an edit
  std::uint32_t edits = 0;
  completeness state = completeness::wanted;
  bool read = false;
  bool starred = false;
  bool gap_before = false;         // items between this one and the older ones were lost
  digest link_key{};               // of the normalised link, and
  digest title_key{};              // of title and day: how an item is known again when the publisher changes its ids
  std::uint32_t parts_wanted = 0;  // of its article: still to come
  std::uint32_t parts_stored = 0;
  std::uint32_t parts_missing = 0;             // the origin does not have them
  std::uint64_t bytes = 0;                     // stored for it
  std::string page_error{};                    // why the article is not here
  std::optional<std::chrono::minutes> zone{};  // from UTC, of the publisher's clock

  [[nodiscard]] std::string key() const;
  /// For `items_by_time`.
  [[nodiscard]] std::string time_key() const;
  [[nodiscard]] item_glance glance() const { return {published.value_or(first_seen), read, starred, bytes}; }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.subscription, self.identity, self.id, self.link, self.title, self.summary, self.content, self.author,
      self.published, self.updated, self.first_seen, self.categories, self.enclosures, self.image, self.fingerprint,
      self.edits, self.state, self.read, self.starred, self.gap_before, self.link_key, self.title_key,
      self.parts_wanted, self.parts_stored, self.parts_missing, self.page_error, self.bytes, self.zone);
  }
};

/// What stitching learned of one homepage.
struct page_template {
  static constexpr std::uint8_t version = 1;
  static constexpr table_id table = table_id::templates;
  digest url_digest{};
  std::string url{};
  std::string learned{};  // in stitch's own encoding
  std::chrono::sys_seconds learned_at{};
  std::vector<double> accuracy{};  // measured against full downloads, oldest first

  [[nodiscard]] std::string key() const { return std::string{url_digest.view()}; }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.url_digest, self.url, self.learned, self.learned_at, self.accuracy);
  }
};

/// Something that happened, for people to read later. Numbered by the writer when `sequence` is 0.
struct journal_entry {
  static constexpr std::uint8_t version = 1;
  static constexpr table_id table = table_id::journal;
  std::uint64_t sequence = 0;
  std::chrono::sys_seconds when{};
  std::string what{};     // "pass", "evicted", "quarantined" …
  std::string details{};  // JSON

  [[nodiscard]] std::string key() const;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.sequence, self.when, self.what, self.details);
  }
};

/// Bytes by day, class, link, subscription and host. Written by `write_batch::charge`, which adds.
struct ledger_entry {
  static constexpr std::uint8_t version = 1;
  static constexpr table_id table = table_id::ledger;
  std::uint32_t day = 0;  // since 1970-01-01, by the box's own midnights: budgets are
  job_class purpose = job_class::page;
  std::string link{};  // "metered", "wlan0" …
  std::uint64_t subscription = 0;
  std::string host{};
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t saved = 0;  // what was not fetched because we knew better
  std::uint64_t requests = 0;

  [[nodiscard]] std::string key() const;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.day, self.purpose, self.link, self.subscription, self.host, self.received, self.sent, self.saved,
      self.requests);
  }
};

/// A small fact that belongs to nobody else: what a policy learned of all feeds, when a reader was last here.
struct setting {
  static constexpr std::uint8_t version = 1;
  static constexpr table_id table = table_id::settings;
  std::string name{};
  std::string value{};

  [[nodiscard]] std::string key() const { return name; }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.name, self.value);
  }
};

/// The setting that says which search index has caught up with this repository, and how far (sync/search).
inline constexpr std::string_view search_state_name = "search.index";

/// An item or a page that the search index has to look at again: it came, changed or went. Written in the same
/// transaction as what it speaks of, and erased once the index has caught up, so that nothing is forgotten.
struct search_mark {
  static constexpr std::uint8_t version = 1;
  static constexpr table_id table = table_id::search_marks;
  std::string item{};  // an item's key, or
  digest url_digest{};
  std::string url{};         // the address of a page
  std::uint64_t number = 0;  // a later mark of the same thing has another one

  [[nodiscard]] std::string key() const;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.item, self.url_digest, self.url, self.number);
  }
};

template <class T>
concept table_record = record<T> && requires(T const& t) {
  { t.key() } -> std::convertible_to<std::string>;
  { T::table } -> std::convertible_to<table_id>;
};

}  // namespace cistern::store
