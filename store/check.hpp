#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/repository.hpp"

namespace cistern::store {

struct check_report {
  std::uint64_t objects = 0;
  std::uint64_t bodies = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t found = 0;              // problems in all
  std::vector<std::string> problems{};  // the first of them, a line each
  std::uint64_t records = 0;            // subscriptions, items, jobs and the like
  std::uint64_t repaired = 0;           // objects and records that had to go
  bool needs_salvage = false;           // `repair` would throw away what `salvage` can still save
  [[nodiscard]] bool clean() const { return found == 0; }
};

/// Reads every record and every byte and compares all that must agree: checksums, sizes, digests, reference counts, the
/// indexes that can be derived. It sees one snapshot.
class integrity_check {
public:
  using progress = std::function<void(std::uint64_t done, std::uint64_t of)>;  // chunks

  explicit integrity_check(repository& subject) : subject_{subject} {}
  [[nodiscard]] result<check_report> run(progress const& tell = {});
  /// Removes what is damaged and builds anew what is derived, in one transaction. What is whole is not touched.
  /// errc::damaged when the report would need a salvage.
  [[nodiscard]] result<void> repair(check_report& report);

private:
  struct findings;
  void look(findings& out, progress const& tell);
  repository& subject_;
};

}  // namespace cistern::store
