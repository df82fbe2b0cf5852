#pragma once

/// Running programs from a test, with a bound on everything: a child that hangs is killed and the test fails.

#include <sys/types.h>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::tests {

struct finished {
  int exit_code = -1;  // 128 + the signal's number when one ended it
  std::string out;
  std::string err;
};

/// A running program. Its standard output and error are collected; its destructor kills what is still there.
class child_process {
public:
  /// `env` is added to a small environment of its own: nothing of the person who runs the tests leaks in.
  explicit child_process(std::vector<std::string> arguments, std::map<std::string, std::string> env = {});
  ~child_process();
  child_process(child_process const&) = delete;
  child_process& operator=(child_process const&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;

  /// Reads until `text` has appeared on either stream since the last call, and returns the line it is in;
  /// throws with what was printed instead when it does not come in time.
  std::string wait_for(std::string_view text, std::chrono::milliseconds limit = std::chrono::seconds{20});
  /// Waits for the end; throws when it does not come in time.
  finished wait(std::chrono::milliseconds limit = std::chrono::seconds{20});

private:
  bool read_some(std::chrono::steady_clock::time_point until);
  bool reaped(std::chrono::steady_clock::time_point until);

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  finished seen_;
  std::size_t out_mark_ = 0;  // where `wait_for` goes on
  std::size_t err_mark_ = 0;
};

/// Runs to the end.
finished run(std::vector<std::string> arguments, std::map<std::string, std::string> env = {});

}  // namespace cistern::tests
