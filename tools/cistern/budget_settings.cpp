#include "tools/cistern/budget_settings.hpp"

#include "tools/cistern/config_value.hpp"

#include <optional>
#include <utility>

namespace cistern::tools {
namespace {

using sync::index_of;

/// "CLASS rest"
std::optional<std::pair<store::job_class, std::string_view>> split_class(std::string_view text) {
  auto const blank = std::min(text.find(' '), text.size());
  auto const which = sync::class_named(text.substr(0, blank));
  auto const rest = std::min(text.find_first_not_of(' ', blank), text.size());
  if (!which) return {};
  return std::pair{*which, text.substr(rest)};
}

struct class_limit {
  store::job_class of{};
  bool monthly{};
  std::uint64_t bytes{};
};

std::optional<class_limit> parse_class_limit(std::string_view text) {
  auto const parts = split_class(text);
  if (!parts) return {};
  auto const [of, amount] = *parts;
  auto const monthly = amount.ends_with("/month");
  if (!monthly && !amount.ends_with("/day")) return {};
  auto const size = parse_size(amount.substr(0, amount.rfind('/')));
  if (!size || size->count == 0) return {};
  return class_limit{of, monthly, size->count};
}

struct class_hours {
  store::job_class of{};
  sync::day_hours hours{};
};

std::optional<class_hours> parse_class_hours(std::string_view text) {
  auto const parts = split_class(text);
  auto const hours = parts ? sync::parse_day_hours(parts->second) : std::nullopt;
  if (!hours) return {};
  return class_hours{parts->first, *hours};
}

std::optional<std::uint64_t> parse_rate(std::string_view text) {
  if (text == "0") return 0;
  if (!text.ends_with("/s")) return {};
  auto const size = parse_size(text.substr(0, text.size() - 2));
  if (!size) return {};
  return size->count;
}

}  // namespace

bool is_class_limit(std::string_view text) { return parse_class_limit(text).has_value(); }
bool is_class_hours(std::string_view text) { return parse_class_hours(text).has_value(); }
bool is_rate(std::string_view text) { return parse_rate(text).has_value(); }
bool is_metered_word(std::string_view text) { return text == "images" || sync::class_named(text); }

sync::budget_rules budget_rules_from(budget_config const& settings) {
  sync::budget_rules out;
  out.all = {.day = settings.per_day.count, .month = settings.per_month.count};
  out.month_starts = static_cast<unsigned>(settings.month_starts);
  for (auto const& text : settings.limits) {
    auto const limit = parse_class_limit(text).value();
    auto& of_class = out.of_class[index_of(limit.of)];
    (limit.monthly ? of_class.month : of_class.day) = limit.bytes;
  }
  for (auto const& text : settings.hours) {
    auto const entry = parse_class_hours(text).value();
    out.hours[index_of(entry.of)].push_back(entry.hours);
  }
  for (auto const& text : settings.metered_wait) {
    if (text == "images") out.no_metered_images = true;
    if (auto const which = sync::class_named(text)) out.not_metered[index_of(*which)] = true;
  }
  return out;
}

std::shared_ptr<sync::pace> pace_from(budget_config const& settings) {
  auto const rate = parse_rate(settings.rate).value_or(0);
  return rate == 0 ? nullptr : std::make_shared<sync::pace>(rate);
}

}  // namespace cistern::tools
