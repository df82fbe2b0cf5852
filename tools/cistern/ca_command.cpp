#include "proxy/authority.hpp"
#include "store/repository.hpp"
#include "tools/cistern/command.hpp"
#include "tools/cistern/repository_settings.hpp"
#include "tools/cistern/serve_settings.hpp"

#include <iostream>
#include <memory>
#include <stdexcept>

namespace cistern::tools {
namespace {

void init(config_sources const& sources) {
  auto const settings = load_config(sources, process_environment()).settings;
  auto const folder = authority_folder(settings);
  proxy::authority::create(folder, settings.intercept.hosts);
  proxy::authority const made{folder};
  std::cout << "A certificate authority is in " << folder.string() << ".\nFingerprint (SHA-256): " << made.fingerprint()
            << "\nInstall its certificate from http://localhost:8910/ca, or with `cistern ca show > cistern.pem`;"
            << "\nrestart `cistern serve` to use it. It is good for the sites you carry and no others.\n";
}

void show(config_sources const& sources) {
  auto const folder = authority_folder(load_config(sources, process_environment()).settings);
  if (!proxy::authority::exists(folder))
    throw std::runtime_error{"there is no certificate authority; `cistern ca init` makes one"};
  proxy::authority const known{folder};
  std::cout << known.root_pem();
  std::cerr << "Fingerprint (SHA-256): " << known.fingerprint() << "\nFor:";
  for (auto const& host : known.hosts()) std::cerr << ' ' << host;
  std::cerr << (known.has_root_key() ? "\n" : "\nThe root's key is not here: new sites cannot be added.\n");
}

void remove(config_sources const& sources) {
  auto const folder = authority_folder(load_config(sources, process_environment()).settings);
  if (!proxy::authority::remove(folder)) throw std::runtime_error{"there is no certificate authority to remove"};
  std::cout << "The keys are gone. Remove the certificate \"Cistern on this machine\" from browsers and systems too; "
               "http://localhost:8910/ca says how. Restart `cistern serve`.\n";
}

}  // namespace

void add_ca_command(CLI::App& program) {
  auto* const ca = program.add_subcommand("ca", "the local certificate authority, for https through the proxy");
  ca->require_subcommand(1);
  struct row {
    char const* name;
    char const* help;
    void (*run)(config_sources const&);
  };
  for (auto const& [name, help, run] :
       {row{"init", "make it", init}, row{"show", "print its certificate, to be installed in browsers", show},
        row{"remove", "delete it with its keys", remove}}) {
    auto* const command = ca->add_subcommand(name, help);
    auto const sources = std::make_shared<config_sources>();
    add_config_options(*command, *sources);
    command
        ->add_option_function<std::string>(
            "--data", [sources](std::string const& value) { sources->settings.emplace_back("store.path", value); },
            "folder of the repository")
        ->type_name("DIR");
    command->callback([sources, run] { run(*sources); });
  }
}

}  // namespace cistern::tools
