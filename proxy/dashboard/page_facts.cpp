#include "proxy/dashboard/page_facts.hpp"

#include "proxy/offline_page.hpp"
#include "proxy/status_page.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>

namespace cistern::proxy {
namespace {

namespace json = boost::json;
using std::chrono::sys_seconds;

constexpr std::size_t longest_choice = 24;
constexpr int deepest = 4;

class walk {
public:
  walk(page_texts const& texts, sys_seconds now) : texts_{texts}, now_{now} {}

  void object(page_values& into, json::object const& facts, std::string const& prefix, int depth) const {
    for (auto const& [name, value] : facts) member(into, value, prefix + std::string{name}, depth);
  }

private:
  void member(page_values& into, json::value const& value, std::string const& name, int depth) const {
    if (value.is_object() && depth < deepest) return object(into, value.as_object(), name + '.', depth + 1);
    if (value.is_array() && depth < deepest) return list(into, value.as_array(), name, depth + 1);
    if (value.is_string()) return text(into, std::string{value.as_string()}, name);
    if (value.is_bool()) {
      into.texts[name] = value.as_bool() ? "1" : "";
    } else if (value.is_null()) {
      into.texts[name] = {};
    } else {
      number(into, value, name);
    }
  }

  void number(page_values& into, json::value const& value, std::string const& name) const {
    if (value.is_double()) {
      char short_form[32];
      std::snprintf(short_form, sizeof short_form, "%g", value.as_double());
      into.texts[name] = short_form;
    } else {
      into.texts[name] = json::serialize(value);
    }
    json::error_code error;
    auto const count = value.to_number<std::uint64_t>(error);
    if (error) return;
    into.texts[name + ".size"] = readable_bytes(count);
    into.texts[name + ".some"] = count == 0 ? std::string{} : into.texts[name];
  }

  void text(page_values& into, std::string value, std::string const& name) const {
    if (auto const time = read_time(value)) into.texts[name + ".ago"] = relative_time(texts_, *time, now_);
    if (!value.empty() && value.size() <= longest_choice) {
      auto choice = value;
      for (char& c : choice)
        if (c == ' ') c = '_';
      into.texts[name + ".is." + choice] = "1";
    }
    into.texts[name] = std::move(value);
  }

  void list(page_values& into, json::array const& entries, std::string const& name, int depth) const {
    auto& out = into.lists[name];
    for (auto const& entry : entries) {
      auto& one = out.emplace_back();
      if (entry.is_object())
        object(one, entry.as_object(), {}, depth);
      else
        member(one, entry, "value", depth);
    }
    into.texts[name + ".n"] = entries.empty() ? std::string{} : std::to_string(entries.size());
  }

  page_texts const& texts_;
  sys_seconds now_;
};

}  // namespace

std::string text_in(page_values const& values, std::string_view name) {
  auto const at = values.texts.find(name);
  return at == values.texts.end() ? std::string{} : at->second;
}

std::optional<sys_seconds> read_time(std::string_view text) {
  if (text.size() != 20 || text.back() != 'Z' || text[10] != 'T') return std::nullopt;
  int year = 0, hour = 0, minute = 0, second = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(std::string{text}.c_str(), "%4d-%2u-%2uT%2d:%2d:%2dZ", &year, &month, &day, &hour, &minute,
                  &second) != 6)
    return std::nullopt;
  std::chrono::year_month_day const date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second};
}

void add_facts(page_values& into, json::object const& facts, page_texts const& texts, sys_seconds now) {
  walk{texts, now}.object(into, facts, {}, 0);
}

}  // namespace cistern::proxy
