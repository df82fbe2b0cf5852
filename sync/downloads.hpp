#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/freshness.hpp"
#include "store/repository.hpp"
#include "sync/clock.hpp"
#include "sync/http/client.hpp"
#include "sync/link.hpp"
#include "sync/transfer.hpp"

namespace cistern::sync {

struct download_settings {
  store::cache_settings caching{};
  phase_limits limits{};
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
  bool finish = false;  // to the end, whoever goes away
  store::object_kind kind = store::object_kind::other;
  std::function<bool(boost::asio::ip::address const&)> allow_address{};
};

/// The one download manager: whoever wants something from outside asks here. What may be stored is stored as it
/// arrives; two who want the same URL share one fetch; a reader that goes away does not waste what is nearly complete.
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

  [[nodiscard]] download_settings const& settings() const { return settings_; }
  [[nodiscard]] network_link& link() { return link_; }
  /// Fetches under way.
  [[nodiscard]] std::size_t active();

private:
  struct errand;
  boost::asio::awaitable<void> run(std::shared_ptr<errand> e);
  boost::asio::awaitable<result<response>> ask(errand& e, bool with_conditions);
  boost::asio::awaitable<bool> try_freshen(errand& e, response const& answer);
  boost::asio::awaitable<void> pump(errand& e, response answer);
  boost::asio::awaitable<bool> keep(errand& e, std::string const& block);
  boost::asio::awaitable<bool> complete(errand& e, std::string const& last);
  void forget(errand const& e);

  store::repository& kept_;
  network_link& link_;
  clock const& wall_;
  download_settings settings_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<transfer>> under_way_;
  std::size_t active_ = 0;
};

}  // namespace cistern::sync
