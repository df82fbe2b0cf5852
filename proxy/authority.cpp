#include "proxy/authority.hpp"

#include "proxy/certificates.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace cistern::proxy {
namespace {

using namespace std::chrono_literals;

constexpr long root_days = 3650, issuer_days = 825, leaf_days = 90;  // a leaf above 398 days is refused by browsers
constexpr std::time_t day = 86'400;
constexpr long issuer_reserve = leaf_days + 30;  // a leaf must not outlive who signed it
constexpr std::size_t most_minted = 2'000;
constexpr auto refusal_lasts = 6h;

bool is_literal(std::string_view host) {
  boost::system::error_code error;
  boost::asio::ip::make_address(std::string{host}, error);
  return !error;
}

bool is_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '.' && host.back() != '.' &&
         std::ranges::all_of(host, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
         });
}

/// Nothing but these. An empty list would mean "anything", so a name that nobody can have is always there; and a list
/// of names alone would say nothing about addresses.
std::string constraints_for(std::set<std::string> const& hosts) {
  auto out = "permitted;DNS:" + std::string{authority::check_host};
  bool v4 = false, v6 = false;
  for (auto const& host : hosts) {
    boost::system::error_code error;
    auto const address = boost::asio::ip::make_address(host, error);
    if (error) {
      out += ",permitted;DNS:" + host;
    } else if (address.is_v4()) {
      v4 = true;
      out += ",permitted;IP:" + host + "/255.255.255.255";
    } else {
      v6 = true;
      out += ",permitted;IP:" + host + "/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF";
    }
  }
  if (!v4 && !v6) out += ",excluded;IP:0.0.0.0/0.0.0.0";
  if (!v6 && !v4) out += ",excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0";
  return out;
}

std::set<std::string> usable(std::vector<std::string> const& hosts) {
  std::set<std::string> out;
  for (auto const& host : hosts)
    if (is_name(host) || is_literal(host)) out.insert(host);
  return out;
}

void write_hosts(std::filesystem::path const& folder, std::set<std::string> const& hosts) {
  std::ofstream out{folder / "hosts", std::ios::trunc};
  for (auto const& host : hosts) out << host << '\n';
}

void issue(std::filesystem::path const& folder, std::set<std::string> const& hosts, certificate_ptr const& root,
           key_ptr const& root_key, std::time_t now) {
  auto const key = make_key();
  certificate_request what;
  what.now = now;
  what.name = "Cistern, for the sites it carries";
  what.days = issuer_days;
  what.is_issuer = true;
  what.constraints = constraints_for(hosts);
  auto const certificate = make_certificate(what, key, root, root_key);
  write_key(folder / "issuer.key", key);
  write_certificate(folder / "issuer.pem", certificate);
  write_hosts(folder, hosts);
}

int choose_http(SSL*, unsigned char const** out, unsigned char* size, unsigned char const* offered, unsigned length,
                void*) {
  static constexpr unsigned char ours[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  auto const found = SSL_select_next_proto(&chosen, size, ours, sizeof ours - 1, offered, length);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

struct authority::keys {
  certificate_ptr root;
  certificate_ptr issuer;
  key_ptr issuer_key;
  key_ptr leaf_key = make_key();  // one for all: it lives in memory, for as long as we run
};

bool authority::exists(std::filesystem::path const& folder) { return std::filesystem::exists(folder / "root.pem"); }

void authority::create(std::filesystem::path const& folder, std::vector<std::string> const& hosts, std::time_t now) {
  if (exists(folder))
    throw std::runtime_error{"there is a certificate authority in " + folder.string() +
                             "; `cistern ca show` shows it, `cistern ca remove` takes it away"};
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  auto const key = make_key();
  certificate_request what;
  what.name = "Cistern on this machine";
  what.days = root_days;
  what.now = now;
  what.is_root = true;
  auto const root = make_certificate(what, key, nullptr, key);
  write_key(folder / "root.key", key);
  issue(folder, usable(hosts), root, key, now);
  write_certificate(folder / "root.pem", root);  // last: with it the authority exists
}

bool authority::remove(std::filesystem::path const& folder) {
  bool const was = exists(folder);
  for (auto const* name : {"root.key", "issuer.key", "issuer.pem", "root.pem", "hosts"})
    std::filesystem::remove(folder / name);
  return was;
}

authority::authority(std::filesystem::path folder, std::function<std::time_t()> wall)
    : folder_{std::move(folder)}, wall_{std::move(wall)} {
  load();
}
authority::~authority() = default;

void authority::load() {
  auto made = std::make_unique<keys>();
  made->root = read_certificate(folder_ / "root.pem");
  made->issuer = read_certificate(folder_ / "issuer.pem");
  made->issuer_key = read_key(folder_ / "issuer.key");
  std::set<std::string> hosts;
  std::ifstream in{folder_ / "hosts"};
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) hosts.insert(line);
  keys_ = std::move(made);
  hosts_ = std::move(hosts);
}

bool authority::has_root_key() const { return std::filesystem::exists(folder_ / "root.key"); }

bool authority::renew(std::vector<std::string> const& hosts) {
  auto const wanted = usable(hosts);
  std::scoped_lock const lock{mutex_};
  bool const lasts = lasts_until(keys_->issuer.get(), wall_() + issuer_reserve * day);
  if (wanted == hosts_ && lasts) return true;
  if (!has_root_key()) return false;
  issue(folder_, wanted, keys_->root, read_key(folder_ / "root.key"), wall_());
  load();
  minted_.clear();
  return true;
}

bool authority::covers(std::string_view host) const {
  std::scoped_lock const lock{mutex_};
  return host == check_host || hosts_.contains(std::string{host});
}

std::vector<std::string> authority::hosts() const {
  std::scoped_lock const lock{mutex_};
  return {hosts_.begin(), hosts_.end()};
}

std::shared_ptr<SSL_CTX> authority::mint(std::string const& host) const {
  certificate_request what;
  // A common name that could be a host is held against the constraints too, an address's digits among them.
  what.name = is_literal(host) ? "the address " + host : host;
  what.days = leaf_days;
  what.now = wall_();
  what.alternative = (is_literal(host) ? "IP:" : "DNS:") + host;
  auto const leaf = make_certificate(what, keys_->leaf_key, keys_->issuer, keys_->issuer_key);
  std::shared_ptr<SSL_CTX> out{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
  auto* const raw = out.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_use_certificate(raw, leaf.get());
  SSL_CTX_add1_chain_cert(raw, keys_->issuer.get());
  SSL_CTX_use_PrivateKey(raw, keys_->leaf_key.get());
  SSL_CTX_set_alpn_select_cb(raw, choose_http, nullptr);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  static constexpr unsigned char name[] = "cistern";
  SSL_CTX_set_session_id_context(raw, name, sizeof name - 1);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_num_tickets(raw, 1);
  return out;
}

std::shared_ptr<SSL_CTX> authority::context_for(std::string const& host) {
  std::scoped_lock const lock{mutex_};
  if (host != check_host && !hosts_.contains(host)) return nullptr;
  auto const known = minted_.find(host);
  if (known != minted_.end() &&
      lasts_until(SSL_CTX_get0_certificate(known->second.get()), wall_() + leaf_days / 2 * day))
    return known->second;
  if (minted_.size() >= most_minted) minted_.clear();
  return minted_[host] = mint(host);
}

void authority::note_refusal(std::string const& host) {
  std::scoped_lock const lock{mutex_};
  if (refused_.size() >= most_minted) refused_.clear();
  refused_[host] = std::chrono::steady_clock::now();
}

bool authority::is_refused(std::string const& host) const {
  std::scoped_lock const lock{mutex_};
  auto const found = refused_.find(host);
  return found != refused_.end() && std::chrono::steady_clock::now() - found->second < refusal_lasts;
}

std::vector<std::string> authority::refused() const {
  std::scoped_lock const lock{mutex_};
  std::vector<std::string> out;
  for (auto const& [host, when] : refused_)
    if (std::chrono::steady_clock::now() - when < refusal_lasts) out.push_back(host);
  return out;
}

std::string authority::root_pem() const { return to_pem(keys_->root); }
std::string authority::root_der() const { return to_der(keys_->root); }
std::string authority::root_p12() const { return to_p12(keys_->root); }
std::string authority::fingerprint() const { return fingerprint_of(keys_->root); }

}  // namespace cistern::proxy
