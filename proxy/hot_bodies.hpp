#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "store/repository.hpp"

namespace cistern::proxy {

/// Bodies of middle length that are asked for again and again, in memory: sent without being read and checked each
/// time. They were checked on their way out of the repository, like everything that comes from there, and nothing that
/// happens to the file afterwards can change them. Which object answers a request is still looked up in the repository,
/// so a hot body is never older than that. Any thread.
class hot_bodies {
public:
  static constexpr std::uint64_t longest = 2 << 20;

  /// `limit` is in bytes of all bodies together, those included that are hot no longer and still being sent: clients
  /// that read slowly must not add up.
  explicit hot_bodies(std::size_t limit) : limit_{limit} {}

  /// The body when it is hot. Whoever asks for it often makes it so.
  [[nodiscard]] std::shared_ptr<std::string const> find(store::repository& kept, store::stored_object const& object);
  [[nodiscard]] std::size_t size() const { return *held_; }

private:
  struct hot {
    std::uint64_t body = 0;
    store::digest content{};
    std::shared_ptr<std::string const> bytes{};
    std::uint32_t uses = 0;
  };
  struct wanted {
    std::uint64_t body = 0;
    std::uint32_t times = 0;
  };

  // Under the lock:
  [[nodiscard]] std::shared_ptr<std::string const> look(store::stored_object const& object);
  [[nodiscard]] bool earns_place(store::stored_object const& object);
  [[nodiscard]] bool make_room(std::size_t size);

  std::size_t const limit_;
  std::shared_ptr<std::atomic<std::size_t>> held_ = std::make_shared<std::atomic<std::size_t>>(0);  // by the bodies too
  std::mutex mutex_;
  std::list<hot> entries_;  // the one used last first
  std::unordered_map<std::uint64_t, std::list<hot>::iterator> by_body_;
  std::array<wanted, 256> asked_for_{};  // lately, of what is not hot; two of one place push each other out
};

}  // namespace cistern::proxy
