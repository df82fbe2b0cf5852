#include "tools/cistern/command.hpp"
#include "tools/cistern/config_load.hpp"
#include "tools/cistern/daemon_call.hpp"

#include <iostream>
#include <memory>
#include <stdexcept>

namespace cistern::tools {
namespace {

void tell_link(config_sources const& sources, std::string const& mode) {
  auto const loaded = load_config(sources, process_environment());
  auto const& address = loaded.settings.server.listen;
  auto const answer = call_daemon(address, "POST", "/api/v1/link", mode);
  if (!answer)
    throw std::runtime_error{"no cistern answers at " + address +
                             "; start `cistern serve`, or set link.mode in cistern.toml"};
  if (answer->status != 200) throw std::runtime_error{"the daemon would not: " + answer->body};
  std::cout << "The link is " << (mode == "auto" ? "watched again" : "taken to be " + mode) << ".\n";
}

}  // namespace

void add_link_commands(CLI::App& program) {
  struct row {
    char const* mode;
    char const* help;
  };
  for (auto const& [mode, help] :
       {row{"online", "take the link to be up, whatever happens"},
        row{"offline", "serve what is stored and ask nobody"}, row{"auto", "watch the link again"}}) {
    auto* const command = program.add_subcommand(mode, help);
    auto const sources = std::make_shared<config_sources>();
    add_config_options(*command, *sources);
    command->callback([sources, name = std::string{mode}] { tell_link(*sources, name); });
  }
}

}  // namespace cistern::tools
