#pragma once

/// One visit of one feed: a conditional request, redirects, and the document parsed while it arrives, ended early where
/// what is known begins.

#include "stitch/feed/feed.hpp"
#include "store/repository.hpp"
#include "sync/feeds/visit_rules.hpp"
#include "sync/http/client.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cistern::sync {

class budget;

struct feed_settings {
  budget* spending = nullptr;
  std::string user_agent{};
  visit_floors floors{};
  phase_limits limits{.queue = std::chrono::milliseconds{0}, .whole = std::chrono::minutes{10}};
  std::uint64_t largest = 16u << 20;        // of a document on the wire; what was read by then counts
  std::uint64_t worth_stopping = 8u << 10;  // bytes that must be left for an early end to pay for its connection
  std::size_t archive_pages = 4;            // RFC 5005, when items were lost between two visits
  std::uint32_t head_reads_at_most = 9;     // then a whole one
  std::chrono::seconds whole_read_every = std::chrono::hours{24 * 7};
  std::function<bool(boost::asio::ip::address const&)> allow_address{};
};

struct visit_report {
  enum class outcome {
    unchanged,   // 304
    read,        // `feed` and `items`
    gone,        // 410
    refused,     // another status that brings nothing
    not_a_feed,  // a log-in page, a portal: changes nothing
    empty,       // a feed that lost all its items at once: believed by nobody
    failed,      // `error`
  };
  outcome how = outcome::failed;
  unsigned status = 0;
  boost::system::error_code error{};
  std::string final_url{};
  std::string permanent_target{};           // where a chain of permanent redirects led, if that is a feed
  store::header_block fields{};             // of the last answer
  stitch::feed::feed feed{};                // without its items
  std::vector<stitch::feed::item> items{};  // in the document's order, archives behind it
  std::size_t in_document = 0;              // of these, those of the feed itself
  bool whole = false;                       // read to the end
  bool cut = false;                         // it broke off: its validators belong to more than was read
  bool delta = false;                       // 226: what is not in it is unchanged
  bool overlaps = true;                     // something known was met: nothing was lost in between
  store::feed_order order = store::feed_order::unknown;
  std::uint64_t unread = 0;  // bytes that were left on the wire, where that is known
  std::uint32_t requests = 0;
};

/// `meter` counts all that crosses the wire. The subscription is not changed; see visit_news.hpp for what follows. All
/// that is given by reference outlives the visit.
boost::asio::awaitable<visit_report> visit_feed(http_client& client, store::repository& kept,
                                                store::subscription const& feed, feed_settings const& settings,
                                                std::chrono::sys_seconds now, std::shared_ptr<traffic> meter);

/// The same of a document that is here already.
[[nodiscard]] visit_report read_feed(store::repository& kept, store::subscription const& feed, std::string_view body,
                                     unsigned status, store::header_block const& fields, std::string const& url);

}  // namespace cistern::sync
