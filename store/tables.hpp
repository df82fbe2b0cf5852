#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/codec.hpp"
#include "store/digest.hpp"

/// The typed tables that sync, stitch and the dashboard keep their facts in. Each record knows its table and its key;
/// `write_batch::put` and `repository::get` do the rest. How records grow: see store/codec.hpp.

namespace cistern::store {

/// The numbers are positions in the schema, not stored.
enum class table_id : std::size_t { jobs, job_urls, subscriptions, items, items_by_time, templates, journal, ledger };

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
  std::string found_on{};  // the page that needs it, or the link to resolve it from again

  [[nodiscard]] std::string key() const;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.id, self.url, self.priority, self.state, self.owners, self.created, self.not_before, self.attempts,
      self.value, self.expected_size, self.last_error, self.subscription, self.found_on);
  }
};

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
  std::string posting_pattern{};  // what the polling policy learned, in its own encoding
  std::string extra{};            // OPML attributes and the like that must survive export

  [[nodiscard]] std::string key() const;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.id, self.feed_url, self.homepage_url, self.title, self.folders, self.weight, self.carry, self.added,
      self.etag, self.last_modified, self.final_url, self.last_visit, self.next_visit, self.failures, self.last_error,
      self.moved_to, self.moved_sightings, self.gone, self.posting_pattern, self.extra);
  }
};

enum class completeness : std::uint8_t { wanted, partial, whole };

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
  bool gap_before = false;  // items between this one and the older ones were lost

  [[nodiscard]] std::string key() const;
  /// For `items_by_time`.
  [[nodiscard]] std::string time_key() const;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.subscription, self.identity, self.id, self.link, self.title, self.summary, self.content, self.author,
      self.published, self.updated, self.first_seen, self.categories, self.enclosures, self.image, self.fingerprint,
      self.edits, self.state, self.read, self.starred, self.gap_before);
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

template <class T>
concept table_record = record<T> && requires(T const& t) {
  { t.key() } -> std::convertible_to<std::string>;
  { T::table } -> std::convertible_to<table_id>;
};

}  // namespace cistern::store
