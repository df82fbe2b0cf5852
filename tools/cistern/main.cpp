#include "tools/cistern/command.hpp"
#include "tools/cistern/demo_command.hpp"
#include "tools/cistern/feed_command.hpp"
#include "tools/cistern/fetch_command.hpp"
#include "tools/cistern/nearest.hpp"
#include "tools/cistern/opml_command.hpp"
#include "tools/cistern/stitch_command.hpp"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

/// Errors are one line: what the C++ library or CLI11 breaks into several is joined.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& ch : text)
    if (ch == '\n' || ch == '\r') ch = ' ';
  return text;
}

/// "unknown command …" when the first thing that was not understood could have been one.
std::string unknown_command(CLI::App const& program) {
  auto const* deepest = &program;
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  auto const left = deepest->remaining();
  std::vector<std::string> known;
  for (auto const* command : deepest->get_subcommands([](CLI::App const*) { return true; }))
    known.push_back(command->get_name());
  if (known.empty() || left.empty() || left.front().starts_with('-')) return {};
  auto const near = cistern::tools::nearest(left.front(), known);
  return "unknown command \"" + left.front() + '"' + (near.empty() ? "" : "; did you mean \"" + near + "\"?");
}

/// --help and --version are parse "errors" too; they print to standard output and are no failure.
int report(CLI::App const& program, CLI::ParseError const& error) {
  using namespace cistern::tools;
  if (error.get_exit_code() == 0) return program.exit(error);
  auto const unknown = unknown_command(program);
  std::cerr << "cistern: " << one_line(unknown.empty() ? error.what() : unknown) << " (see cistern --help)\n";
  return wrong_usage;
}

/// Declares the commands in the order in which --help lists them, up to the one that was named: to declare them all
/// takes longer than some of them run. Whoever names none, or none that there is, gets all of them.
void add_commands(CLI::App& program, std::string const& named, int& exit_code) {
  using namespace cistern::tools;
  using declaration = void (*)(CLI::App&, int&);
  constexpr declaration all[]{
      [](CLI::App& app, int&) { add_serve_command(app); },
      add_feed,
      add_stitch,
      add_opml,
      add_subscription_commands,
      add_sync_commands,
      add_fetch_command,
      add_get_command,
      add_search_command,
      [](CLI::App& app, int&) { add_link_commands(app); },
      add_check_command,
      add_compact_command,
      add_config_command,
      [](CLI::App& app, int&) { add_ca_command(app); },
      [](CLI::App& app, int&) { add_password_command(app); },
      [](CLI::App& app, int&) { add_simulate_command(app); },
      [](CLI::App& app, int&) { add_demo_command(app); },
  };
  for (auto const declare : all) {
    declare(program, exit_code);
    if (!program.get_subcommands([&](CLI::App const* known) { return known->get_name() == named; }).empty()) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cistern::tools;
  CLI::App program{"Cistern: an offline browsing proxy. It fills while the link is up and serves while it is down."};
  program.name("cistern");
  program.set_version_flag("--version", "cistern " CISTERN_VERSION);
  program.require_subcommand(0, 1);

  int exit_code = done;
  add_commands(program, argc > 1 ? argv[1] : "", exit_code);

  try {
    program.parse(argc, argv);
    if (program.get_subcommands().empty()) {
      std::cerr << program.help();
      return wrong_usage;
    }
  } catch (CLI::ParseError const& e) {
    return report(program, e);
  } catch (std::exception const& e) {
    std::cerr << "cistern: " << one_line(e.what()) << '\n';
    return failed;
  }
  return exit_code;
}
