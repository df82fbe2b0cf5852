#include "stitch/site.hpp"

#include "stitch/url.hpp"

#include <algorithm>
#include <array>

namespace cistern::stitch {
namespace {

using std::string_view;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool same(string_view a, string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

// Second levels under which countries sell names: co.uk, com.br, ac.jp.
constexpr std::array<string_view, 12> second_levels{"co",  "com", "org", "net", "ac", "gov",
                                                    "gob", "edu", "or",  "ne",  "go", "nom"};
// Hosts that hand out names to strangers.
constexpr std::array<string_view, 20> shared_suffixes{
    "github.io",    "gitlab.io",     "blogspot.com", "wordpress.com",     "netlify.app",
    "vercel.app",   "pages.dev",     "workers.dev",  "herokuapp.com",     "tumblr.com",
    "substack.com", "web.app",       "appspot.com",  "neocities.org",     "firebaseapp.com",
    "fly.dev",      "codeberg.page", "bearblog.dev", "azurewebsites.net", "cloudfront.net"};

std::size_t label_before(string_view host, std::size_t end) {
  auto const dot = end == 0 ? string_view::npos : host.rfind('.', end - 1);
  return dot == string_view::npos ? 0 : dot + 1;
}

bool is_address(string_view host) {
  return host.find(':') != string_view::npos || host.starts_with('[') ||
         std::ranges::all_of(host, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

}  // namespace

string_view host_of(string_view url) noexcept {
  url = trim_url(url);
  auto const slashes = url.find("//");
  if (slashes == string_view::npos || slashes > 6) return {};
  auto rest = url.substr(slashes + 2);
  rest = rest.substr(0, rest.find_first_of("/?#\\"));
  if (auto const at = rest.rfind('@'); at != string_view::npos) rest.remove_prefix(at + 1);
  if (rest.starts_with('[')) return rest.substr(0, rest.find(']') + 1);
  return rest.substr(0, rest.find(':'));
}

string_view site_of(string_view host) noexcept {
  while (host.ends_with('.')) host.remove_suffix(1);
  if (is_address(host)) return host;
  auto const last = label_before(host, host.size());
  if (last == 0) return host;
  auto const second = label_before(host, last - 1);
  auto const two = host.substr(second);
  auto const name = host.substr(second, last - 1 - second);
  bool const country = host.size() - last == 2;
  auto const known = [](string_view text, auto const& list) {
    return std::ranges::any_of(list, [text](string_view each) { return same(each, text); });
  };
  if (second == 0 || !((country && known(name, second_levels)) || known(two, shared_suffixes))) return two;
  return host.substr(label_before(host, second - 1));
}

bool same_site(string_view url, string_view other) noexcept {
  auto const a = host_of(url), b = host_of(other);
  return !a.empty() && same(site_of(a), site_of(b));
}

}  // namespace cistern::stitch
