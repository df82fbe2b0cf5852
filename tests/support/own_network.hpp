#pragma once

#include <sched.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

namespace cistern::tests {

/// Runs `work` on a thread in a network of its own, with nothing in it but loopback; threads and programs that it
/// starts are in it, too. False, and nothing is run, where that is not allowed. `work` may use Catch2's macros: nothing
/// else runs meanwhile.
template <class Work>
bool in_own_network(Work work) {
  bool allowed = false;
  std::exception_ptr failure;
  std::thread inside{[&] {
    allowed = ::unshare(CLONE_NEWNET) == 0 && std::system("ip link set lo up 2>/dev/null") == 0;
    try {
      if (allowed) work();
    } catch (...) {
      failure = std::current_exception();  // a REQUIRE that does not hold
    }
  }};
  inside.join();
  if (failure) std::rethrow_exception(failure);
  return allowed;
}

/// `ip` with these arguments.
inline bool ip(std::string const& arguments) { return std::system(("ip " + arguments + " 2>/dev/null").c_str()) == 0; }

}  // namespace cistern::tests
