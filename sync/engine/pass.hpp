#pragma once

/// What one pass did, as it goes into the journal and onto the screen.

#include "store/tables.hpp"
#include "sync/budget_rules.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace cistern::sync {

inline constexpr std::size_t class_count = 6;

struct class_tally {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t received = 0;  // on the wire
  std::uint64_t sent = 0;
  std::uint64_t saved = 0;  // left unread, or not fetched because it was known
  std::uint64_t requests = 0;
};

struct pass_failure {
  std::string url{};
  std::string reason{};
};

struct pass_record {
  std::uint64_t number = 0;
  std::chrono::sys_seconds began{};
  std::chrono::sys_seconds ended{};
  std::string why{};   // "asked for", "link up", "plan"
  std::string link{};  // "up", "metered" …
  std::array<class_tally, class_count> classes{};
  std::uint64_t feeds_unchanged = 0;
  std::uint64_t new_items = 0;
  std::uint64_t edited_items = 0;
  std::uint64_t lost_gaps = 0;
  std::uint64_t articles_completed = 0;
  std::uint64_t pages_stitched = 0;
  std::uint64_t still_wanted = 0;
  std::string ended_by{};  // "nothing left", "link down", "budget"
  std::vector<pass_failure> failures{};

  class_tally& of(store::job_class purpose) { return classes[static_cast<std::size_t>(purpose)]; }
  [[nodiscard]] class_tally const& of(store::job_class purpose) const {
    return classes[static_cast<std::size_t>(purpose)];
  }
  [[nodiscard]] std::uint64_t received() const;
  /// Only the first few are named: a dead link fails everything alike.
  void note_failure(std::string url, std::string reason);
};

/// As JSON, for the journal's `details`, and back.
[[nodiscard]] std::string to_json(pass_record const& pass);

}  // namespace cistern::sync
