#include "proxy/api/answers.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <charconv>
#include <cstdio>

namespace cistern::proxy {

namespace json = boost::json;

api_answer say(json::value const& value, unsigned status) {
  return {.status = status, .body = json::serialize(value) + '\n'};
}

api_answer refuse(unsigned status, std::string message) {
  return say(json::object{{"error", std::move(message)}}, status);
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{number} : std::nullopt;
}

std::optional<std::chrono::sys_seconds> day_in(std::string_view text) {
  int year = 0;
  unsigned month = 0, day = 0;
  if (text.size() != 10 || std::sscanf(std::string{text}.c_str(), "%4d-%2u-%2u", &year, &month, &day) != 3)
    return std::nullopt;
  std::chrono::year_month_day const date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  return date.ok() ? std::optional{std::chrono::sys_seconds{std::chrono::sys_days{date}}} : std::nullopt;
}

std::optional<json::object> object_in(std::string_view body) {
  if (body.find_first_not_of(" \r\n\t") == body.npos) return json::object{};
  json::error_code error;
  auto value = json::parse(body, error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.as_object());
}

std::string text_of(json::object const& from, std::string_view name) {
  auto const* const value = from.if_contains(name);
  return value && value->is_string() ? std::string{value->as_string()} : std::string{};
}

bool flag_of(json::object const& from, std::string_view name, bool otherwise) {
  auto const* const value = from.if_contains(name);
  return value && value->is_bool() ? value->as_bool() : otherwise;
}

std::vector<std::string> texts_of(json::value const& value) {
  std::vector<std::string> out;
  if (!value.is_array()) return out;
  for (auto const& text : value.as_array())
    if (text.is_string()) out.emplace_back(text.as_string());
  return out;
}

std::string_view query_of(std::string_view target) {
  auto const mark = target.find('?');
  return mark == target.npos ? std::string_view{} : target.substr(mark + 1);
}

std::optional<std::uint64_t> query_number(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    auto const end = std::min(query.size(), query.find('&'));
    auto const pair = query.substr(0, end);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      return number_in(pair.substr(name.size() + 1));
    query.remove_prefix(std::min(query.size(), end + 1));
  }
  return std::nullopt;
}

namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string query_text(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    auto const end = std::min(query.size(), query.find('&'));
    auto const pair = query.substr(0, end);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      auto const value = pair.substr(name.size() + 1);
      std::string out;
      for (std::size_t i = 0; i < value.size(); ++i) {
        bool const coded =
            value[i] == '%' && i + 2 < value.size() && digit_of(value[i + 1]) >= 0 && digit_of(value[i + 2]) >= 0;
        if (coded) {
          out += static_cast<char>(digit_of(value[i + 1]) * 16 + digit_of(value[i + 2]));
          i += 2;
        } else {
          out += value[i] == '+' ? ' ' : value[i];
        }
      }
      return out;
    }
    query.remove_prefix(std::min(query.size(), end + 1));
  }
  return {};
}

}  // namespace cistern::proxy
