#pragma once

/// Where `cistern fetch` has its files fetched: by the running daemon, or in this process when none runs.

#include "store/repository.hpp"
#include "sync/fetcher.hpp"
#include "tools/cistern/config.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace cistern::tools {

class fetch_desk {
public:
  /// Opens the repository; when somebody has it, that must be a daemon which answers. Throws.
  explicit fetch_desk(config const& settings);
  ~fetch_desk();
  fetch_desk(fetch_desk const&) = delete;
  fetch_desk& operator=(fetch_desk const&) = delete;

  void want(std::string const& url);
  /// So many bytes may be spent on it whatever the budget says.
  void insist(std::string const& url, std::uint64_t bytes);
  /// Throws when the daemon is gone.
  [[nodiscard]] sync::fetcher::state look(std::string const& url);
  /// No longer wanted; returns once what came is stored, or after a moment.
  void leave(std::string const& url);
  /// For reading what was fetched.
  [[nodiscard]] store::repository& repository();
  /// How often it is worth looking.
  [[nodiscard]] std::chrono::milliseconds pace() const;

private:
  struct here;
  sync::fetcher::state call(char const* method, std::string const& url);
  config settings_;
  std::string address_;                        // of the daemon, should there be one
  std::unique_ptr<here> here_;                 // without a daemon
  std::unique_ptr<store::repository> reader_;  // beside one
};

}  // namespace cistern::tools
