#include "tools/chaos/profile.hpp"

#include <charconv>
#include <sstream>

namespace cistern::chaos {
namespace {

/// A number with its unit, "250ms" -> 250 and "ms".
bool split(std::string const& text, double& number, std::string& unit) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  unit.assign(end, text.data() + text.size());
  return error == std::errc{} && number >= 0 && number < 1e15;
}

}  // namespace

std::uint64_t parse_bytes(std::string const& text) {
  double number = 0;
  std::string unit;
  if (!split(text, number, unit)) return 0;
  if (unit == "kB" || unit == "k")
    number *= 1e3;
  else if (unit == "MB" || unit == "M")
    number *= 1e6;
  else if (unit == "GB" || unit == "G")
    number *= 1e9;
  else if (!unit.empty() && unit != "B")
    return 0;
  return static_cast<std::uint64_t>(number);
}

std::chrono::milliseconds parse_time(std::string const& text) {
  double number = 0;
  std::string unit;
  if (!split(text, number, unit)) return std::chrono::milliseconds{-1};
  if (unit == "s")
    number *= 1e3;
  else if (unit == "m")
    number *= 60e3;
  else if (unit == "h")
    number *= 3600e3;
  else if (unit != "ms")
    return std::chrono::milliseconds{-1};
  return std::chrono::milliseconds{static_cast<std::int64_t>(number)};
}

bool parse_windows(std::string const& text, std::vector<std::chrono::milliseconds>& out) {
  std::istringstream in{text};
  std::string word;
  std::string length;
  out.clear();
  while (in >> word) {
    if (!(in >> length)) return false;
    if (!length.empty() && length.back() == ',') length.pop_back();
    auto const time = parse_time(length);
    if (word != (out.size() % 2 == 0 ? "up" : "down") || time.count() <= 0) return false;
    out.push_back(time);
  }
  return !out.empty() && out.size() % 2 == 0;
}

}  // namespace cistern::chaos
