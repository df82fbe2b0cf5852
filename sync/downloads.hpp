#pragma once

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "store/freshness.hpp"
#include "store/repository.hpp"
#include "sync/body_keeper.hpp"
#include "sync/clock.hpp"
#include "sync/http/client.hpp"
#include "sync/link.hpp"
#include "sync/resume.hpp"
#include "sync/transfer.hpp"

namespace cistern::sync {

class budget;
class errand;

struct download_settings {
  budget* spending = nullptr;  // what bytes may be spent on; none: on everything
  store::cache_settings caching{};
  phase_limits limits{};
  std::chrono::milliseconds longest_unsaved{1'000};  // of a slow transfer: what a power cut may cost
  std::uint64_t finish_below = 1u << 20;  // bytes still missing when the last reader goes: fetched all the same
};

/// A GET that somebody wants.
struct wish {
  std::string url{};                         // normalised: the name it is kept under
  store::header_block fields{};              // for the origin, without conditions and ranges
  std::vector<store::stored_object> held{};  // responses to validate, the one to be used first
  bool sharable = true;                      // another's answer would do, and ours may be another's
  bool has_authorization = false;
  bool no_store = false;
  bool finish = false;                            // to the end, whoever goes away,
  std::shared_ptr<std::atomic<bool>> unwanted{};  // unless this has become true: then not a byte more for nobody
  std::uint64_t finish_below = 0;  // as in the settings, when that is less
  store::object_kind kind = store::object_kind::other;
  store::retention keep = store::retention::evictable;
  std::uint32_t versions = 1;  // dated ones to keep
  std::function<bool(boost::asio::ip::address const&)> allow_address{};
  store::job_class purpose = store::job_class::person;
  std::optional<std::uint64_t> daily_limit{};  // of that account, in bytes
  std::uint64_t subscription = 0;              // on whose account; 0: nobody's
  std::shared_ptr<traffic> meter{};            // counts every byte of it on the wire, failed exchanges included
  std::optional<std::uint64_t> most{};         // bytes of body; beyond it errc::body_too_large, and nothing is kept
  std::optional<content_digest> digest{};      // else errc::wrong_digest, and nothing is kept
  /// What an earlier try left under another URL (a redirect has changed): used only if a strong validator says that
  /// this is the same.
  std::optional<store::stored_object> elsewhere{};
};

/// The one download manager: whoever wants something from outside asks here. What may be stored is stored as it
/// arrives; two who want the same URL share one fetch; a reader that goes away does not waste what is nearly complete;
/// what an earlier try left is not fetched again (sync/resume.hpp), and who reads gets it from the repository at once.
/// Any thread may ask; the work is done on the asking thread's io_context with its own `client`.
class downloads {
public:
  downloads(store::repository& kept, network_link& link, clock const& wall, download_settings settings);

  struct started {
    std::shared_ptr<transfer> from;
    bool joined = false;      // somebody else's fetch
    transfer::reader reader;  // made before the first byte can come; keeps the fetch going
  };
  /// `client` belongs to this thread and outlives the fetch.
  started get(wish what, http_client& client, boost::asio::any_io_executor const& executor);

  /// The link is gone: ends the fetches that `client`'s thread, which calls this, does over it. What has arrived is
  /// stored; whoever waits gets errc::cancelled.
  void abandon(http_client const& client);

  [[nodiscard]] download_settings const& settings() const { return settings_; }
  [[nodiscard]] network_link& link() { return link_; }
  [[nodiscard]] store::repository& repository() { return kept_; }
  [[nodiscard]] std::chrono::sys_seconds now() const { return wall_.now(); }
  /// Fetches under way.
  [[nodiscard]] std::size_t active();
  /// The fetch of that URL, when one is under way that others may share.
  [[nodiscard]] std::shared_ptr<transfer> under_way(std::string const& url);

private:
  friend class errand;
  void forget(std::string const& url, std::shared_ptr<transfer> const& from);
  /// Nobody joins it any more, but its last bytes are still being written: who goes on behind them waits for its end.
  void let_end(std::string const& url, std::shared_ptr<transfer> const& from);
  [[nodiscard]] std::shared_ptr<transfer> ending(std::string const& url);
  void begins(errand* each);
  void is_over(errand* each);
  /// Makes an unfinished object this caller's to write; false when it is somebody's.
  bool claim(std::uint64_t object);
  void release(std::uint64_t object);
  /// Unfinished objects of the URL that nobody writes.
  [[nodiscard]] std::vector<store::stored_object> unfinished(std::string const& url);
  /// How often a host may be asked again for a range that it ignored: learned from what it did before.
  [[nodiscard]] unsigned patience_with(std::string const& host);
  void note_range(std::string const& host, bool honoured);

  store::repository& kept_;
  network_link& link_;
  clock const& wall_;
  download_settings settings_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<transfer>> under_way_;
  std::map<std::string, std::shared_ptr<transfer>> ending_;
  std::set<errand*> errands_;                  // each until it is destroyed, on its own thread
  std::set<std::uint64_t> claimed_;            // unfinished objects that somebody is writing
  std::map<std::string, unsigned> rangeless_;  // hosts, and how often in a row they ignored a Range
  std::size_t active_ = 0;
};

}  // namespace cistern::sync
