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

void append_directive(string_view directive, source_writer const& sources, string_view script, string_view script_hash,
                      bool for_scripts, std::string& out) {
  auto const words = words_of(directive);
  if (words.empty() || is_dropped(words[0])) return;
  if (!out.empty()) out += "; ";
  out += words[0];
  bool by_secret = false;  // scripts are let in by nonce or hash: then names are no help, or not enough
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (for_scripts && same_token(words[i], "'none'")) continue;
    by_secret = by_secret || words[i].starts_with("'nonce-") || words[i].starts_with("'sha");
    by_secret = by_secret || same_token(words[i], "'strict-dynamic'");
    if (has_sources(words[0]))
      sources.append(words[i], out);
    else
      out.append(" ").append(words[i]);
  }
  if (!for_scripts) return;
  if (by_secret)
    out.append(" '").append(script_hash).append("'");
  else
    out.append(" ").append(script);
}

std::string one_policy(string_view policy, source_writer const& sources, string_view script, string_view script_hash) {
  std::vector<string_view> directives;
  bool scripts_listed = false;
  for (std::size_t at = 0; at <= policy.size();) {
    auto const end = std::min(policy.find(';', at), policy.size());
    directives.push_back(policy.substr(at, end - at));
    auto const words = words_of(directives.back());
    scripts_listed = scripts_listed || (!words.empty() && lists_scripts(words[0]));
    at = end + 1;
  }
  std::string out;
  for (auto const each : directives) {
    auto const words = words_of(each);
    if (words.empty()) continue;
    bool const standing_in = !scripts_listed && same_token(words[0], "default-src");
    if (standing_in) {  // our script must be let in, and nothing else with it
      std::string as_script{"script-src"};
      for (std::size_t i = 1; i < words.size(); ++i) as_script.append(" ").append(words[i]);
      append_directive(as_script, sources, script, script_hash, true, out);
    }
    append_directive(each, sources, script, script_hash, lists_scripts(words[0]), out);
  }
  return out;
}

}  // namespace

std::string gateway_policy(gateway_names const& names, string_view door) {
  auto const inside = "http://*." + names.domain() + std::string{door};
  auto const sockets = "ws://*." + names.domain() + std::string{door};
  std::string out =
      "default-src 'self' " + inside + " " + sockets + " data: blob: filesystem: about: 'unsafe-inline' 'unsafe-eval'";
  out += "; form-action 'self' " + inside + "; base-uri 'self' " + inside;
  return out + "; frame-ancestors 'self' " + inside;
}

std::string rewritten_policy(string_view policies, gateway_names const& names, string_view door, string_view script,
                             string_view script_hash) {
  source_writer const sources{names, door};
  std::string out;
  for (std::size_t at = 0; at <= policies.size();) {
    auto const end = std::min(policies.find(',', at), policies.size());
    auto const one = one_policy(policies.substr(at, end - at), sources, script, script_hash);
    if (!one.empty()) out.append(out.empty() ? "" : ", ").append(one);
    at = end + 1;
  }
  return out;
}

}  // namespace cistern::proxy
