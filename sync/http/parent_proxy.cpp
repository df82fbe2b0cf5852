#include "sync/http/parent_proxy.hpp"

#include "store/header_block.hpp"
#include "sync/errc.hpp"

#include <openssl/evp.h>
#include <boost/asio/ip/address.hpp>

#include <charconv>

namespace cistern::sync {
namespace {

/// Takes %XX off; nothing when it is cut or not hexadecimal.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value{};
    auto const digits = text.substr(i + 1, 2);
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || digits.size() != 2 || end != digits.data() + 2) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

std::string basic_authorization(std::string const& credentials) {
  auto const* bytes = reinterpret_cast<unsigned char const*>(credentials.data());
  std::string coded((credentials.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock ends with a NUL
  auto const size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()), bytes, static_cast<int>(credentials.size()));
  coded.resize(static_cast<std::size_t>(size));
  return "Basic " + coded;
}

bool is_loopback(std::string const& host) {
  boost::system::error_code error;
  auto const address = boost::asio::ip::make_address(host, error);
  return error ? host == "localhost" || host.ends_with(".localhost") : address.is_loopback();
}

bool excepts(std::string_view rule, origin const& to) {
  if (rule == "*") return true;
  if (auto const colon = rule.rfind(':'); colon != std::string_view::npos && rule.find(':') == colon) {
    if (rule.substr(colon + 1) != std::to_string(to.port)) return false;
    rule = rule.substr(0, colon);
  }
  if (rule.starts_with('*')) rule.remove_prefix(1);
  if (rule.starts_with('.')) rule.remove_prefix(1);
  if (rule.empty() || to.host.size() < rule.size()) return false;
  auto const tail = std::string_view{to.host}.substr(to.host.size() - rule.size());
  if (!store::same_token(tail, rule)) return false;
  return tail.size() == to.host.size() || to.host[to.host.size() - tail.size() - 1] == '.';
}

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    auto const end = std::min(list.find_first_of(", \t"), list.size());
    if (end != 0) out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

}  // namespace

parent_proxy const* proxy_rules::choose(origin const& to) const {
  auto const& parent = to.tls ? for_https : for_http;
  if (!parent || is_loopback(to.host)) return nullptr;
  for (auto const& rule : except)
    if (excepts(rule, to)) return nullptr;
  return &*parent;
}

result<parent_proxy> parse_parent_proxy(std::string_view url) {
  if (auto const colon = url.find("://"); colon != std::string_view::npos) {
    if (!store::same_token(url.substr(0, colon), "http")) return errc::bad_url;
    url.remove_prefix(colon + 3);
  }
  url = url.substr(0, url.find_first_of("/?#"));
  parent_proxy out;
  if (auto const at = url.rfind('@'); at != std::string_view::npos) {
    auto const credentials = percent_decoded(url.substr(0, at));
    if (!credentials) return errc::bad_url;
    out.authorization = basic_authorization(*credentials);
    url.remove_prefix(at + 1);
  }
  auto to = parse_authority(url, false, 80);
  if (!to) return to.error();
  out.host = std::move(to->host);
  out.port = to->port;
  return out;
}

result<proxy_rules> proxy_rules_from(std::function<char const*(char const*)> const& get) {
  auto const first_set = [&](std::initializer_list<char const*> names) {
    for (auto const* name : names)
      if (auto const* value = get(name); value != nullptr && *value != '\0') return std::string_view{value};
    return std::string_view{};
  };
  proxy_rules out;
  if (auto const url = first_set({"http_proxy", "all_proxy", "ALL_PROXY"}); !url.empty()) {
    auto parent = parse_parent_proxy(url);
    if (!parent) return parent.error();
    out.for_http = std::move(*parent);
  }
  if (auto const url = first_set({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}); !url.empty()) {
    auto parent = parse_parent_proxy(url);
    if (!parent) return parent.error();
    out.for_https = std::move(*parent);
  }
  out.except = split_list(first_set({"no_proxy", "NO_PROXY"}));
  return out;
}

}  // namespace cistern::sync
