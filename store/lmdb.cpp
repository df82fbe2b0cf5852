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

void write_transaction::put_last(MDB_dbi table, std::string_view key, std::string_view value) {
  auto k = value_of(key);
  auto v = value_of(value);
  int const code = mdb_put(txn_, table, &k, &v, MDB_APPEND);
  if (code != MDB_KEYEXIST) return expect(code);
  put(table, key, value);  // not the last one after all
}

std::optional<std::string_view> write_transaction::put_new(MDB_dbi table, std::string_view key,
                                                           std::string_view value) {
  auto k = value_of(key);
  auto v = value_of(value);
  int const code = mdb_put(txn_, table, &k, &v, MDB_NOOVERWRITE);
  if (code == MDB_KEYEXIST) return view_of(v);
  expect(code);
  return std::nullopt;
}

char* write_transaction::reserve(MDB_dbi table, std::string_view key, std::size_t size) {
  auto k = value_of(key);
  MDB_val v{size, nullptr};
  expect(mdb_put(txn_, table, &k, &v, MDB_RESERVE));
  return static_cast<char*>(v.mv_data);
}

char* write_transaction::reserve_last(MDB_dbi table, std::string_view key, std::size_t size) {
  auto k = value_of(key);
  MDB_val v{size, nullptr};
  int const code = mdb_put(txn_, table, &k, &v, MDB_RESERVE | MDB_APPEND);
  if (code == MDB_KEYEXIST) return reserve(table, key, size);
  expect(code);
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

namespace {

void close(std::unique_ptr<reader> one) {
  for (auto const& [table, cursor] : one->cursors) mdb_cursor_close(cursor);
  mdb_txn_abort(one->txn);
}

}  // namespace

reader_pool::~reader_pool() {
  for (auto& p : places_)
    if (auto* const one = p.idle.load()) close(std::unique_ptr<reader>{one});
  for (auto& one : idle_) close(std::move(one));
}

reader_pool::place& reader_pool::place_of_thread() {
  static std::atomic<std::size_t> threads{0};
  thread_local std::size_t const number = threads++;
  return places_[number % places_.size()];
}

std::unique_ptr<reader> reader_pool::idle() {
  if (auto* const own = place_of_thread().idle.exchange(nullptr)) return std::unique_ptr<reader>{own};
  std::scoped_lock const lock{mutex_};
  if (idle_.empty()) return nullptr;
  auto out = std::move(idle_.back());
  idle_.pop_back();
  return out;
}

std::unique_ptr<reader> reader_pool::take() {
  auto taken = idle();
  auto const now = moment_.load();  // before the snapshot, which may so be newer than it is thought to be, never older
  if (taken && taken->moment == now && still(now)) return taken;
  if (!taken) {
    taken = std::make_unique<reader>();
    expect(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &taken->txn));
  } else {
    if (still(taken->moment)) end_snapshot(*taken);
    if (int const code = mdb_txn_renew(taken->txn); code != MDB_SUCCESS) {
      close(std::move(taken));
      throw error{code};
    }
  }
  taken->moment = now;
  return taken;
}

void reader_pool::end_snapshot(reader& open) {
  mdb_txn_reset(open.txn);
  open.moment = always_changing;
}

void reader_pool::give_back(std::unique_ptr<reader> used, bool fit) {
  auto& here = place_of_thread();
  auto const moment = used->moment;
  bool const stays_open = fit && still(moment) && moment_.load() == moment;
  if (!stays_open) end_snapshot(*used);
  keep(here, std::move(used));
  if (!stays_open || moment_.load() == moment) return;
  // A commit began meanwhile and may have looked here before it was back. (Both sides write first and look then, so
  // that one of them sees the other.)
  end_idle(here);
}

void reader_pool::keep(place& here, std::unique_ptr<reader> one) {
  reader* nobody = nullptr;
  if (here.idle.compare_exchange_strong(nobody, one.get())) {
    static_cast<void>(one.release());
    return;
  }
  end_snapshot(*one);
  std::scoped_lock const lock{mutex_};
  idle_.push_back(std::move(one));
}

void reader_pool::end_idle(place& here) {
  std::unique_ptr<reader> found{here.idle.exchange(nullptr)};
  if (!found) return;
  end_snapshot(*found);
  keep(here, std::move(found));
}

void reader_pool::begin_change() {
  moment_.fetch_add(1);
  for (auto& here : places_) end_idle(here);
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
