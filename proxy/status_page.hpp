#pragma once

/// What the program is doing, for a person.

#include "proxy/page_template.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace cistern::proxy {

/// What the repository holds, as the status page shows it.
struct repository_facts {
  std::string path;
  std::uint64_t objects{};
  std::uint64_t bytes{};       // of bodies, as readers see them
  std::uint64_t used_bytes{};  // of pages in the file
  std::uint64_t quota{};
};

struct status_facts {
  std::string version;
  std::string address;
  std::string state = "Serving";  // one short sentence for a person
  bool healthy = true;
  std::string link = "up";
  std::uint64_t queued{};
  std::chrono::seconds uptime{};
  std::size_t connections{};
  std::optional<repository_facts> repository{};
};

/// Asked for each page; called on any of the listener's threads.
using status_source = std::function<status_facts()>;

/// "1.5 GiB", "12 kB"… short, for people.
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);
/// "3 d 4 h", "12 min", "5 s".
[[nodiscard]] std::string readable_time(std::chrono::seconds time);

/// The page a person sees at `/`.
class status_page {
public:
  /// Reads the template; throws std::runtime_error when it is not there.
  explicit status_page(std::filesystem::path const& webroot);
  [[nodiscard]] std::string render(status_facts const& facts) const;

private:
  page_template page_;
};

}  // namespace cistern::proxy
