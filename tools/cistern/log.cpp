#include "tools/cistern/log.hpp"

#include "sync/log_url.hpp"

#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cistern::tools {
namespace {

constexpr auto* time_pattern = "%Y-%m-%dT%H:%M:%S.%eZ";

/// Keys are lower-case words, as ours all are; prose that happens to hold a "=" is not taken for fields.
bool is_word(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
  return !text.empty() && text.find_first_not_of(letters) == text.npos;
}

std::string json_text(std::string_view text) {
  return boost::json::serialize(boost::json::value(boost::json::string{text.data(), text.size()}));
}

bool is_json_number(std::string_view text) {
  if (text.empty() || text.size() > 15) return false;
  if (text.size() > 1 && text[0] == '0' && text[1] != '.') return false;
  return std::ranges::count(text, '.') <= 1 && text.front() != '.' && text.back() != '.' &&
         text.find_first_not_of("0123456789.") == text.npos;
}

std::string json_value(std::string_view text) {
  if (text == "true" || text == "false" || is_json_number(text)) return std::string{text};
  return json_text(text);
}

/// Takes one value off the front, undoing the quoting of sync::log_value.
std::optional<std::string> take_value(std::string_view& line) {
  if (!line.starts_with('"')) {
    auto const end = std::min(line.find(' '), line.size());
    auto const value = line.substr(0, end);
    line.remove_prefix(end);
    return json_value(value);
  }
  std::string value;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '"') {
      line.remove_prefix(i + 1);
      return json_text(value);
    }
    if (line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == '\\')) ++i;
    value += line[i];
  }
  return {};
}

class json_formatter final : public spdlog::formatter {
public:
  void format(spdlog::details::log_msg const& message, spdlog::memory_buf_t& out) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    auto const level = spdlog::level::to_string_view(message.level);
    std::string line = "{\"time\":\"" + std::string{time.data(), time.size()} + "\",\"level\":\"" +
                       std::string{level.data(), level.size()} + "\"," +
                       json_fields({message.payload.data(), message.payload.size()}) + "}\n";
    out.append(line.data(), line.data() + line.size());
  }
  [[nodiscard]] std::unique_ptr<formatter> clone() const override { return std::make_unique<json_formatter>(); }

private:
  spdlog::pattern_formatter time_{time_pattern, spdlog::pattern_time_type::utc, ""};
};

std::unique_ptr<spdlog::formatter> formatter_for(std::string_view format) {
  if (format == "json") return std::make_unique<json_formatter>();
  return std::make_unique<spdlog::pattern_formatter>(std::string{time_pattern} + " %l %v",
                                                     spdlog::pattern_time_type::utc);
}

}  // namespace

std::string json_fields(std::string_view line) {
  auto const whole = line;
  auto const name = line.substr(0, std::min(line.find(' '), line.size()));
  if (!is_word(name)) return "\"message\":" + json_text(whole);
  std::string out = "\"event\":" + json_text(name);
  line.remove_prefix(name.size());
  while (!line.empty()) {
    line.remove_prefix(1);  // the blank
    auto const equals = line.find('=');
    if (equals == line.npos || !is_word(line.substr(0, equals))) return "\"message\":" + json_text(whole);
    auto const key = line.substr(0, equals);
    line.remove_prefix(equals + 1);
    auto const value = take_value(line);
    if (!value || (!line.empty() && line.front() != ' ')) return "\"message\":" + json_text(whole);
    out += ',' + json_text(key) + ':' + *value;
  }
  return out;
}

void set_up_log(log_config const& settings) {
  static auto const logger = [] {
    auto made = std::make_shared<spdlog::logger>("cistern", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(made);
    return made;
  }();
  logger->set_formatter(formatter_for(settings.format));
  logger->set_level(spdlog::level::from_str(settings.level));
  sync::log_queries(!settings.scrub_queries);
}

}  // namespace cistern::tools
