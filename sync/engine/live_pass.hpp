#pragma once

#include "sync/engine/engine.hpp"

#include <map>
#include <optional>
#include <set>

namespace cistern::sync {

/// A pass under way. Only the engine's own files include this; all of it is on the engine's thread.
struct engine::live_pass {
  pass_record record{};
  bool asked = false;
  std::string full{};   // why nothing more can be stored; then nothing more is asked for
  bool proven = false;  // somebody answered as only the right one could: no portal is in between
  std::size_t workers = 0;
  struct in_flight {
    active_fetch shown{};
    std::shared_ptr<traffic> wire{};
  };
  std::map<std::pair<bool, std::uint64_t>, in_flight> active{};
  std::map<std::uint64_t, std::uint32_t> fruitless{};               // tries of a job that brought nothing, in this pass
  std::map<std::uint64_t, std::uint32_t> broken{};                  // visits of a feed that broke off, in this pass
  std::set<std::pair<bool, std::uint64_t>> again{};                 // feeds and jobs to be tried again in this pass
  std::optional<std::chrono::steady_clock::time_point> next_try{};  // of what waits for a host at the end
};

}  // namespace cistern::sync
