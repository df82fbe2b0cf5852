#pragma once

/// Which CONNECTs are ended here instead of being tunnelled.

#include "proxy/authority.hpp"

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace cistern::proxy {

/// The authority, kept in step with the carried sites. Safe to use from all of the listener's threads.
class interception {
public:
  /// Without an authority in `folder` nothing is ever intercepted.
  interception(std::filesystem::path const& folder, std::function<std::vector<std::string>()> carried);

  /// A context to speak TLS with whoever wants `host`; null: tunnel.
  [[nodiscard]] std::shared_ptr<SSL_CTX> context_for(std::string const& host);
  void note_refusal(std::string const& host);
  [[nodiscard]] authority const* known() const { return authority_.get(); }

private:
  void keep_in_step();

  std::function<std::vector<std::string>()> carried_;
  std::unique_ptr<authority> authority_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace cistern::proxy
