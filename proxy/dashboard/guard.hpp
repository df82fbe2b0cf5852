#pragma once

/// Who may see our own pages and who may change something through them. Four doors are watched:
/// - another name that was pointed at this machine (DNS rebinding): the Host must be ours;
/// - a page elsewhere, a carried site included, that makes the reader's browser ask or change something here: Origin
///   and Sec-Fetch-Site must say that it was our own page, and a change through the API needs a header that no page
///   elsewhere can set without a preflight, which is never granted;
/// - another machine: it must log in, and cannot where no password is set;
/// - whoever guesses passwords: each wrong one makes their next try wait.

#include "sync/framing.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

struct guard_options {
  std::vector<std::string> hosts{};  // names of ours besides localhost and addresses: "cistern.lan"
  std::string password{};            // as hash_password makes it; empty: only this machine is let in
};

/// Any thread.
class guard {
public:
  using time = std::chrono::steady_clock::time_point;
  explicit guard(guard_options options) : options_{std::move(options)} {}

  enum class verdict { welcome, refused, log_in_first };
  struct judgement {
    verdict what = verdict::welcome;
    unsigned status = 200;
    std::string why{};  // a sentence
  };
  /// `local`: the connection comes from this machine.
  [[nodiscard]] judgement judge(sync::head_view const& head, bool local, time now);

  struct login {
    std::string session{};        // empty: not let in
    std::chrono::seconds wait{};  // before another try is looked at
  };
  /// May take a tenth of a second. `from` is the client's address.
  [[nodiscard]] login try_password(std::string_view password, std::string const& from, time now);
  void log_out(sync::head_view const& head);
  [[nodiscard]] static std::string cookie(std::string const& session);
  /// Whether this request carries the session of somebody who logged in.
  [[nodiscard]] bool has_session(sync::head_view const& head, time now);

private:
  struct guesses {
    unsigned wrong = 0;
    time not_before{};
  };
  [[nodiscard]] bool is_our_name(std::string_view host) const;

  guard_options options_;
  std::mutex hashing_;  // one password at a time: each takes 32 MiB
  std::mutex mutex_;
  std::map<std::string, time, std::less<>> sessions_;  // until when
  std::map<std::string, guesses, std::less<>> guesses_;
};

}  // namespace cistern::proxy
