#include "tools/cistern/command.hpp"
#include "tools/cistern/feed_command.hpp"
#include "tools/cistern/stitch_command.hpp"
#include "tools/cistern/opml_command.hpp"

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  using namespace cistern::tools;
  CLI::App program{"Cistern: an offline browsing proxy. It fills while the link is up and serves while it is down."};
  program.name("cistern");
  program.set_version_flag("--version", "cistern " CISTERN_VERSION);
  program.require_subcommand(0, 1);

  int exit_code = done;
  add_feed(program, exit_code);
  add_stitch(program, exit_code);
  add_opml(program, exit_code);

  try {
    program.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    return program.exit(e) == 0 ? done : wrong_usage;
  } catch (std::exception const& e) {
    std::cerr << "cistern: " << e.what() << '\n';
    return failed;
  }
  return exit_code;
}
