#pragma once

/// How a sub-command joins the program: one file a command, each with one `add_…` function that declares its options
/// and leaves the exit code of its work in `exit_code`. Nothing runs before the whole command line has been read.
/// A failure is an exception whose text is one sentence that says what to do; `main` prints it and exits with 1.

#include "tools/cistern/config_load.hpp"

#include <CLI/CLI.hpp>

namespace cistern::tools {

/// What scripts are promised (see docs/commands.md).
enum exit_code : int { done = 0, failed = 1, wrong_usage = 2, declined = 3 };

/// `--config FILE` and `--set KEY=VALUE`, for every command that reads the configuration. `sources` must outlive the
/// parse.
void add_config_options(CLI::App& command, config_sources& sources);

void add_config_command(CLI::App& program, int& exit_code);
void add_serve_command(CLI::App& program);
void add_link_commands(CLI::App& program);
void add_get_command(CLI::App& program, int& exit_code);
void add_check_command(CLI::App& program, int& exit_code);
void add_compact_command(CLI::App& program, int& exit_code);
void add_password_command(CLI::App& program);
void add_simulate_command(CLI::App& program);
void add_subscription_commands(CLI::App& program, int& exit_code);
void add_sync_commands(CLI::App& program, int& exit_code);
void add_search_command(CLI::App& program, int& exit_code);
void add_ca_command(CLI::App& program);

}  // namespace cistern::tools
