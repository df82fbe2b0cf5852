#include "proxy/gateway.hpp"

#include "proxy/answer_head.hpp"
#include "proxy/gateway_policy.hpp"
#include "stitch/rewrite.hpp"
#include "stitch/url.hpp"
#include "store/url.hpp"
#include "sync/decode.hpp"

#include <openssl/evp.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

namespace cistern::proxy {
namespace {

using std::string_view;
using store::same_token;

constexpr string_view script_path = "/.well-known/cistern/gateway.js";
constexpr string_view worker_path = "/.well-known/cistern/worker.js";
constexpr std::size_t most_hosts = 10'000;

std::string digest_of(std::initializer_list<string_view> pieces) {
  std::array<unsigned char, 32> out{};
  auto const context = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>{EVP_MD_CTX_new(), EVP_MD_CTX_free};
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  for (auto const piece : pieces) {
    auto const size = piece.size();
    EVP_DigestUpdate(context.get(), &size, sizeof size);
    EVP_DigestUpdate(context.get(), piece.data(), piece.size());
  }
  EVP_DigestFinal_ex(context.get(), out.data(), nullptr);
  return {reinterpret_cast<char const*>(out.data()), out.size()};
}

std::string sha256_base64(string_view text) {
  std::array<unsigned char, 32> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  std::array<unsigned char, 64> encoded{};
  auto const size = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(digest.size()));
  return "sha256-" + std::string{reinterpret_cast<char const*>(encoded.data()), static_cast<std::size_t>(size)};
}

std::string load_script(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  if (text.empty())
    throw std::runtime_error{file.string() + " cannot be read; install the web files again or set server.webroot"};
  return text;
}

string_view media_type(string_view content_type) {
  auto const type = content_type.substr(0, content_type.find(';'));
  auto const end = type.find_last_not_of(" \t");
  return end == type.npos ? string_view{} : type.substr(0, end + 1);
}

bool is_pages_type(string_view type) {
  return same_token(type, "text/html") || same_token(type, "application/xhtml+xml");
}

/// One of the answers that Cistern gives in a site's place: they were not stored and came from nowhere.
bool is_our_own(sync::head_view const& response) { return !response.find("Via"); }

/// What a browser never shows as a page, and so never runs. The rest has our policy: XML can hold scripts too, and what
/// is read as a script now may be a worker later.
bool is_inert(string_view type) {
  static constexpr std::array<string_view, 4> kinds{"image/", "font/", "audio/", "video/"};
  auto const lies_in = [&](string_view kind) {
    return type.size() > kind.size() && same_token(type.substr(0, kind.size()), kind);
  };
  if (same_token(type, "image/svg+xml")) return false;
  return same_token(type, "text/css") || std::any_of(kinds.begin(), kinds.end(), lies_in);
}

bool is_script_type(string_view type) {
  static constexpr string_view word = "javascript";
  return type.size() > word.size() && same_token(type.substr(type.size() - word.size()), word);
}

/// Pages that demand trusted types (the site's scripts must vouch for addresses) get no service worker of ours: to
/// register it would be a violation.
bool demands_trusted_types(sync::head_view const& response) {
  return std::any_of(response.begin(), response.end(), [](auto const& field) {
    return same_token(field.name, "content-security-policy") &&
           field.value.find("require-trusted-types-for") != string_view::npos;
  });
}

void replace_all(std::string& text, string_view mark, string_view by) {
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
}

void map_manifest(boost::json::value& value, string_view name, string_view base, stitch::address_map const& map) {
  if (value.is_string()) {
    static constexpr std::array<string_view, 6> addresses{"start_url", "scope", "src", "url", "id", "action"};
    std::string mapped;
    if (std::find(addresses.begin(), addresses.end(), name) != addresses.end() &&
        stitch::map_address(base, value.get_string(), map, mapped))
      value = mapped;
  } else if (value.is_array()) {
    for (auto& each : value.get_array()) map_manifest(each, name, base, map);
  } else if (value.is_object()) {
    for (auto& [key, each] : value.get_object()) map_manifest(each, key, base, map);
  }
}

std::string rewritten_manifest(string_view body, string_view base, stitch::address_map const& map) {
  boost::system::error_code error;
  auto parsed = boost::json::parse({body.data(), body.size()}, error);
  if (error) return std::string{body};
  map_manifest(parsed, {}, base, map);
  return boost::json::serialize(parsed);
}

}  // namespace

gateway::gateway(gateway_settings settings, std::filesystem::path const& webroot)
    : settings_{std::move(settings)},
      names_{settings_.domain},
      script_{load_script(webroot / "gateway.js")},
      worker_{load_script(webroot / "gateway_worker.js")} {
  replace_all(script_, "{{domain}}", names_.domain());
  script_hash_ = sha256_base64(script_);
}

own_scripts gateway::scripts_for(gateway_names::site const& site) const {
  auto const origin = names_.origin_of(site);
  return {origin + std::string{script_path}, script_hash_, origin + std::string{worker_path}};
}

/// Names, then catching: what stands before a site's own service worker, and is one where a site has none.
std::string gateway::worker_script(string_view door) const {
  auto out = script_ + worker_;
  replace_all(out, "{{policy}}", gateway_policy(names_, door));
  replace_all(out, "{{with_worker}}", with_worker_policy(names_, door));
  return out;
}

std::optional<gateway_names::site> gateway::site_of(string_view host) const {
  return settings_.enabled ? names_.read(host) : std::nullopt;
}

std::unique_ptr<gateway_visit> gateway::visit(sync::head_view const& head, gateway_names::site site,
                                              bool secure) const {
  if (!head.target.starts_with('/')) return nullptr;
  auto out = std::make_unique<gateway_visit>();
  out->secure = secure;
  out->text = translated_request(head, names_, site, secure);
  out->site = std::move(site);
  if (sync::parse_request_head(out->text, out->head) != sync::framing_fault::none) return nullptr;
  out->url = store::normalise_url(out->head.target).value_or("");
  out->for_what = head.find("Sec-Fetch-Dest").value_or("");
  out->shown = out->for_what != "empty" || head.find("Sec-Fetch-Mode").value_or("") == "navigate";
  out->is_head = head.method == "HEAD";
  out->had_our_tag = head.find("If-None-Match").value_or("").find(";cistern") != string_view::npos;
  return out;
}

bool gateway::answer_own(sync::head_view const& head, outgoing& out) const {
  auto const path = head.target.substr(0, head.target.find('?'));
  if (path != script_path && path != worker_path) return false;
  bool const reading = head.method == "GET" || head.method == "HEAD";
  auto const site = names_.read(head.host);
  auto const door = site ? string_view{site->door} : string_view{};
  auto const extra = "Service-Worker-Allowed: /\r\nContent-Security-Policy: " + gateway_policy(names_, door) + "\r\n";
  auto text = !reading ? std::string{} : path == script_path ? script_ : worker_script(door);
  write_own(out.head, out.body, reading ? 200 : 405, "text/javascript; charset=utf-8", std::move(text), out.keep,
            head.method == "HEAD", extra);
  return true;
}

gateway::treatment gateway::treatment_of(gateway_visit const& visit, sync::head_view const& response) const {
  if (response.status == 206 || response.status == 304 || response.status == 204 || response.status < 200)
    return treatment::pass;
  auto const type = media_type(response.find("Content-Type").value_or(""));
  auto const coding = response.find("Content-Encoding");
  if (coding && !sync::coding_of(*coding)) return treatment::pass;
  bool const navigation = visit.for_what == "document" || visit.for_what == "iframe" || visit.for_what == "frame";
  if (is_pages_type(type) || (type.empty() && navigation)) return treatment::page;
  if (same_token(type, "text/css") || (visit.for_what == "style" && (type.empty() || same_token(type, "text/plain"))))
    return treatment::style;
  if (same_token(type, "image/svg+xml")) return treatment::drawing;
  if (visit.for_what == "manifest" || same_token(type, "application/manifest+json")) return treatment::manifest;
  if (visit.for_what == "serviceworker") return treatment::service_worker;
  if (visit.for_what == "worker" || visit.for_what == "sharedworker") return treatment::worker;
  return treatment::pass;
}

std::string gateway::head_of(gateway_visit const& visit, sync::head_view const& response, treatment what,
                             std::optional<std::size_t> length) const {
  auto const scripts = scripts_for(visit.site);
  bool const ours = is_our_own(response);
  field_options const how{names_, visit.site, visit.url, scripts, length.has_value() && !ours};
  auto fields = translated_fields(store::header_block::from_wire(std::string{response.fields}), how);
  // A worker that stands before pages has to fetch what they ask for; the pages have the site's own policy.
  if (what == treatment::service_worker) fields.erase("Content-Security-Policy");
  auto const type = media_type(response.find("Content-Type").value_or(""));
  bool const inert = response.status == 304 || (what == treatment::pass && is_inert(type));
  if (!inert && !ours) fields.add("Content-Security-Policy", gateway_policy(names_, visit.site.door));
  if (is_pages_type(type) || is_script_type(type)) fields.add("Vary", "Sec-Fetch-Dest");  // we put more in for some
  if (response.status == 304 && visit.had_our_tag) fields.erase("ETag");
  if (length) {
    fields.erase("Transfer-Encoding");
    fields.set("Content-Length", std::to_string(*length));
    if (what == treatment::page) fields.set("Content-Type", "text/html; charset=utf-8");
    if (what == treatment::style) fields.set("Content-Type", "text/css; charset=utf-8");
  } else if (visit.is_head && what != treatment::pass) {
    fields.erase("Content-Length");  // of a body that we did not make
  }
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  return out.append(reason_of(response.status)).append("\r\n").append(fields.wire()).append("\r\n");
}

std::string gateway::make(gateway_visit const& visit, sync::head_view const& response, treatment what,
                          string_view body) const {
  auto const type = response.find("Content-Type").value_or("");
  auto const map = [&](string_view absolute, std::string& out) {
    return names_.append(absolute, visit.site.door, out);
  };
  switch (what) {
    case treatment::page:
    case treatment::drawing: {
      stitch::html::rewrite_options how;
      how.page_url = visit.url;
      how.content_type = type;
      static constexpr string_view tag = "<script src=\"/.well-known/cistern/gateway.js\" nonce=\"{nonce}\"></script>";
      static constexpr string_view alone =
          "<script src=\"/.well-known/cistern/gateway.js\" data-worker=\"no\" nonce=\"{nonce}\"></script>";
      bool const ours = is_our_own(response);
      if (visit.shown && what == treatment::page && !ours) how.first = demands_trusted_types(response) ? alone : tag;
      auto const bound = "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
                         inner_policy(names_, visit.site.door) + "\">" + std::string{tag};
      if (!ours) how.first_inside = bound;
      auto const scripts = scripts_for(visit.site);
      how.policy = [&](string_view policy) { return rewritten_policy(policy, names_, visit.site.door, scripts); };
      auto made = stitch::html::rewritten(body, how, map);
      return made ? std::move(*made) : std::string{body};
    }
    case treatment::style:
      return stitch::css::rewritten(body, {visit.url, type}, map);
    case treatment::manifest:
      return rewritten_manifest(body, visit.url, map);
    case treatment::worker:  // no page runs our script for it
      return script_ + std::string{body};
    case treatment::service_worker:
      return worker_script(visit.site.door) + std::string{body};
    case treatment::pass:
      break;
  }
  return std::string{body};
}

std::shared_ptr<std::string const> gateway::remembered(gateway_visit const& visit, sync::head_view const& response,
                                                       treatment what, string_view body, std::string& key) {
  char const kind = static_cast<char>('0' + static_cast<int>(what));
  key = digest_of({body, response.find("Content-Type").value_or(""), response.find("Content-Encoding").value_or(""),
                   visit.url, visit.site.door, string_view{&kind, 1}, visit.shown ? "shown" : "",
                   is_our_own(response) ? "own" : "", demands_trusted_types(response) ? "trusted" : ""});
  std::scoped_lock const lock{mutex_};
  auto const found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->body;
}

void gateway::remember(std::string key, std::shared_ptr<std::string const> body) {
  if (body->size() > settings_.memory / 4) return;
  std::scoped_lock const lock{mutex_};
  if (by_key_.contains(key)) return;
  held_ += body->size();
  recent_.push_front({key, std::move(body)});
  by_key_[std::move(key)] = recent_.begin();
  while (held_ > settings_.memory && !recent_.empty()) {
    held_ -= recent_.back().body->size();
    by_key_.erase(recent_.back().key);
    recent_.pop_back();
  }
}

std::shared_ptr<std::string const> gateway::rewritten(gateway_visit const& visit, sync::head_view const& response,
                                                      treatment what, string_view body) {
  std::string key;
  if (auto known = remembered(visit, response, what, body, key)) return known;
  auto const coding = sync::coding_of(response.find("Content-Encoding").value_or("")).value_or(sync::coding::identity);
  std::string plain;
  if (coding != sync::coding::identity) {
    auto decoded = sync::decode_all(coding, body);
    if (!decoded) return nullptr;
    plain = std::move(*decoded);
    body = plain;
  }
  auto made = std::make_shared<std::string const>(make(visit, response, what, body));
  remember(std::move(key), made);
  return made;
}

bool gateway::is_plain(gateway_names::site const& site) const {
  std::scoped_lock const lock{mutex_};
  return plain_.contains(site.origin(true));
}

void gateway::note_plain(gateway_names::site const& site) {
  std::scoped_lock const lock{mutex_};
  if (plain_.size() < most_hosts) plain_.insert(site.origin(true));
}

bool gateway::is_secure(gateway_names::site const& site) const {
  std::scoped_lock const lock{mutex_};
  return secure_.contains(site.origin(true));
}

void gateway::note_secure(gateway_names::site const& site) {
  std::scoped_lock const lock{mutex_};
  if (secure_.size() < most_hosts) secure_.insert(site.origin(true));
}

}  // namespace cistern::proxy
