#pragma once

/// The one door to LMDB. Only store/*.cpp includes this file.
///
/// Inside the room an LMDB failure always ends the transaction it happened in, so it travels as an exception to the one
/// place that aborts (the writer's loop, or a read function of the repository), which turns it into a result. It never
/// leaves the room.

#include <lmdb.h>

#include <boost/system/error_code.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cistern::store::lmdb {

struct error : std::runtime_error {
  explicit error(int lmdb_code) : std::runtime_error{mdb_strerror(lmdb_code)}, code{lmdb_code} {}
  int code;
};

/// What a failure means to a caller of the repository.
[[nodiscard]] boost::system::error_code to_error_code(int lmdb_code);

inline void expect(int code) {
  if (code != MDB_SUCCESS) throw error{code};
}

inline MDB_val value_of(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }
inline std::string_view view_of(MDB_val const& value) {
  return {static_cast<char const*>(value.mv_data), value.mv_size};
}

/// What a read or a write transaction can both do. Views it gives out live until the transaction ends, or, in a write
/// transaction, until the next write.
class transaction {
public:
  explicit transaction(MDB_txn* txn) : txn_{txn} {}
  [[nodiscard]] std::optional<std::string_view> get(MDB_dbi table, std::string_view key) const;
  [[nodiscard]] MDB_stat stat(MDB_dbi table) const;
  [[nodiscard]] MDB_txn* handle() const { return txn_; }

protected:
  MDB_txn* txn_;
};

/// A write transaction: aborted unless committed. Lives on the writer's thread.
class write_transaction : public transaction {
public:
  explicit write_transaction(MDB_env* env);
  ~write_transaction();
  write_transaction(write_transaction const&) = delete;
  write_transaction& operator=(write_transaction const&) = delete;

  void put(MDB_dbi table, std::string_view key, std::string_view value, unsigned flags = 0);
  /// For keys that grow: finds its place without a search and leaves full pages behind.
  void put_last(MDB_dbi table, std::string_view key, std::string_view value);
  /// Puts it unless the key is there; then what was there.
  [[nodiscard]] std::optional<std::string_view> put_new(MDB_dbi table, std::string_view key, std::string_view value);
  /// Room for a value to be filled in before the next call: saves a copy of the chunk.
  [[nodiscard]] char* reserve(MDB_dbi table, std::string_view key, std::size_t size);
  [[nodiscard]] char* reserve_last(MDB_dbi table, std::string_view key, std::size_t size);
  /// Whether it was there.
  bool erase(MDB_dbi table, std::string_view key);
  void commit();
};

/// A read transaction with the cursors that were used in it.
struct reader {
  MDB_txn* txn = nullptr;
  std::uint64_t moment = 0;  // of its pool, when its snapshot was taken
  std::vector<std::pair<MDB_dbi, MDB_cursor*>> cursors{};
};

/// Who commits to the environment that a pool reads.
enum class commits { announced, unseen };

/// Read transactions kept between uses. Each thread finds its own again without a lock, unless many threads have the
/// same place.
///
/// Where every commit is announced to the pool, a transaction stays open between two uses as long as nothing was
/// committed: its snapshot is then what a new one would be, it pins no page that the next commit could use, and looking
/// a table up anew, which costs a good part of a get, is saved. A commit ends those that are idle before it begins;
/// one that is in use then ends with its use. So no thread, however long it sleeps, keeps freed pages from being
/// used again. Where commits are not seen (another process writes) each use has a snapshot of its own.
class reader_pool {
public:
  reader_pool(MDB_env* env, commits by)
      : env_{env}, moment_{by == commits::announced ? first_still : always_changing} {}
  ~reader_pool();
  std::unique_ptr<reader> take();
  /// `fit` for another use as it is: nothing went wrong in it.
  void give_back(std::unique_ptr<reader> used, bool fit);

  /// Lives around a commit. On the writer's thread.
  class change {
  public:
    explicit change(reader_pool& pool) : pool_{pool} { pool_.begin_change(); }
    ~change() { pool_.moment_.fetch_add(1); }
    change(change const&) = delete;
    change& operator=(change const&) = delete;

  private:
    reader_pool& pool_;
  };

private:
  struct alignas(64) place {
    std::atomic<reader*> idle{nullptr};
  };
  // Odd while what is stored may be changing: a snapshot taken at an even moment is the newest until the next one.
  static constexpr std::uint64_t first_still = 2;
  static constexpr std::uint64_t always_changing = 1;
  [[nodiscard]] static bool still(std::uint64_t moment) { return moment % 2 == 0; }

  [[nodiscard]] place& place_of_thread();
  [[nodiscard]] std::unique_ptr<reader> idle();
  void begin_change();
  static void end_snapshot(reader& open);
  void keep(place& here, std::unique_ptr<reader> one);
  void end_idle(place& here);

  MDB_env* env_;
  std::atomic<std::uint64_t> moment_;
  std::array<place, 16> places_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<reader>> idle_;  // their snapshots have ended
};

/// A snapshot for the length of one function.
class read_transaction : public transaction {
public:
  explicit read_transaction(reader_pool& pool) : transaction{nullptr}, pool_{pool}, reader_{pool.take()} {
    txn_ = reader_->txn;
  }
  /// After an error LMDB refuses to go on with a transaction.
  ~read_transaction() { pool_.give_back(std::move(reader_), std::uncaught_exceptions() == 0); }
  read_transaction(read_transaction const&) = delete;
  read_transaction& operator=(read_transaction const&) = delete;

  /// A cursor that was used on this table before, or a new one; only one at a time on each table.
  [[nodiscard]] MDB_cursor* cursor_on(MDB_dbi table) const;

private:
  reader_pool& pool_;
  std::unique_ptr<reader> reader_;
};

/// A walk over a table in key order.
class cursor {
public:
  using entry = std::pair<std::string_view, std::string_view>;

  cursor(transaction const& txn, MDB_dbi table);
  /// Borrowed from the transaction: for the hot path.
  cursor(read_transaction const& txn, MDB_dbi table) : cursor_{txn.cursor_on(table)}, owned_{false} {}
  ~cursor() {
    if (owned_) mdb_cursor_close(cursor_);
  }
  cursor(cursor const&) = delete;
  cursor& operator=(cursor const&) = delete;

  std::optional<entry> first() { return move({}, MDB_FIRST); }
  std::optional<entry> last() { return move({}, MDB_LAST); }
  /// LMDB knows no empty key; here it stands before all others.
  std::optional<entry> at_or_after(std::string_view key) { return key.empty() ? first() : move(key, MDB_SET_RANGE); }
  std::optional<entry> next() { return move({}, MDB_NEXT); }
  std::optional<entry> previous() { return move({}, MDB_PREV); }
  /// Removes the entry it stands on; `next` then gives the one behind it.
  void erase();

private:
  std::optional<entry> move(std::string_view key, MDB_cursor_op op);
  MDB_cursor* cursor_ = nullptr;
  bool owned_ = true;
};

struct close_env {
  void operator()(MDB_env* env) const noexcept { mdb_env_close(env); }
};
using environment = std::unique_ptr<MDB_env, close_env>;

}  // namespace cistern::store::lmdb
