#include "tools/cistern/config_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <span>

namespace cistern::tools {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array duration_units{unit{"ms", 1}, unit{"s", 1000}, unit{"m", 60'000}, unit{"h", 3'600'000},
                                    unit{"d", 86'400'000}};
constexpr std::array size_units{
    unit{"B", 1},
    unit{"kB", 1000},
    unit{"KiB", std::uint64_t{1} << 10},
    unit{"MB", 1000 * 1000},
    unit{"MiB", std::uint64_t{1} << 20},
    unit{"GB", 1000 * 1000 * 1000},
    unit{"GiB", std::uint64_t{1} << 30},
    unit{"TB", std::uint64_t{1000} * 1000 * 1000 * 1000},
    unit{"TiB", std::uint64_t{1} << 40},
};
constexpr std::uint64_t largest = std::uint64_t{std::numeric_limits<number>::max()};

char lower(char ch) { return ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch; }
bool same(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Takes one "1.5 GiB" off the front of `text`.
std::optional<std::uint64_t> take_amount(std::string_view& text, std::span<unit const> units, bool bare_number) {
  auto const digits = std::min(text.find_first_not_of("0123456789."), text.size());
  double amount{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + digits, amount, std::chars_format::fixed);
  if (digits == 0 || error != std::errc{} || end != text.data() + digits) return {};
  text = trimmed(text.substr(digits));

  auto const letters = std::min(text.find_first_of("0123456789. \t"), text.size());
  auto const name = text.substr(0, letters);
  auto const found = std::ranges::find_if(units, [&](unit const& u) { return same(u.name, name); });
  if (found == units.end() && !(name.empty() && (bare_number || amount == 0))) return {};
  text = trimmed(text.substr(letters));

  auto const value = amount * static_cast<double>(found == units.end() ? 1 : found->factor);
  if (value >= static_cast<double>(largest) || value != std::floor(value)) return {};
  return static_cast<std::uint64_t>(value);
}

std::string in_largest_unit(std::uint64_t value, std::span<unit const> units, std::string_view gap) {
  for (auto u = units.rbegin(); u != units.rend(); ++u)
    if (value != 0 && value % u->factor == 0)
      return std::to_string(value / u->factor) + std::string{gap} + std::string{u->name};
  return "0" + std::string{gap} + std::string{units.front().name};
}

std::optional<bool> parse_bool(std::string_view text) {
  for (auto yes : {"true", "yes", "on", "1"})
    if (same(text, yes)) return true;
  for (auto no : {"false", "no", "off", "0"})
    if (same(text, no)) return false;
  return {};
}

std::optional<number> parse_number(std::string_view text) {
  number value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

texts split_list(std::string_view text) {
  texts entries;
  for (text = trimmed(text); !text.empty();) {
    auto const comma = std::min(text.find(','), text.size());
    entries.emplace_back(trimmed(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return entries;
}

bool assign(bool& to, std::string_view text) {
  auto const value = parse_bool(text);
  if (value) to = *value;
  return value.has_value();
}
bool assign(number& to, std::string_view text) {
  auto const value = parse_number(text);
  if (value) to = *value;
  return value.has_value();
}
bool assign(duration& to, std::string_view text) {
  auto const value = parse_duration(text);
  if (value) to = *value;
  return value.has_value();
}
bool assign(byte_size& to, std::string_view text) {
  auto const value = parse_size(text);
  if (value) to = *value;
  return value.has_value();
}
bool assign(std::string& to, std::string_view text) {
  to = text;
  return true;
}
bool assign(std::filesystem::path& to, std::string_view text) {
  to = text;
  return true;
}
bool assign(texts& to, std::string_view text) {
  to = split_list(text);
  return true;
}
bool assign(numbers& to, std::string_view text) {
  numbers values;
  for (auto const& entry : split_list(text)) {
    auto const value = parse_number(entry);
    if (!value) return false;
    values.push_back(*value);
  }
  to = std::move(values);
  return true;
}

std::string in_quotes(std::string_view text) {
  std::string out{'"'};
  for (char const ch : text) {
    if (ch == '"' || ch == '\\') out += '\\';
    if (static_cast<unsigned char>(ch) < 0x20) {
      constexpr std::string_view hex = "0123456789abcdef";
      out += "\\u00";
      out += hex[static_cast<unsigned char>(ch) >> 4];
      out += hex[static_cast<unsigned char>(ch) & 15];
    } else {
      out += ch;
    }
  }
  return out + '"';
}

std::string toml(bool value) { return value ? "true" : "false"; }
std::string toml(number value) { return std::to_string(value); }
std::string toml(duration value) { return in_quotes(to_text(value)); }
std::string toml(byte_size value) { return in_quotes(to_text(value)); }
std::string toml(std::string const& value) { return in_quotes(value); }
std::string toml(std::filesystem::path const& value) { return in_quotes(value.string()); }
template <class T>
std::string toml(std::vector<T> const& values) {
  std::string out{'['};
  for (auto const& value : values) out += (out.size() > 1 ? ", " : "") + toml(value);
  return out + ']';
}

/// A limit in the units of the setting it belongs to.
std::string limit_text(setting const& kind, number value) {
  if (std::holds_alternative<duration*>(kind)) return to_text(duration{value});
  if (std::holds_alternative<byte_size*>(kind)) return to_text(byte_size{static_cast<std::uint64_t>(value)});
  return std::to_string(value);
}

std::string check_limits(config_key const& key, setting const& kind, number value) {
  auto const& [least, most] = key.allowed;
  if (value >= least && value <= most) return {};
  if (most == std::numeric_limits<number>::max()) return "must be at least " + limit_text(kind, least);
  return "must be between " + limit_text(kind, least) + " and " + limit_text(kind, most);
}

bool is_choice(std::string_view choices, std::string_view value) {
  return ("|" + std::string{choices} + "|").find("|" + std::string{value} + "|") != std::string::npos &&
         value.find('|') == value.npos && !value.empty();
}

}  // namespace

std::optional<duration> parse_duration(std::string_view text) {
  std::uint64_t total = 0;
  text = trimmed(text);
  if (text.empty()) return {};
  while (!text.empty()) {
    auto const amount = take_amount(text, duration_units, false);
    if (!amount || *amount > largest - total) return {};
    total += *amount;
  }
  return duration{static_cast<number>(total)};
}

std::optional<byte_size> parse_size(std::string_view text) {
  text = trimmed(text);
  auto const amount = take_amount(text, size_units, true);
  if (!amount || !text.empty()) return {};
  return byte_size{*amount};
}

std::string to_text(duration value) {
  return in_largest_unit(static_cast<std::uint64_t>(value.count()), duration_units, "");
}
std::string to_text(byte_size value) { return in_largest_unit(value.count, size_units, " "); }

std::string assign_text(config_key const& key, config& settings, std::string_view value) {
  auto const taken = std::visit([&](auto* to) { return assign(*to, trimmed(value)); }, key.in(settings));
  if (!taken) return "wants " + expectation(key) + ", not \"" + std::string{value} + '"';
  return check_value(key, settings);
}

std::string check_value(config_key const& key, config const& settings) {
  auto const kind = setting_of(key, settings);
  auto const check = [&]<class T>(T const* value) -> std::string {
    if constexpr (std::same_as<T, number>) {
      return check_limits(key, kind, *value);
    } else if constexpr (std::same_as<T, duration>) {
      return check_limits(key, kind, value->count());
    } else if constexpr (std::same_as<T, byte_size>) {
      return check_limits(key, kind, static_cast<number>(std::min(value->count, largest)));
    } else if constexpr (std::same_as<T, numbers>) {
      for (auto const entry : *value)
        if (auto wrong = check_limits(key, kind, entry); !wrong.empty()) return wrong;
    } else if constexpr (std::same_as<T, texts>) {
      for (auto const& entry : *value)
        if (key.valid && !key.valid(entry))
          return "has \"" + entry + "\", which is not understood; it is the " + std::string{key.help};
    } else if constexpr (std::same_as<T, std::string>) {
      if (!key.choices.empty() && !is_choice(key.choices, *value))
        return "wants " + expectation(key) + ", not \"" + *value + '"';
      if (key.valid && !key.valid(*value)) return "is not understood; it is the " + std::string{key.help};
    }
    return {};
  };
  return std::visit(check, kind);
}

std::string toml_text(config_key const& key, config const& settings) {
  return std::visit([](auto const* value) { return toml(*value); }, setting_of(key, settings));
}

std::string_view kind_name(config_key const& key) {
  constexpr std::array<std::string_view, std::variant_size_v<setting>> names{
      "true or false", "number", "duration", "size", "text", "path", "list of numbers", "list of texts"};
  config any;
  return names[key.in(any).index()];
}

std::string expectation(config_key const& key) {
  constexpr std::array<std::string_view, std::variant_size_v<setting>> wanted{
      "true or false", "a whole number",   "a duration such as \"15m\"", "a size such as \"2 GiB\"",
      "a text",        "a path in quotes", "a list such as [443, 8443]", "a list such as [\"a\", \"b\"]"};
  if (!key.choices.empty()) {
    std::string out{"one of "};
    for (char const ch : key.choices) out += ch == '|' ? ", " : std::string{ch};
    return out;
  }
  config any;
  return std::string{wanted[key.in(any).index()]};
}

}  // namespace cistern::tools
