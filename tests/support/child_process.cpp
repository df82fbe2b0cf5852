#include "tests/support/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace cistern::tests {
namespace {

using std::chrono::steady_clock;

struct pipe_ends {
  int read = -1, write = -1;
  pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error{"pipe failed"};
    read = ends[0];
    write = ends[1];
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

int milliseconds_until(steady_clock::time_point until) {
  auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now()).count();
  return left < 0 ? 0 : static_cast<int>(left) + 1;
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

/// False when the stream has ended; it is closed then.
bool take(int& descriptor, std::string& into) {
  char buffer[4096];
  auto const count = ::read(descriptor, buffer, sizeof buffer);
  if (count > 0) {
    into.append(buffer, static_cast<std::size_t>(count));
    return true;
  }
  if (count < 0 && errno == EINTR) return true;
  close_if_open(descriptor);
  return false;
}

/// The line around what was found; moves the mark behind it.
bool find_line(std::string const& text, std::string_view wanted, std::size_t& mark, std::string& line) {
  auto const at = text.find(wanted, mark);
  if (at == text.npos) return false;
  auto const end = text.find('\n', at);
  if (end == text.npos) return false;  // not all of the line is there yet
  auto const before = text.rfind('\n', at);
  auto const start = before == text.npos ? 0 : before + 1;
  line = text.substr(start, end - start);
  mark = end;
  return true;
}

}  // namespace

child_process::child_process(std::vector<std::string> arguments, std::map<std::string, std::string> env) {
  env.emplace("PATH", "/usr/bin:/bin");
  env.emplace("HOME", "/nonexistent");
  // A sanitizer's report is no use when the child cannot find its options.
  for (auto const* name : {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"})
    if (auto const* value = ::getenv(name)) env.emplace(name, value);
  std::vector<std::string> variables;
  for (auto const& [name, value] : env) variables.push_back(name + '=' + value);

  pipe_ends out, err;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.write, 1);
  ::posix_spawn_file_actions_adddup2(&actions, err.write, 2);
  auto argv = pointers(arguments);
  auto envp = pointers(variables);
  auto const failure = ::posix_spawn(&pid_, arguments.at(0).c_str(), &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(out.write);
  ::close(err.write);
  out_ = out.read;
  err_ = err.read;
  if (failure != 0) {
    pid_ = -1;
    close_if_open(out_);
    close_if_open(err_);
    throw std::runtime_error{arguments[0] + ": " + std::strerror(failure)};
  }
}

child_process::~child_process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  close_if_open(out_);
  close_if_open(err_);
}

void child_process::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

/// False when both streams have ended or the time is up.
bool child_process::read_some(steady_clock::time_point until) {
  if (out_ < 0 && err_ < 0) return false;
  pollfd streams[] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};  // poll passes over negative ones
  auto const ready = ::poll(streams, 2, milliseconds_until(until));
  if (ready == 0) return false;
  if (streams[0].revents) take(out_, seen_.out);
  if (streams[1].revents) take(err_, seen_.err);
  return true;
}

std::string child_process::wait_for(std::string_view text, std::chrono::milliseconds limit) {
  auto const until = steady_clock::now() + limit;
  std::string line;
  for (;;) {
    if (find_line(seen_.out, text, out_mark_, line) || find_line(seen_.err, text, err_mark_, line)) return line;
    if (!read_some(until))
      throw std::runtime_error{"\"" + std::string{text} + "\" did not appear; there was\n" + seen_.out + seen_.err};
  }
}

/// Only after both streams ended, so the wait is a matter of moments; a child that closed them and lives on is polled.
bool child_process::reaped(steady_clock::time_point until) {
  int status = 0;
  for (;;) {
    auto const got = ::waitpid(pid_, &status, WNOHANG);
    if (got == pid_) break;
    if (got < 0 || steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  pid_ = -1;
  seen_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}

finished child_process::wait(std::chrono::milliseconds limit) {
  auto const until = steady_clock::now() + limit;
  while (read_some(until)) {
  }
  if (!reaped(until)) throw std::runtime_error{"still running after the limit; it said\n" + seen_.out + seen_.err};
  return seen_;
}

finished run(std::vector<std::string> arguments, std::map<std::string, std::string> env) {
  child_process child{std::move(arguments), std::move(env)};
  return child.wait();
}

}  // namespace cistern::tests
