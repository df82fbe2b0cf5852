#include "tools/cistern/config_load.hpp"

#include "tools/cistern/config_keys.hpp"
#include "tools/cistern/config_value.hpp"
#include "tools/cistern/nearest.hpp"

#include <toml++/toml.h>

#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace cistern::tools {
namespace {

namespace fs = std::filesystem;
using problems = std::vector<std::string>;

constexpr std::uintmax_t largest_file = 1 << 20;

/// Empty unless the variable is there and absolute, as the XDG base directory specification wants it.
fs::path directory_from(environment const& env, std::string_view variable) {
  auto const found = env.find(variable);
  if (found == env.end() || !fs::path{found->second}.is_absolute()) return {};
  return found->second;
}

std::string did_you_mean(std::string_view name, std::vector<std::string> const& known) {
  auto const near = nearest(name, known);
  return near.empty() ? "" : "; did you mean \"" + near + "\"?";
}

std::vector<std::string> sections() {
  std::vector<std::string> names;
  for (auto const& key : config_keys())
    if (names.empty() || names.back() != key.section) names.emplace_back(key.section);
  return names;
}

std::string unknown_key(std::string_view section, std::string_view name) {
  std::vector<std::string> known;
  for (auto const& key : config_keys())
    if (key.section == section) known.emplace_back(key.name);
  return "unknown key \"" + std::string{section} + '.' + std::string{name} + '"' + did_you_mean(name, known);
}

/// A key or a misspelt section at the top of the file.
std::string unknown_top(std::string_view name) {
  for (auto const& key : config_keys())
    if (key.name == name) return "unknown key \"" + std::string{name} + "\"; did you mean \"" + full_name(key) + "\"?";
  return "unknown section \"" + std::string{name} + '"' + did_you_mean(name, sections());
}

// ---- the file

bool assign(bool& to, toml::node const& from) {
  auto const value = from.value_exact<bool>();
  if (value) to = *value;
  return value.has_value();
}
bool assign(number& to, toml::node const& from) {
  auto const value = from.value_exact<std::int64_t>();
  if (value) to = *value;
  return value.has_value();
}
bool assign(std::string& to, toml::node const& from) {
  auto const value = from.value_exact<std::string>();
  if (value) to = *value;
  return value.has_value();
}
bool assign(fs::path& to, toml::node const& from) {
  auto const value = from.value_exact<std::string>();
  if (value) to = *value;
  return value.has_value();
}
bool assign(duration& to, toml::node const& from) {
  auto const text = from.value_exact<std::string>();
  auto const value = text ? parse_duration(*text) : std::nullopt;
  if (value) to = *value;
  return value.has_value();
}
bool assign(byte_size& to, toml::node const& from) {
  if (auto const plain = from.value_exact<std::int64_t>(); plain && *plain >= 0) {
    to.count = static_cast<std::uint64_t>(*plain);
    return true;
  }
  auto const text = from.value_exact<std::string>();
  auto const value = text ? parse_size(*text) : std::nullopt;
  if (value) to = *value;
  return value.has_value();
}
template <class T>
bool assign(std::vector<T>& to, toml::node const& from) {
  auto const* list = from.as_array();
  if (!list) return false;
  std::vector<T> values(list->size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!assign(values[i], *list->get(i))) return false;
  to = std::move(values);
  return true;
}

/// A path in a file is meant from that file's folder, whatever folder the daemon was started in.
void anchor_path(setting const& value, fs::path const& folder, environment const& env) {
  auto* const* path = std::get_if<fs::path*>(&value);
  if (!path || (*path)->empty()) return;
  auto const text = (*path)->string();
  auto const home = directory_from(env, "HOME");
  if (text.starts_with("~/") && !home.empty()) **path = home / text.substr(2);
  **path = fs::absolute(folder / **path).lexically_normal();
}

/// What is wrong with a file, by line: toml++ hands out keys in the order of their names.
using problems_by_line = std::multimap<toml::source_index, std::string>;

void note(problems_by_line& wrong, fs::path const& file, toml::source_region const& where, std::string_view what) {
  auto const line = where.begin.line;
  wrong.emplace(line, file.string() + ':' + std::to_string(line) + ": " + std::string{what});
}

void read_section(toml::table const& table, std::string_view section, fs::path const& file, environment const& env,
                  config& settings, problems_by_line& wrong) {
  for (auto const& [name, node] : table) {
    auto const* key = find_key(section, name.str());
    if (!key) {
      note(wrong, file, name.source(), unknown_key(section, name.str()));
      continue;
    }
    auto const value = key->in(settings);
    auto const taken = std::visit([&node = node](auto* to) { return assign(*to, node); }, value);
    auto const problem = taken ? check_value(*key, settings) : "wants " + expectation(*key);
    if (!problem.empty()) note(wrong, file, node.source(), full_name(*key) + ' ' + problem);
    anchor_path(value, file.parent_path(), env);
  }
}

problems_by_line read_text(std::string_view text, fs::path const& file, environment const& env, config& settings) {
  problems_by_line wrong;
  try {
    auto const root = toml::parse(text, file.string());
    auto const known = sections();
    for (auto const& [key, node] : root) {
      std::string const name{key.str()};
      if (std::ranges::find(known, name) == known.end())
        note(wrong, file, key.source(), unknown_top(name));
      else if (auto const* table = node.as_table())
        read_section(*table, name, file, env, settings, wrong);
      else
        note(wrong, file, key.source(), '"' + name + "\" is a section: write [" + name + "] on a line of its own");
    }
  } catch (toml::parse_error const& error) {
    note(wrong, file, error.source(), error.description());
  }
  return wrong;
}

void read_file(fs::path const& file, environment const& env, config& settings, problems& wrong) {
  std::error_code error;
  std::ifstream in{file, std::ios::binary};
  if (!in || !fs::is_regular_file(file, error) || fs::file_size(file, error) > largest_file) {
    wrong.push_back(file.string() + ": cannot be read as a configuration file; check the path and its permissions");
    return;
  }
  std::string const text{std::istreambuf_iterator<char>{in}, {}};
  for (auto& [line, problem] : read_text(text, file, env, settings)) wrong.push_back(problem);
}

// ---- environment and command line

/// Whether a variable is meant for us: CISTERN_, a section of ours, an underscore. Others may have CISTERN_… of their
/// own.
bool is_ours(std::string_view variable) {
  return std::ranges::any_of(config_keys(), [&](config_key const& key) {
    auto const whole = variable_name(key);
    return variable.starts_with(std::string_view{whole}.substr(0, whole.size() - key.name.size()));
  });
}

void read_environment(environment const& env, config& settings, problems& wrong) {
  std::vector<std::string> known;
  for (auto const& key : config_keys()) {
    known.push_back(variable_name(key));
    auto const found = env.find(known.back());
    if (found == env.end()) continue;
    auto const problem = assign_text(key, settings, found->second);
    if (!problem.empty()) wrong.push_back("environment: " + found->first + ' ' + problem);
    anchor_path(key.in(settings), {}, env);
  }
  for (auto const& variable : env) {
    auto const& name = variable.first;
    if (is_ours(name) && std::ranges::find(known, name) == known.end())
      wrong.push_back("environment: unknown variable \"" + name + '"' + did_you_mean(name, known));
  }
}

void read_command_line(config_sources const& sources, environment const& env, config& settings, problems& wrong) {
  for (auto const& [name, value] : sources.settings) {
    auto const dot = name.find('.');
    auto const section = name.substr(0, dot);
    auto const rest = dot == name.npos ? std::string{} : name.substr(dot + 1);
    auto const* key = find_key(section, rest);
    if (!key) {
      auto const known = sections();
      auto const right_section = std::ranges::find(known, section) != known.end();
      wrong.push_back("--set: " + (right_section ? unknown_key(section, rest) : unknown_top(section)));
      continue;
    }
    auto const problem = assign_text(*key, settings, value);
    if (!problem.empty()) wrong.push_back("command line: " + name + ' ' + problem);
    anchor_path(key->in(settings), {}, env);
  }
}

fs::path chosen_file(config_sources const& sources, environment const& env) {
  if (!sources.file.empty()) return sources.file;
  for (auto const& place : config_places(env))
    if (std::error_code error; fs::exists(place, error)) return place;
  return {};
}

}  // namespace

config_error::config_error(std::vector<std::string> found)
    : std::runtime_error{found.at(0)}, problems_{std::move(found)} {}

environment process_environment() {
  environment env;
  for (char** entry = ::environ; entry && *entry; ++entry) {
    std::string_view const text{*entry};
    auto const equals = text.find('=');
    if (equals != text.npos) env.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return env;
}

loaded_config load_config(config_sources const& sources, environment const& env) {
  loaded_config loaded{.settings = {}, .file = chosen_file(sources, env)};
  problems wrong;
  if (!loaded.file.empty()) read_file(loaded.file, env, loaded.settings, wrong);
  read_environment(env, loaded.settings, wrong);
  read_command_line(sources, env, loaded.settings, wrong);
  if (!wrong.empty()) throw config_error{std::move(wrong)};
  if (loaded.settings.store.path.empty()) loaded.settings.store.path = data_directory(env);
  return loaded;
}

fs::path data_directory(environment const& env) {
  if (auto const found = env.find("STATE_DIRECTORY"); found != env.end() && !found->second.empty())
    return found->second.substr(0, found->second.find(':'));  // systemd joins several with colons
  if (auto const data = directory_from(env, "XDG_DATA_HOME"); !data.empty()) return data / "cistern";
  if (auto const home = directory_from(env, "HOME"); !home.empty()) return home / ".local/share/cistern";
  return "/var/lib/cistern";
}

std::vector<fs::path> config_places(environment const& env) {
  std::vector<fs::path> places;
  if (auto const folder = directory_from(env, "XDG_CONFIG_HOME"); !folder.empty())
    places.push_back(folder / "cistern/cistern.toml");
  else if (auto const home = directory_from(env, "HOME"); !home.empty())
    places.push_back(home / ".config/cistern/cistern.toml");
  places.emplace_back("/etc/cistern/cistern.toml");
  return places;
}

}  // namespace cistern::tools
