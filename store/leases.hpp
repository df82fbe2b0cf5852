#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace cistern::store {

/// Which bodies are being read right now. A slow reader holds a lease instead of a read transaction: a transaction
/// would keep every page freed since from being reused, a lease keeps one body. Any thread may call any of it.
class body_leases {
public:
  /// False when the writer is removing the body in the transaction that is open: look the object up again.
  [[nodiscard]] bool take(std::uint64_t body);
  /// True when that was the last one of a body that the writer wanted to remove meanwhile.
  bool give_back(std::uint64_t body);

  /// For the writer: claims a body for removal, unless it is leased. Until `settle`, no lease is given for it.
  [[nodiscard]] bool claim(std::uint64_t body);
  /// The writer's transaction ended, one way or the other.
  void settle();

private:
  struct lease {
    std::uint32_t readers = 0;
    bool unwanted = false;
  };
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, lease> held_;
  std::unordered_set<std::uint64_t> dying_;
};

}  // namespace cistern::store
