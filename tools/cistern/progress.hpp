#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace cistern::tools {

/// How far long work is: a bar on a terminal, elsewhere a plain line on standard output at every tenth of the way.
class progress {
public:
  /// Looks at standard error now, because a guarded child's is replaced later.
  explicit progress(std::string what);
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  void tell(std::uint64_t done, std::uint64_t of);
  /// Removes the bar.
  void finish();

private:
  std::string what_;
  int terminal_ = -1;
  std::uint64_t shown_ = 0;
};

}  // namespace cistern::tools
