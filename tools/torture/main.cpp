#include "tools/torture/torture.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  CLI::App program{
      "Kills a writing process with SIGKILL again and again and looks whether anything acknowledged was lost."};
  cistern::tools::torture_options options;
  options.path = std::filesystem::temp_directory_path() / "cistern-torture";
  program.add_option("--path", options.path, "folder for the store")->capture_default_str();
  program.add_option("--cycles", options.cycles, "how often to kill")->capture_default_str();
  program.add_option("--seed", options.seed, "the same seed kills at the same moments")->capture_default_str();
  program.add_option("--longest", options.longest_ms, "longest life of a child in milliseconds")->capture_default_str();
  CLI11_PARSE(program, argc, argv);

  auto const outcome = cistern::tools::torture(options, [](auto const& so_far) {
    std::printf("cycle %d: %llu writes acknowledged%s%s\n", so_far.cycles + 1,
                static_cast<unsigned long long>(so_far.acknowledged), so_far.failure.empty() ? ", nothing lost" : ", ",
                so_far.failure.c_str());
  });
  if (!outcome.failure.empty())
    std::fprintf(stderr, "store-torture: %s (seed %llu)\n", outcome.failure.c_str(),
                 static_cast<unsigned long long>(options.seed));
  return outcome.failure.empty() ? 0 : 1;
}
