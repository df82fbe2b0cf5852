#pragma once

/// The local certificate authority: opt-in, made by `cistern ca init`, so that a browser can be told to trust Cistern
/// for the sites it carries, and for those only.
///
/// A root that people install signs one intermediate; the intermediate signs what browsers are shown. The intermediate
/// is bound by name constraints (RFC 5280 §4.2.1.10) to the carried hosts, so that whoever steals its key can
/// impersonate nothing else. It is made anew when the carried hosts change, which needs the root's key: that key may be
/// kept elsewhere, or be thrown away, when the list is final. All keys are ECDSA P-256, in files of mode 0600 that
/// nothing here ever gives out.
///
///   ca/root.pem  ca/root.key  ca/issuer.pem  ca/issuer.key  ca/hosts

#include <openssl/ssl.h>

#include <chrono>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

class authority {
public:
  /// A name that nobody can have (RFC 2606) and that is always covered: by it a browser finds out whether it comes
  /// through here, and whether it trusts us, without asking any site.
  static constexpr std::string_view check_host = "cistern.invalid";

  /// Makes root and intermediate in `folder`, which must not have them. Throws std::runtime_error with what to do.
  static void create(std::filesystem::path const& folder, std::vector<std::string> const& hosts,
                     std::time_t now = std::time(nullptr));
  [[nodiscard]] static bool exists(std::filesystem::path const& folder);
  /// Takes it away, keys first. False when there was none.
  static bool remove(std::filesystem::path const& folder);

  /// Loads it. Throws when it is there but cannot be read.
  explicit authority(
      std::filesystem::path folder, std::function<std::time_t()> wall = [] { return std::time(nullptr); });
  ~authority();
  authority(authority const&) = delete;
  authority& operator=(authority const&) = delete;

  /// Binds the intermediate to exactly these hosts, and makes it anew in good time before it ends. False when that
  /// needs the root's key and it is not here; then nothing changes.
  bool renew(std::vector<std::string> const& hosts);
  /// The constraints let this host in.
  [[nodiscard]] bool covers(std::string_view host) const;
  [[nodiscard]] std::vector<std::string> hosts() const;
  [[nodiscard]] bool has_root_key() const;

  /// A server's context that shows a certificate for `host`, made without asking anybody; remembered until half of its
  /// time is over. Null when the constraints do not cover it. Any thread.
  [[nodiscard]] std::shared_ptr<SSL_CTX> context_for(std::string const& host);

  /// Clients that will not have our certificate for a host are not asked again: its traffic passes untouched.
  void note_refusal(std::string const& host);
  [[nodiscard]] bool is_refused(std::string const& host) const;
  [[nodiscard]] std::vector<std::string> refused() const;

  /// The root's certificate, to be installed. Never a key.
  [[nodiscard]] std::string root_pem() const;
  [[nodiscard]] std::string root_der() const;
  [[nodiscard]] std::string root_p12() const;
  [[nodiscard]] std::string fingerprint() const;  // SHA-256, "AB:CD:..."

private:
  struct keys;
  void load();
  [[nodiscard]] std::shared_ptr<SSL_CTX> mint(std::string const& host) const;

  std::filesystem::path folder_;
  std::function<std::time_t()> wall_;
  std::unique_ptr<keys> keys_;
  std::set<std::string> hosts_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<SSL_CTX>> minted_;
  std::map<std::string, std::chrono::steady_clock::time_point> refused_;
};

}  // namespace cistern::proxy
