#include "proxy/dashboard/password.hpp"
#include "tools/cistern/command.hpp"

#include <termios.h>
#include <unistd.h>
#include <iostream>
#include <stdexcept>

namespace cistern::tools {
namespace {

constexpr std::size_t shortest = 8;

/// What is typed is not shown; from a pipe there is nothing to hide.
std::string ask(std::string const& question) {
  termios before{};
  bool const terminal = ::isatty(STDIN_FILENO) != 0 && ::tcgetattr(STDIN_FILENO, &before) == 0;
  if (terminal) {
    std::cerr << question << std::flush;
    auto silent = before;
    silent.c_lflag &= static_cast<tcflag_t>(~ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  std::string line;
  std::getline(std::cin, line);
  if (terminal) {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    std::cerr << '\n';
  }
  return line;
}

void make_password() {
  auto const password = ask("Password for the dashboard: ");
  if (password.size() < shortest) throw std::runtime_error{"choose a password of at least 8 characters"};
  std::cout << "[dashboard]\npassword = \"" << proxy::hash_password(password) << "\"\n";
}

}  // namespace

void add_password_command(CLI::App& program) {
  auto* const command = program.add_subcommand(
      "password", "make the line for cistern.toml that lets other machines log in to the dashboard");
  command->callback(make_password);
}

}  // namespace cistern::tools
