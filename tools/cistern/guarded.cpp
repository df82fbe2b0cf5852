#include "tools/cistern/guarded.hpp"

#include "tools/cistern/command.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <system_error>

namespace cistern::tools {
namespace {

constexpr std::size_t most_errors = 64u << 10;

[[noreturn]] void be_the_child(std::function<int()> const& work, int errors) {
  for (int const number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) std::signal(number, SIG_DFL);
  ::dup2(errors, STDERR_FILENO);
  ::close(errors);
  int code = failed;
  try {
    code = work();
    std::cout.flush();
  } catch (std::exception const& e) {
    std::cerr << "cistern: " << e.what() << '\n';
  }
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace

guarded_end run_guarded(std::function<int()> const& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error{errno, std::generic_category(), "pipe"};
  std::cout.flush();
  auto const child = ::fork();
  if (child < 0) throw std::system_error{errno, std::generic_category(), "fork"};
  if (child == 0) {
    ::close(ends[0]);
    be_the_child(work, ends[1]);
  }
  ::close(ends[1]);
  guarded_end out;
  std::array<char, 4096> some;
  for (;;) {
    auto const got = ::read(ends[0], some.data(), some.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (out.errors.size() < most_errors) out.errors.append(some.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) {
    out.exit_code = WEXITSTATUS(status);
    return out;
  }
  out.signal = WTERMSIG(status);
  out.crashed = out.signal == SIGSEGV || out.signal == SIGBUS || out.signal == SIGABRT || out.signal == SIGILL ||
                out.signal == SIGFPE;
  if (out.crashed) out.errors.clear();  // an assertion of LMDB says nothing to a person
  return out;
}

int report_end(guarded_end const& end, std::string const& folder) {
  std::cerr << end.errors;
  if (end.signal == 0) return end.exit_code;
  if (end.signal == SIGPIPE) return failed;  // whoever read our output has had enough
  std::cerr << "cistern: "
            << (end.crashed ? "the repository in " + folder +
                                  " is damaged; restore it from a copy, or run `cistern check --repair`"
                            : "the work was ended by signal " + std::to_string(end.signal))
            << '\n';
  return failed;
}

}  // namespace cistern::tools
