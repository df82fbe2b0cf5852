#include "tools/cistern/config_text.hpp"

#include "tools/cistern/config_keys.hpp"
#include "tools/cistern/config_value.hpp"

namespace cistern::tools {
namespace {

/// "http://user:secret@host" with the secret hidden.
std::string masked(std::string text) {
  auto const scheme = text.find("://");
  if (scheme == text.npos) return text;
  auto const start = scheme + 3;
  auto const at = text.find_last_of('@', text.find('/', start));
  auto const colon = text.find(':', start);
  if (at == text.npos || colon == text.npos || colon > at || at < start) return text;
  return text.replace(colon + 1, at - colon - 1, "***");
}

std::string default_text(config_key const& key, config const& defaults) {
  if (key.section == "store" && key.name == "path") return "the data directory";
  return '`' + toml_text(key, defaults) + '`';
}

std::string meaning(config_key const& key) {
  std::string out{key.help};
  if (!key.choices.empty()) out += "; " + expectation(key);
  if (key.live) out += " (taken over on reload)";
  std::string escaped;
  for (char const ch : out) escaped += ch == '|' ? "\\|" : std::string{ch};
  return escaped;
}

constexpr std::string_view introduction = R"(# Configuration

Everything has a default that suits one person on localhost; a file is needed only to change something. This page is
printed by `cistern config reference` from the table that the program reads its settings with, and a test keeps the two equal.

Settings are looked for in this order, the later one wins:

1. the defaults below;
2. one TOML file: the one given with `--config FILE`, else `$XDG_CONFIG_HOME/cistern/cistern.toml`
   (`~/.config/cistern/cistern.toml`), else `/etc/cistern/cistern.toml`;
3. the environment: `CISTERN_SECTION_KEY`, for example `CISTERN_STORE_QUOTA="2 GiB"`; lists are separated by commas;
4. the command line: `--set store.quota="2 GiB"`, and the short forms `--listen` and `--data` of `cistern serve`.

The data directory is `$STATE_DIRECTORY` when systemd gives one, else `$XDG_DATA_HOME/cistern`
(`~/.local/share/cistern`), else `/var/lib/cistern`.

Durations are `"250ms"`, `"2s"`, `"15m"`, `"6h"`, `"7d"` or several in a row (`"1h 30m"`). Sizes are `"500MB"` (powers of 1000),
`"2 GiB"` (powers of 1024) or a plain number of bytes. A path that does not begin with `/` or `~/` is meant from the folder of
the file it stands in.

A misspelt key, a wrong type or a value out of range is an error that names the file and the line:

```
$ cistern config check
cistern: /home/ada/.config/cistern/cistern.toml:12: unknown key "store.qouta"; did you mean "quota"?
```

`cistern config check` lists every such problem, `cistern config dump` shows every value in force. After a change,
`kill -HUP` (or `systemctl reload cistern`) makes a running daemon read its configuration again; it takes over what is
marked so below and says in its log what needs a restart.
)";

}  // namespace

std::string dump_config(config const& settings) {
  std::string out;
  std::string_view section;
  for (auto const& key : config_keys()) {
    if (key.section != section) {
      out += (section.empty() ? "[" : "\n[") + std::string{key.section} + "]\n";
      section = key.section;
    }
    out += std::string{key.name} + " = " + masked(toml_text(key, settings)) + '\n';
  }
  return out;
}

std::string config_reference() {
  std::string out{introduction};
  std::string_view section;
  config const defaults;
  for (auto const& key : config_keys()) {
    if (key.section != section) {
      out += "\n## [" + std::string{key.section} + "]\n\n| key | type | default | meaning |\n|---|---|---|---|\n";
      section = key.section;
    }
    out += "| `" + std::string{key.name} + "` | " + std::string{kind_name(key)} + " | " + default_text(key, defaults) +
           " | " + meaning(key) + " |\n";
  }
  return out;
}

std::vector<proxy::known_setting> list_settings(config const& settings) {
  std::vector<proxy::known_setting> out;
  config const defaults;
  for (auto const& key : config_keys()) {
    auto const value = toml_text(key, settings);
    bool const changed = value != toml_text(key, defaults);
    bool const secret = key.name == "password" && changed;
    out.push_back({full_name(key), secret ? "\"***\"" : masked(value), std::string{key.help}, changed});
  }
  return out;
}

changed_keys compare(config const& before, config const& after) {
  changed_keys changed;
  for (auto const& key : config_keys())
    if (toml_text(key, before) != toml_text(key, after))
      (key.live ? changed.live : changed.restart).push_back(full_name(key));
  return changed;
}

}  // namespace cistern::tools
