#include "store/sqlite.hpp"

#include "store/errc.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace cistern::store::sqlite {
namespace {

[[noreturn]] void fail(sqlite3* db, int code) {
  throw error{code, db ? std::string{sqlite3_errmsg(db)} : std::string{sqlite3_errstr(code)}};
}

}  // namespace

boost::system::error_code to_error_code(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_FULL:
      return errc::disk_full;
    case SQLITE_INTERRUPT:
      return errc::took_too_long;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return errc::read_only;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return errc::in_use;
    case SQLITE_NOMEM:
      return boost::system::errc::make_error_code(boost::system::errc::not_enough_memory);
    default:
      return errc::damaged;
  }
}

statement::statement(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* made = nullptr;
  int const code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), 0, &made, nullptr);
  raw_.reset(made);
  if (code != SQLITE_OK) fail(db, code);
}

void statement::expect(int code) const {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(raw_.get()), code);
}

statement& statement::bind(int at, std::string_view text) {
  expect(
      sqlite3_bind_text64(raw_.get(), at, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

statement& statement::bind(int at, std::int64_t number) {
  expect(sqlite3_bind_int64(raw_.get(), at, number));
  return *this;
}

statement& statement::bind(int at, double number) {
  expect(sqlite3_bind_double(raw_.get(), at, number));
  return *this;
}

statement& statement::bind_blob(int at, std::string_view bytes) {
  expect(sqlite3_bind_blob64(raw_.get(), at, bytes.data() ? bytes.data() : "", bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

bool statement::step() {
  int const code = sqlite3_step(raw_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3* const db = sqlite3_db_handle(raw_.get());
  if (code != SQLITE_DONE) {
    error const why{sqlite3_extended_errcode(db), sqlite3_errmsg(db)};
    sqlite3_reset(raw_.get());
    throw why;
  }
  sqlite3_reset(raw_.get());
  return false;
}

void statement::run() {
  while (step()) {
  }
}

void statement::reset() { sqlite3_reset(raw_.get()); }

std::string statement::text(int column) const {
  auto const* const bytes = static_cast<char const*>(sqlite3_column_blob(raw_.get(), column));
  return {bytes ? bytes : "", static_cast<std::size_t>(sqlite3_column_bytes(raw_.get(), column))};
}

database::database(std::filesystem::path const& file) {
  // Made by us, so that nobody else may read it; what SQLite puts beside it gets the same rights.
  int const made = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (made >= 0) ::close(made);
  sqlite3* opened = nullptr;
  int const code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  raw_.reset(opened);
  if (code != SQLITE_OK) fail(opened, code);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, 5000);
}

void database::run(char const* sql) const {
  int const code = sqlite3_exec(raw_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(raw_.get(), code);
}

transaction::~transaction() {
  if (open_) sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace cistern::store::sqlite
