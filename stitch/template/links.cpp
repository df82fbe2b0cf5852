#include "stitch/template/links.hpp"

#include "stitch/template/text.hpp"

#include <algorithm>
#include <vector>

namespace cistern::stitch::templates {
namespace {

std::size_t scheme_end(std::string_view url) {  // one past the colon, or 0
  for (std::size_t i = 0; i < url.size(); ++i) {
    char const c = url[i];
    if (c == ':') return i > 0 ? i + 1 : 0;
    bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'))) return 0;
  }
  return 0;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> parts;
  bool directory = true;
  for (std::size_t at = 1; at <= path.size();) {
    auto const end = std::min(path.find('/', at), path.size());
    auto const part = path.substr(at, end - at);
    directory = part == "." || part == ".." || part.empty();
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (part != "." && !(part.empty() && end == path.size())) {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::string out;
  for (auto const p : parts) (out += '/') += p;
  if (directory || out.empty()) out += '/';
  return out;
}

bool is_tracking(std::string_view name) {
  auto const n = lower(name);
  return n.starts_with("utm_") || n == "fbclid" || n == "gclid" || n == "ref" || n == "source" || n == "mc_cid" ||
         n == "mc_eid";
}

}  // namespace

std::string resolve(std::string_view base, std::string_view href) {
  href = trimmed(href);
  href = href.substr(0, href.find('#'));
  if (auto const s = scheme_end(href); s > 0) {
    auto const scheme = lower(href.substr(0, s - 1));
    return scheme == "http" || scheme == "https" ? std::string{href} : std::string{};
  }
  auto const colon = scheme_end(base);
  if (href.starts_with("//")) return std::string{base.substr(0, colon)} + std::string{href};
  auto const authority = base.find("//", colon);
  auto const path_at =
      authority == std::string_view::npos ? colon : std::min(base.find_first_of("/?#", authority + 2), base.size());
  std::string const origin{base.substr(0, path_at)};
  auto path = base.substr(path_at);
  auto const query_at = path.find_first_of("?#");
  auto const query =
      query_at == std::string_view::npos ? std::string_view{} : path.substr(query_at, path.find('#') - query_at);
  path = path.substr(0, query_at);
  if (href.empty()) return origin + std::string{path} + std::string{query};
  if (href.front() == '?') return origin + std::string{path} + std::string{href};
  auto const tail_at = href.find('?');
  std::string const tail{tail_at == std::string_view::npos ? std::string_view{} : href.substr(tail_at)};
  auto const target = href.substr(0, tail_at);
  if (target.starts_with('/')) return origin + without_dots(target) + tail;
  auto const directory = path.substr(0, path.rfind('/') + 1);
  return origin + without_dots((directory.empty() ? "/" : std::string{directory}) + std::string{target}) + tail;
}

std::string_view path_of(std::string_view absolute) {
  auto const authority = absolute.find("//", scheme_end(absolute));
  if (authority == std::string_view::npos) return absolute;
  auto const at = absolute.find_first_of("/?#", authority + 2);
  return at == std::string_view::npos ? std::string_view{} : absolute.substr(at);
}

std::string key_of(std::string_view absolute) {
  auto rest = path_of(absolute);
  rest = rest.substr(0, rest.find('#'));
  auto const query_at = rest.find('?');
  std::string path;
  for (char const c : percent_decode(rest.substr(0, query_at)))
    if (c != '/' || !path.ends_with('/')) path += c;
  for (auto const* index : {"/index.html", "/index.htm"})
    if (path.ends_with(index)) path.resize(path.size() - std::string_view{index}.size());
  while (path.ends_with('/')) path.pop_back();
  if (query_at == std::string_view::npos) return path;
  std::string query;
  auto parameters = rest.substr(query_at + 1);
  while (!parameters.empty()) {
    auto const end = std::min(parameters.find('&'), parameters.size());
    auto const one = parameters.substr(0, end);
    if (!one.empty() && !is_tracking(one.substr(0, one.find('='))))
      query += (query.empty() ? "?" : "&") + percent_decode(one);
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return path + query;
}

}  // namespace cistern::stitch::templates
