#pragma once

/// The one thread that writes. Only store/*.cpp includes this file.

#include "store/write_operation.hpp"
#include "store/write_state.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cistern::store {

struct writer_limits {
  std::uint64_t quota = 0;
  std::uint64_t map_size = 0;
  bool search_marks = true;
};

/// Takes whatever is waiting, runs it in one transaction, syncs once, and only then tells each caller: many callers,
/// one fsync. While one transaction is being synced, the next batch gathers by itself; and those who were just told get
/// a moment to come back with their next, because a sync costs the same for one as for all. Who comes is worked on at
/// once, while the others are still on their way.
///
/// When the quota is reached it evicts first, in a transaction of its own, so that the pages are free for the next.
/// When LMDB or the disk is full all the same, the batch is aborted, room is made from the reserve, and it is tried
/// once more; whoever still does not fit is told so, everybody else goes on.
class writer {
public:
  /// Its commits are announced to `readers`.
  writer(MDB_env* env, lmdb::reader_pool& readers, table_handles const& tables, body_leases& leases,
         std::atomic<bool>& quarantined, writer_limits limits);
  /// Finishes what is waiting.
  ~writer();
  writer(writer const&) = delete;
  writer& operator=(writer const&) = delete;

  void submit(std::unique_ptr<write_operation> operation);
  /// An object was read. Counted when it costs nothing; the next quiet moment writes it down.
  void used(object_ref const& ref);
  /// A doomed body lost its last reader.
  void reap_soon();
  /// Called on the writer's thread about once a second, busy or not.
  void every_second(std::function<void()> chore);

  void when_marked(std::function<void()> ring);

  [[nodiscard]] boost::system::error_code last_failure() const;
  [[nodiscard]] std::uint64_t commits() const { return commits_.load(std::memory_order_relaxed); }

private:
  using batch = std::vector<std::unique_ptr<write_operation>>;

  /// How long, and with how many bytes, others may join a transaction that is open; nobody may, unless it is said.
  struct gathering {
    std::chrono::steady_clock::time_point until{};
    std::uint64_t bytes = 0;
  };

  void loop();
  batch take_batch();
  [[nodiscard]] std::uint64_t most_at_once() const;
  void take_waiting(batch& into, std::uint64_t& bytes);
  bool join(batch& operations, gathering& late);
  void note_commit(std::size_t operations, std::chrono::steady_clock::duration took);
  /// How many there were in the end.
  std::size_t execute(batch operations);
  /// Runs and commits all, and who joins meanwhile; the ones that failed on their own are completed and taken out.
  boost::system::error_code try_commit(batch& operations, gathering late);
  boost::system::error_code transact(std::function<void()> const& work);
  void commit(lmdb::write_transaction& txn);
  /// Bytes that fit into quota and map; below zero when there are too many already.
  [[nodiscard]] std::int64_t room() const;
  /// Evicts what it must and may so that `cost` more fit; returns the room that there is then.
  std::int64_t make_room(std::int64_t cost);
  void refuse_large(batch& operations);
  boost::system::error_code relieve(std::uint64_t cost);
  void chores();
  void note_outcome(boost::system::error_code why);

  MDB_env* env_;
  lmdb::reader_pool& readers_;
  writer_limits limits_;
  write_state state_;
  std::function<void()> chore_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::unique_ptr<write_operation>> waiting_;
  bool stopping_ = false;
  bool reap_ = false;
  std::size_t enough_ = 1;    // waiting operations that are worth waking up for
  std::size_t expected_ = 1;  // callers that may be back soon: those of the last batch, and who came during it
  std::chrono::steady_clock::duration patience_{};

  std::mutex uses_mutex_;
  std::vector<object_ref> uses_;
  std::chrono::steady_clock::time_point uses_written_;
  std::chrono::steady_clock::time_point chores_done_;

  std::mutex ring_mutex_;
  std::function<void()> ring_;

  mutable std::mutex failure_mutex_;
  boost::system::error_code failure_;
  std::atomic<std::uint64_t> commits_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace cistern::store
