#include "tools/cistern/carried_hosts.hpp"

#include "stitch/site.hpp"
#include "store/codec.hpp"
#include "store/tables.hpp"
#include "sync/http/origin.hpp"

#include <map>
#include <set>

namespace cistern::tools {
namespace {

constexpr std::chrono::days as_far_back{60};
constexpr std::size_t most_hosts = 500;  // all of them go into one certificate

}  // namespace

std::vector<std::string> carried_hosts(store::repository& repository, std::chrono::sys_days today) {
  std::set<std::string> hosts;
  std::map<std::uint64_t, std::set<std::string>> owners;  // the sites that a subscription is of
  static_cast<void>(repository.scan<store::subscription>({}, [&](store::subscription const& s) {
    for (auto const& url : {s.homepage_url, s.feed_url}) {
      auto const parsed = sync::parse_url(url);
      if (!parsed) continue;
      hosts.insert(parsed->to.host);
      owners[s.id].emplace(stitch::site_of(parsed->to.host));
    }
    return true;
  }));
  std::string from;
  store::append_key(from, static_cast<std::uint32_t>((today - as_far_back).time_since_epoch().count()));
  static_cast<void>(repository.scan<store::ledger_entry>(
      {},
      [&](store::ledger_entry const& line) {
        auto const owner = owners.find(line.subscription);
        bool const theirs = owner != owners.end() && owner->second.contains(std::string{stitch::site_of(line.host)});
        if (theirs && line.received > 0) hosts.insert(line.host);
        return hosts.size() < most_hosts;
      },
      from));
  return {hosts.begin(), hosts.end()};
}

}  // namespace cistern::tools
