#include "stitch/html/blocklist.hpp"

#include "stitch/html/blocklist_rules.hpp"
#include "stitch/site.hpp"
#include "stitch/url.hpp"

#include <algorithm>

namespace cistern::stitch::html {
namespace {

using std::string_view;

constexpr std::size_t longest_rule = 512, longest_path = 2048;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
std::string lowered(string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool is_host(string_view text) {
  return !text.empty() && text.front() != '.' && text.back() != '.' && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

bool take(string_view& text, string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

string_view path_of(string_view url) {
  auto const slashes = url.find("//");
  if (slashes == string_view::npos) return {};
  auto const begin = url.find_first_of("/?#", slashes + 2);
  if (begin == string_view::npos) return "/";
  url.remove_prefix(begin);
  return url.substr(0, std::min(url.find('#'), longest_path));
}

}  // namespace

// One place to come back to, the last '*': enough, because an earlier one can only take less (no need to try again).
bool fits(string_view pattern, string_view text) noexcept {
  std::size_t p = 0, t = 0, star = string_view::npos, resume = 0;
  for (;;) {
    if (p == pattern.size() && t == text.size()) return true;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && t < text.size() && lower(pattern[p]) == lower(text[t])) {
      ++p;
      ++t;
    } else if (star != string_view::npos && resume < text.size()) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
}

blocklist const& blocklist::standard() {
  static blocklist const list = [] {
    blocklist out;
    for (auto const rule : blocklist_rules())
      if (!out.add(rule)) out.rules_ = 0;  // a test counts them
    return out;
  }();
  return list;
}

bool blocklist::add(string_view rule) {
  rule = trim_url(rule);
  if (rule.empty() || rule.front() == '#' || rule.front() == '!' || rule.size() > longest_rule) return false;
  pattern p;
  p.exception = take(rule, "@@");
  if (rule.ends_with("$all")) {
    p.everywhere = true;
    rule.remove_suffix(4);
  }
  bool const anchored = take(rule, "||");
  if (!anchored && (rule.starts_with('/') || rule.starts_with('*'))) {
    if (rule.find_first_not_of("/*") == string_view::npos) return false;  // would match everything
    p.text = lowered(rule);
    paths_.push_back(std::move(p));
    ++rules_;
    return true;
  }
  auto const slash = std::min(rule.find('/'), rule.size());
  auto host = rule.substr(0, slash);
  if (host.ends_with('^')) host.remove_suffix(1);
  auto name = lowered(host);
  if (!is_host(name)) return false;
  p.text = lowered(rule.substr(slash));
  hosts_[std::move(name)].push_back(std::move(p));
  ++rules_;
  return true;
}

void blocklist::weigh(std::vector<pattern> const& patterns, string_view path, bool third_party, verdict& so_far) {
  for (auto const& each : patterns) {
    if (so_far == verdict::excepted) return;
    if (!third_party && !each.everywhere && !each.exception) continue;
    if (so_far == verdict::blocked && !each.exception) continue;
    if (each.text.empty() || fits(each.text, path)) so_far = each.exception ? verdict::excepted : verdict::blocked;
  }
}

bool blocklist::blocks(string_view url, string_view page_url) const {
  if (rules_ == 0) return false;
  auto const host = lowered(host_of(url));
  if (host.empty()) return false;
  bool const third_party = !same_site(url, page_url);
  auto const path = path_of(url);
  auto so_far = verdict::none;
  for (string_view rest = host; !rest.empty();) {
    if (auto const found = hosts_.find(rest); found != hosts_.end()) weigh(found->second, path, third_party, so_far);
    auto const dot = rest.find('.');
    rest = dot == string_view::npos ? string_view{} : rest.substr(dot + 1);
  }
  weigh(paths_, path, third_party, so_far);
  return so_far == verdict::blocked;
}

}  // namespace cistern::stitch::html
