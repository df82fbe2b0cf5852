#include "store/lmdb.hpp"

#include "store/errc.hpp"

#include <cerrno>

namespace cistern::store::lmdb {

boost::system::error_code to_error_code(int code) {
  switch (code) {
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
      return errc::store_full;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return errc::disk_full;
    case EACCES:
    case EROFS:
      return errc::read_only;
    default:
      return code > 0 ? boost::system::error_code{code, boost::system::system_category()}
                      : make_error_code(errc::damaged);
  }
}

std::optional<std::string_view> transaction::get(MDB_dbi table, std::string_view key) const {
  auto k = value_of(key);
  MDB_val v;
  int const code = mdb_get(txn_, table, &k, &v);
  if (code == MDB_NOTFOUND) return std::nullopt;
  expect(code);
  return view_of(v);
}

MDB_stat transaction::stat(MDB_dbi table) const {
  MDB_stat out;
  expect(mdb_stat(txn_, table, &out));
  return out;
}

write_transaction::write_transaction(MDB_env* env) : transaction{nullptr} {
  expect(mdb_txn_begin(env, nullptr, 0, &txn_));
}

write_transaction::~write_transaction() {
  if (txn_) mdb_txn_abort(txn_);
}

void write_transaction::put(MDB_dbi table, std::string_view key, std::string_view value, unsigned flags) {
  auto k = value_of(key);
  auto v = value_of(value);
  expect(mdb_put(txn_, table, &k, &v, flags));
}

char* write_transaction::reserve(MDB_dbi table, std::string_view key, std::size_t size, unsigned flags) {
  auto k = value_of(key);
  MDB_val v{size, nullptr};
  expect(mdb_put(txn_, table, &k, &v, flags | MDB_RESERVE));
  return static_cast<char*>(v.mv_data);
}

bool write_transaction::erase(MDB_dbi table, std::string_view key) {
  auto k = value_of(key);
  int const code = mdb_del(txn_, table, &k, nullptr);
  if (code == MDB_NOTFOUND) return false;
  expect(code);
  return true;
}

void write_transaction::commit() { expect(mdb_txn_commit(std::exchange(txn_, nullptr))); }

reader_pool::~reader_pool() {
  for (auto const& each : idle_) {
    for (auto const& [table, cursor] : each->cursors) mdb_cursor_close(cursor);
    mdb_txn_abort(each->txn);
  }
}

std::unique_ptr<reader> reader_pool::take() {
  std::unique_ptr<reader> taken;
  {
    std::scoped_lock const lock{mutex_};
    if (!idle_.empty()) {
      taken = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!taken) {
    taken = std::make_unique<reader>();
    expect(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &taken->txn));
    return taken;
  }
  if (int const code = mdb_txn_renew(taken->txn); code != MDB_SUCCESS) {
    for (auto const& [table, cursor] : taken->cursors) mdb_cursor_close(cursor);
    mdb_txn_abort(taken->txn);
    throw error{code};
  }
  return taken;
}

void reader_pool::give_back(std::unique_ptr<reader> used) {
  mdb_txn_reset(used->txn);
  std::scoped_lock const lock{mutex_};
  idle_.push_back(std::move(used));
}

MDB_cursor* read_transaction::cursor_on(MDB_dbi table) const {
  for (auto const& [of, cursor] : reader_->cursors) {
    if (of != table) continue;
    expect(mdb_cursor_renew(txn_, cursor));
    return cursor;
  }
  MDB_cursor* made = nullptr;
  expect(mdb_cursor_open(txn_, table, &made));
  reader_->cursors.emplace_back(table, made);
  return made;
}

cursor::cursor(transaction const& txn, MDB_dbi table) { expect(mdb_cursor_open(txn.handle(), table, &cursor_)); }

void cursor::erase() { expect(mdb_cursor_del(cursor_, 0)); }

std::optional<cursor::entry> cursor::move(std::string_view key, MDB_cursor_op op) {
  auto k = value_of(key);
  MDB_val v;
  int const code = mdb_cursor_get(cursor_, &k, &v, op);
  if (code == MDB_NOTFOUND) return std::nullopt;
  expect(code);
  return entry{view_of(k), view_of(v)};
}

}  // namespace cistern::store::lmdb
