#include "tools/cistern/command.hpp"
#include "tools/cistern/config_text.hpp"

#include <iostream>
#include <memory>

namespace cistern::tools {
namespace {

int check(config_sources const& sources) {
  try {
    auto const loaded = load_config(sources, process_environment());
    std::cout << (loaded.file.empty() ? "no configuration file; the defaults are" : loaded.file.string() + " is")
              << " in order\n";
    return done;
  } catch (config_error const& error) {
    for (auto const& problem : error.problems()) std::cerr << "cistern: " << problem << '\n';
    return failed;
  }
}

}  // namespace

void add_config_options(CLI::App& command, config_sources& sources) {
  command.add_option("--config", sources.file, "configuration file")->type_name("FILE");
  auto const take = [&sources](std::vector<std::string> const& pairs) {
    for (auto const& pair : pairs) {
      auto const equals = pair.find('=');
      if (equals == pair.npos) throw CLI::ValidationError{"--set", "wants KEY=VALUE, as in store.quota=2GiB"};
      sources.settings.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
  };
  command.add_option_function<std::vector<std::string>>("--set", take, "one setting, as in --set store.quota=2GiB")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_config_command(CLI::App& program, int& exit_code) {
  auto* const group = program.add_subcommand("config", "look at the configuration");
  group->require_subcommand(1);
  // Shared with the callbacks, which run when the whole command line has been read.
  auto const sources = std::make_shared<config_sources>();

  auto* const checked = group->add_subcommand("check", "find every mistake in it");
  add_config_options(*checked, *sources);
  checked->callback([sources, &exit_code] { exit_code = check(*sources); });

  auto* const dumped = group->add_subcommand("dump", "print every value in force, passwords masked");
  add_config_options(*dumped, *sources);
  dumped->callback([sources] { std::cout << dump_config(load_config(*sources, process_environment()).settings); });

  group->add_subcommand("reference", "print docs/configuration.md")->callback([] { std::cout << config_reference(); });
}

}  // namespace cistern::tools
