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
  for (auto* txn : idle_) mdb_txn_abort(txn);
}

MDB_txn* reader_pool::take() {
  MDB_txn* txn = nullptr;
  {
    std::scoped_lock const lock{mutex_};
    if (!idle_.empty()) {
      txn = idle_.back();
      idle_.pop_back();
    }
  }
  if (!txn) {
    expect(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn));
    return txn;
  }
  if (int const code = mdb_txn_renew(txn); code != MDB_SUCCESS) {
    mdb_txn_abort(txn);
    throw error{code};
  }
  return txn;
}

void reader_pool::give_back(MDB_txn* txn) {
  mdb_txn_reset(txn);
  std::scoped_lock const lock{mutex_};
  idle_.push_back(txn);
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
