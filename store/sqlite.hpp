#pragma once

/// The one door to SQLite. Only store/*.cpp includes this file. As with LMDB, a failure travels as an exception inside
/// the room and leaves it as a result.

#include <sqlite3.h>

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cistern::store::sqlite {

struct error : std::runtime_error {
  error(int sqlite_code, std::string const& text) : std::runtime_error{text}, code{sqlite_code} {}
  int code;
};

/// What a failure means to a caller of the index.
[[nodiscard]] boost::system::error_code to_error_code(int sqlite_code);

/// One prepared statement. Parameters are numbered from 1, columns from 0; text is copied.
class statement {
public:
  statement() = default;
  statement(sqlite3* db, std::string_view sql);

  statement& bind(int at, std::string_view text);
  statement& bind(int at, std::int64_t number);
  statement& bind(int at, double number);
  statement& bind_blob(int at, std::string_view bytes);
  /// Whether there is a row; at the end it is ready to be bound anew.
  bool step();
  /// A statement without rows.
  void run();
  void reset();

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t number(int column) const { return sqlite3_column_int64(raw_.get(), column); }
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(raw_.get(), column); }

private:
  struct finalize {
    void operator()(sqlite3_stmt* s) const noexcept { sqlite3_finalize(s); }
  };
  void expect(int code) const;
  std::unique_ptr<sqlite3_stmt, finalize> raw_;
};

/// One connection: one thread at a time.
class database {
public:
  /// The file is made when it is not there, for its owner only.
  explicit database(std::filesystem::path const& file);

  [[nodiscard]] sqlite3* handle() const { return raw_.get(); }
  void run(char const* sql) const;
  [[nodiscard]] statement prepare(std::string_view sql) const { return {raw_.get(), sql}; }

private:
  struct close {
    void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
  };
  std::unique_ptr<sqlite3, close> raw_;
};

/// Rolled back unless committed.
class transaction {
public:
  enum purpose { writing, reading };
  explicit transaction(database const& db, purpose what = writing) : db_{db} {
    db_.run(what == writing ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  ~transaction();
  transaction(transaction const&) = delete;
  transaction& operator=(transaction const&) = delete;
  void commit() {
    db_.run("COMMIT");
    open_ = false;
  }

private:
  database const& db_;
  bool open_ = true;
};

}  // namespace cistern::store::sqlite
