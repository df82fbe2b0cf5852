#include "proxy/authority.hpp"
#include "store/repository.hpp"
#include "tools/cistern/carried_hosts.hpp"
#include "tools/cistern/command.hpp"
#include "tools/cistern/repository_settings.hpp"
#include "tools/cistern/serve_settings.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace cistern::tools {
namespace {

/// The sites that are carried already; a daemon may be running beside this.
std::vector<std::string> hosts_of(config const& settings) {
  auto out = settings.intercept.hosts;
  auto options = repository_options_from(settings.store);
  options.read_only = true;
  if (!std::filesystem::exists(options.path / "data.mdb")) return out;
  store::repository kept{options};
  auto const carried = carried_hosts(kept, std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  out.insert(out.end(), carried.begin(), carried.end());
  return out;
}

void init(config_sources const& sources, std::string const&) {
  auto const settings = load_config(sources, process_environment()).settings;
  auto const folder = authority_folder(settings);
  proxy::authority::create(folder, hosts_of(settings));
  proxy::authority const made{folder};
  std::cout << "A certificate authority is in " << folder.string() << ".\nFingerprint (SHA-256): " << made.fingerprint()
            << "\nInstall its certificate from http://localhost:8910/ca, or with `cistern ca show > cistern.pem`;"
            << "\nrestart `cistern serve` to use it. It is good for the sites you carry and no others.\n";
}

void show(config_sources const& sources, std::string const& format) {
  auto const folder = authority_folder(load_config(sources, process_environment()).settings);
  if (!proxy::authority::exists(folder))
    throw std::runtime_error{"there is no certificate authority; `cistern ca init` makes one"};
  proxy::authority const known{folder};
  std::cout << (format == "der" ? known.root_der() : format == "p12" ? known.root_p12() : known.root_pem());
  std::cerr << "Fingerprint (SHA-256): " << known.fingerprint() << "\nFor:";
  for (auto const& host : known.hosts()) std::cerr << ' ' << host;
  std::cerr << (known.has_root_key() ? "\n" : "\nThe root's key is not here: new sites cannot be added.\n");
}

void remove(config_sources const& sources, std::string const&) {
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
    void (*run)(config_sources const&, std::string const& format);
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
    auto const format = std::make_shared<std::string>("pem");
    if (run == show)
      command->add_option("--format", *format, "pem, der, or p12 (which holds no key)")
          ->check(CLI::IsMember{{"pem", "der", "p12"}})
          ->type_name("FORMAT");
    command->callback([sources, run, format] { run(*sources, *format); });
  }
}

}  // namespace cistern::tools
