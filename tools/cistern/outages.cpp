#include "tools/cistern/outages.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>

namespace cistern::tools {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_seconds;
using sync::schedule::link_window;

struct pattern {
  std::vector<int> hours;
  std::chrono::minutes either_way = 45min;
  int lost_percent = 15;
};

std::optional<int> number_at(std::string_view& text) {
  int value = 0;
  auto const read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return value;
}

bool taken(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<pattern> parse_pattern(std::string_view text) {
  pattern found;
  do {
    auto const hour = number_at(text);
    if (!hour || *hour < 0 || *hour > 23) return std::nullopt;
    found.hours.push_back(*hour);
    (void)taken(text, "h");
  } while (taken(text, ","));
  if (taken(text, "+-") || taken(text, "±")) {
    auto const minutes = number_at(text);
    if (!minutes || *minutes < 1 || *minutes > 360) return std::nullopt;
    found.either_way = std::chrono::minutes{*minutes};
    (void)(taken(text, "min") || taken(text, "m"));
  }
  if (taken(text, "/")) {
    auto const percent = number_at(text);
    if (!percent || *percent < 0 || *percent > 95) return std::nullopt;
    found.lost_percent = *percent;
    (void)taken(text, "%");
  }
  if (!text.empty()) return std::nullopt;
  return found;
}

std::vector<link_window> windows_of(pattern const& given, sys_seconds from, sys_seconds until, std::uint32_t seed) {
  std::mt19937 random{seed};
  std::vector<link_window> windows;
  for (auto day = std::chrono::floor<std::chrono::days>(from) - 24h; day < until + 24h; day += 24h)
    for (int const hour : given.hours) {
      bool const lost = random() % 100 < static_cast<unsigned>(given.lost_percent);
      auto const middle = sys_seconds{day} + std::chrono::hours{hour};
      if (!lost) windows.push_back({middle - given.either_way, middle + given.either_way});
    }
  return windows;
}

std::vector<link_window> windows_in(std::filesystem::path const& file) {
  std::ifstream in{file};
  std::vector<link_window> windows;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::int64_t from = 0;
    std::int64_t until = 0;
    char const* const end = line.data() + line.size();
    auto const first = std::from_chars(line.data(), end, from);
    if (first.ec != std::errc{} && number == 1) continue;  // a header
    bool const comma = first.ec == std::errc{} && first.ptr != end && *first.ptr == ',';
    if (!comma || std::from_chars(first.ptr + 1, end, until).ec != std::errc{} || until <= from)
      throw std::runtime_error{file.string() + " line " + std::to_string(number) + ": want from,until in unix seconds"};
    windows.push_back({sys_seconds{std::chrono::seconds{from}}, sys_seconds{std::chrono::seconds{until}}});
  }
  return windows;
}

}  // namespace

std::vector<link_window> link_windows(std::string const& what, sys_seconds from, sys_seconds until,
                                      std::uint32_t seed) {
  std::vector<link_window> windows;
  if (auto const given = parse_pattern(what)) {
    windows = windows_of(*given, from, until, seed);
  } else if (std::filesystem::is_regular_file(what)) {
    windows = windows_in(what);
  } else {
    throw std::runtime_error{"--outages " + what + " is neither a file nor a pattern like 07,13,20+-45m/15%"};
  }
  std::sort(windows.begin(), windows.end(), [](auto const& a, auto const& b) { return a.from < b.from; });
  std::vector<link_window> apart;
  for (auto const& window : windows) {
    if (window.until <= from || window.from >= until) continue;
    if (!apart.empty() && window.from <= apart.back().until)
      apart.back().until = std::max(apart.back().until, window.until);
    else
      apart.push_back(window);
  }
  if (apart.empty()) throw std::runtime_error{"--outages " + what + " leaves no time at which the link is up"};
  return apart;
}

}  // namespace cistern::tools
