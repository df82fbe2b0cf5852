#include "proxy/copy_permits.hpp"

namespace cistern::proxy {
namespace {

constexpr std::chrono::seconds lifetime{60};
constexpr std::size_t most = 256;

}  // namespace

void copy_permits::give(std::string client, std::string url, std::chrono::sys_seconds now) {
  std::scoped_lock const lock{mutex_};
  std::erase_if(until_, [now](auto const& each) { return each.second <= now; });
  if (until_.size() < most) until_[{std::move(client), std::move(url)}] = now + lifetime;
}

bool copy_permits::may_have(std::string client, std::string url, std::chrono::sys_seconds now) {
  std::scoped_lock const lock{mutex_};
  if (until_.empty()) return false;
  auto const at = until_.find({std::move(client), std::move(url)});
  return at != until_.end() && now < at->second;
}

}  // namespace cistern::proxy
