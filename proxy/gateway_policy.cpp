#include "proxy/gateway_policy.hpp"

#include "store/header_block.hpp"

#include <vector>

namespace cistern::proxy {
namespace {

using std::string_view;
using store::same_token;

constexpr string_view blanks = " \t\r\n\f";

std::vector<string_view> words_of(string_view text) {
  std::vector<string_view> out;
  for (std::size_t at = 0; (at = text.find_first_not_of(blanks, at)) != string_view::npos;) {
    auto const end = std::min(text.find_first_of(blanks, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

bool is_dropped(string_view name) {
  for (string_view const each : {"report-uri", "report-to", "upgrade-insecure-requests", "block-all-mixed-content",
                                 "navigate-to", "require-sri-for", "plugin-types", "referrer"})
    if (same_token(name, each)) return true;
  return false;
}

// Directives whose values are no addresses.
bool has_sources(string_view name) {
  return name.ends_with("-src") || name.ends_with("-src-elem") || name.ends_with("-src-attr") ||
         same_token(name, "base-uri") || same_token(name, "form-action") || same_token(name, "frame-ancestors");
}

class source_writer {
public:
  source_writer(gateway_names const& names, string_view door) : names_{names}, door_{door} {}

  void append(string_view source, std::string& out) const {
    if (source == "*") return everything(out);
    if (same_token(source, "https:") || same_token(source, "http:")) return any("http", out);
    if (same_token(source, "wss:") || same_token(source, "ws:")) return any("ws", out);
    bool const keyword = source.starts_with('\'') || (source.ends_with(':') && source.find('/') == source.npos);
    if (keyword) {
      out.append(" ").append(source);
      return;
    }
    host(source, out);
  }

private:
  void any(string_view scheme, std::string& out) const {
    out.append(" ").append(scheme).append("://*.").append(names_.domain()).append(door_);
  }
  void everything(std::string& out) const {
    any("http", out);
    any("ws", out);
  }

  // [scheme://] [*.]host [:port] [/path]
  void host(string_view source, std::string& out) const {
    auto const scheme_end = source.find("://");
    auto const scheme = scheme_end == source.npos ? string_view{} : source.substr(0, scheme_end);
    auto rest = scheme_end == source.npos ? source : source.substr(scheme_end + 3);
    auto const slash = std::min(rest.find('/'), rest.size());
    auto const path = rest.substr(slash);
    rest = rest.substr(0, slash);
    auto const colon = rest.rfind(':');
    auto port = colon == rest.npos ? string_view{} : rest.substr(colon + 1);
    auto name = rest.substr(0, colon);
    if (name == "*") return port.empty() || port == "*" ? everything(out) : any("http", out);
    bool const socket = same_token(scheme, "ws") || same_token(scheme, "wss");
    if (port == "*" || port == "443" || port == "80") port = {};
    for (char const c : name)
      if (static_cast<unsigned char>(c) <= ' ' || c == ';' || c == ',' || c == '"' || c == '\'') return;
    out.append(" ").append(socket ? "ws" : "http").append("://").append(name);
    if (!port.empty()) out.append("--").append(port);
    out.append(".").append(names_.domain()).append(door_).append(path);
    if (scheme.empty() && !socket) host(std::string{"ws://"}.append(source), out);  // without a scheme sockets fit too
  }

  gateway_names const& names_;
  string_view door_;
};

bool lists_scripts(string_view name) { return same_token(name, "script-src") || same_token(name, "script-src-elem"); }

/// What the service worker gives gateway names. So the site's own names stay in its policy beside ours: without that
/// worker our own policy stops them.
bool is_caught(string_view name) {
  return same_token(name, "default-src") || same_token(name, "script-src") || same_token(name, "script-src-elem");
}

bool names_others(string_view source) { return !source.starts_with('\'') && source != "*" && !source.ends_with(':'); }

class policy_writer {
public:
  policy_writer(source_writer const& sources, own_scripts const& ours) : sources_{sources}, ours_{ours} {}

  std::string write(string_view policy) {
    std::vector<std::vector<string_view>> directives;
    for (std::size_t at = 0; at <= policy.size();) {
      auto const end = std::min(policy.find(';', at), policy.size());
      if (auto words = words_of(policy.substr(at, end - at)); !words.empty()) directives.push_back(std::move(words));
      at = end + 1;
    }
    auto const find = [&](string_view name) -> std::vector<string_view> const* {
      for (auto const& each : directives)
        if (same_token(each[0], name)) return &each;
      return nullptr;
    };
    auto const* const standing_in = find("default-src");
    bool const scripts_listed = find("script-src") || find("script-src-elem");
    // Our scripts must be let in, and nothing else with them.
    if (!scripts_listed && standing_in) directive("script-src", *standing_in);
    for (auto const& each : directives) directive(each[0], each);
    auto const* workers = find("child-src");
    if (!workers) workers = find("script-src");
    if (!workers) workers = standing_in;
    if (!find("worker-src") && workers) directive("worker-src", *workers);
    return std::move(out_);
  }

private:
  // `words` without the first, which is a name.
  void directive(string_view name, std::vector<string_view> const& words) {
    if (is_dropped(name)) return;
    bool const scripts = lists_scripts(name), workers = same_token(name, "worker-src");
    out_.append(out_.empty() ? "" : "; ").append(name);
    bool by_secret = false;  // scripts are let in by nonce or hash: then names are no help, or not enough
    for (std::size_t i = 1; i < words.size(); ++i) {
      auto const word = words[i];
      if ((scripts || workers) && same_token(word, "'none'")) continue;
      bool const any_by_trust = same_token(word, "'strict-dynamic'");
      by_secret = by_secret || word.starts_with("'nonce-") || word.starts_with("'sha") || any_by_trust;
      if (!has_sources(name)) {
        out_.append(" ").append(word);
        continue;
      }
      // Trust by who loads it is not had by workers that are listed: their own site's stand for it.
      sources_.append(workers && any_by_trust ? string_view{"'self'"} : word, out_);
      if (is_caught(name) && names_others(word)) out_.append(" ").append(word);
    }
    if (workers)
      out_.append(" ").append(ours_.worker);
    else if (scripts && by_secret)
      out_.append(" '").append(ours_.page_hash).append("'");
    else if (scripts)
      out_.append(" ").append(ours_.page);
  }

  source_writer const& sources_;
  own_scripts const& ours_;
  std::string out_;
};

std::string inside_of(gateway_names const& names, string_view door) {
  return "http://*." + names.domain() + std::string{door};
}

}  // namespace

std::string inner_policy(gateway_names const& names, string_view door) {
  auto const inside = inside_of(names, door);
  auto const sockets = "ws://*." + names.domain() + std::string{door};
  std::string out =
      "default-src 'self' " + inside + " " + sockets + " data: blob: filesystem: about: 'unsafe-inline' 'unsafe-eval'";
  return out + "; form-action 'self' " + inside + "; base-uri 'self' " + inside;
}

std::string gateway_policy(gateway_names const& names, string_view door) {
  return inner_policy(names, door) + "; frame-ancestors 'self' " + inside_of(names, door);
}

std::string with_worker_policy(gateway_names const& names, string_view door) {
  auto const own = " 'self' " + inside_of(names, door);
  return gateway_policy(names, door) + "; script-src" + own +
         " data: blob: filesystem: 'unsafe-inline' 'unsafe-eval' http: https:; worker-src" + own +
         " data: blob:; frame-src" + own;
}

std::string rewritten_policy(string_view policies, gateway_names const& names, string_view door,
                             own_scripts const& ours) {
  source_writer const sources{names, door};
  std::string out;
  for (std::size_t at = 0; at <= policies.size();) {
    auto const end = std::min(policies.find(',', at), policies.size());
    auto const one = policy_writer{sources, ours}.write(policies.substr(at, end - at));
    if (!one.empty()) out.append(out.empty() ? "" : ", ").append(one);
    at = end + 1;
  }
  return out;
}

}  // namespace cistern::proxy
