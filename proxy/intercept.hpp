#pragma once

/// Which CONNECTs are ended here instead of being tunnelled.

#include "proxy/authority.hpp"
#include "sync/http/certificate_wishes.hpp"

#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace cistern::proxy {

/// The authority, kept in step with the carried sites. Safe to use from all of the listener's threads.
class interception {
public:
  /// Without an authority in `folder` nothing is ever intercepted.
  interception(std::filesystem::path const& folder, std::function<std::vector<std::string>()> carried);

  /// What happens to a CONNECT for a host, and why.
  enum class standing { off, not_carried, not_covered, refused, wants_certificate, read_here };
  [[nodiscard]] standing standing_of(std::string const& host);

  /// A context to speak TLS with whoever wants `host`; null: tunnel. `online`: there is somebody to tunnel to.
  [[nodiscard]] std::shared_ptr<SSL_CTX> context_for(std::string const& host, bool online = true);
  void note_refusal(std::string const& host);
  /// The origin asks for a certificate of the client's, which is not ours to show. What is stored stays readable
  /// while the link is down.
  void note_certificate_wish(std::string const& host);
  [[nodiscard]] authority const* known() const { return authority_.get(); }

private:
  void keep_in_step();

  std::function<std::vector<std::string>()> source_;
  std::unique_ptr<authority> authority_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point looked_{};
  std::set<std::string> carried_, wishes_;
  bool warned_ = false;
  sync::certificate_wishes listening_;  // last: it is over before what it tells
};

}  // namespace cistern::proxy
