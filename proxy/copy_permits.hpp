#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace cistern::proxy {

/// Who clicked on "show the stored copy" gets it for a minute under the page's own address, where its relative links
/// lead to what they mean. Any thread; bounded.
class copy_permits {
public:
  void give(std::string client, std::string url, std::chrono::sys_seconds now);
  [[nodiscard]] bool may_have(std::string client, std::string url, std::chrono::sys_seconds now);

private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::chrono::sys_seconds> until_;
};

}  // namespace cistern::proxy
