#include "sync/link_watch/captive_probe.hpp"

#include <boost/json.hpp>

#include <fstream>

namespace cistern::sync {
namespace {

namespace net = boost::asio;

constexpr std::size_t most_body = 16 << 10;
constexpr std::size_t most_lease_lines = 1000;

struct small_answer {
  unsigned status{};
  std::string body{};
};

/// A whole answer of a few kilobytes, or nothing.
net::awaitable<std::optional<small_answer>> fetch_small(http_client& client, std::string url, std::string accept,
                                                        std::chrono::milliseconds limit) {
  auto const parsed = parse_url(url);
  if (!parsed) co_return std::nullopt;
  request what{.to = parsed->to, .target = parsed->target};
  what.fields.add("Accept", accept);
  what.fields.add("Cache-Control", "no-cache");  // of a cache between here and there
  what.options.limits.whole = limit;
  what.options.fresh_connection = true;
  what.options.in_a_hurry = true;
  auto answer = co_await client.open(std::move(what));
  if (!answer) co_return std::nullopt;
  small_answer out{.status = answer->status};
  std::string piece(4096, '\0');
  while (out.body.size() <= most_body) {
    auto const got = co_await answer->read_some(piece);
    if (!got) co_return std::nullopt;
    if (*got == 0) break;
    out.body.append(piece, 0, *got);
  }
  co_return out;
}

}  // namespace

net::awaitable<probe_finding> probe_page(http_client& client, probe_settings settings) {
  if (settings.url.empty()) co_return probe_finding::nothing;
  auto const answer = co_await fetch_small(client, settings.url, "*/*", settings.limit);
  if (!answer) co_return probe_finding::nothing;
  auto const expected = settings.body.empty() ? 204U : 200U;
  auto const exact = answer->body == settings.body && (answer->status == 200 || answer->status == expected);
  co_return exact ? probe_finding::internet : probe_finding::portal;
}

net::awaitable<probe_finding> probe_captive_api(http_client& client, probe_settings settings) {
  // RFC 8908 §4: https only, or anybody on the way could say what he likes.
  if (!settings.captive_api.starts_with("https://")) co_return probe_finding::nothing;
  auto const answer = co_await fetch_small(client, settings.captive_api, "application/captive+json", settings.limit);
  if (!answer || answer->status != 200) co_return probe_finding::nothing;
  auto const captive = captive_flag(answer->body);
  if (!captive) co_return probe_finding::nothing;
  co_return *captive ? probe_finding::portal : probe_finding::internet;
}

std::optional<bool> captive_flag(std::string_view json) {
  boost::system::error_code malformed;
  auto const document = boost::json::parse(json, malformed, {}, {.max_depth = 8});
  if (malformed || !document.is_object()) return {};
  auto const* const flag = document.get_object().if_contains("captive");
  if (flag == nullptr || !flag->is_bool()) return {};
  return flag->get_bool();
}

std::string captive_api_in_lease(std::filesystem::path const& lease) {
  constexpr std::string_view key = "CAPTIVE_PORTAL=";
  std::ifstream in{lease};
  std::string line;
  for (std::size_t n = 0; n < most_lease_lines && std::getline(in, line); ++n)
    if (line.starts_with(key)) return line.substr(key.size());
  return {};
}

}  // namespace cistern::sync
