#include "store/invalidation.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <array>

namespace cistern::store {
namespace {

std::string_view effective_port(boost::urls::url_view const& url) {
  if (url.has_port() && !url.port().empty()) return {url.port().data(), url.port().size()};
  return url.scheme_id() == boost::urls::scheme::https ? "443" : "80";
}

}  // namespace

bool is_safe(std::string_view method) {
  constexpr std::array<std::string_view, 8> methods{"GET",      "HEAD",   "OPTIONS", "TRACE",
                                                    "PROPFIND", "REPORT", "SEARCH",  "QUERY"};
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

std::optional<std::string> resolve_reference(std::string_view base, std::string_view reference) {
  auto const from = boost::urls::parse_uri(boost::urls::string_view{base.data(), base.size()});
  auto const to = boost::urls::parse_uri_reference(boost::urls::string_view{reference.data(), reference.size()});
  if (!from || !to) return std::nullopt;
  boost::urls::url out;
  if (!boost::urls::resolve(*from, *to, out)) return std::nullopt;
  out.remove_fragment();
  return std::string{out.buffer().data(), out.buffer().size()};
}

bool same_origin(std::string_view a, std::string_view b) {
  auto const left = boost::urls::parse_uri(boost::urls::string_view{a.data(), a.size()});
  auto const right = boost::urls::parse_uri(boost::urls::string_view{b.data(), b.size()});
  if (!left || !right || left->scheme_id() != right->scheme_id()) return false;
  auto const host = [](auto const& url) { return std::string{url.encoded_host().data(), url.encoded_host().size()}; };
  return same_token(host(*left), host(*right)) && effective_port(*left) == effective_port(*right);
}

std::vector<std::string> invalidated_urls(std::string_view method, std::string_view url, unsigned status,
                                          header_block const& response) {
  std::vector<std::string> out;
  if (is_safe(method) || status < 200 || status >= 400) return out;
  out.emplace_back(url);
  for (auto const* name : {"Location", "Content-Location"}) {
    auto const reference = response.find(name);
    auto target = reference ? resolve_reference(url, *reference) : std::nullopt;
    if (target && same_origin(url, *target)) out.push_back(std::move(*target));
  }
  return out;
}

bool answers_get_of(std::string_view url, header_block const& response) {
  auto const reference = response.find("Content-Location");
  if (!reference) return false;
  auto const target = resolve_reference(url, *reference);
  auto const own = resolve_reference(url, "");
  return target && own && *target == *own;
}

}  // namespace cistern::store
