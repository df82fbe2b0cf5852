#pragma once

/// LMDB with nothing around it: what the store is measured against. Benchmarks only.

#include <lmdb.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cistern::bench {

using bare_key = std::array<char, 16>;

class bare_lmdb {
public:
  explicit bare_lmdb(std::filesystem::path const& folder) {
    std::filesystem::create_directories(folder);
    expect(mdb_env_create(&env_));
    expect(mdb_env_set_mapsize(env_, 8ull << 30));
    expect(mdb_env_open(env_, folder.c_str(), MDB_NOTLS | MDB_NORDAHEAD, 0600));
    MDB_txn* txn = nullptr;
    expect(mdb_txn_begin(env_, nullptr, 0, &txn));
    expect(mdb_dbi_open(txn, nullptr, 0, &table_));
    expect(mdb_txn_commit(txn));
    expect(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &reader_));
    mdb_txn_reset(reader_);
  }
  ~bare_lmdb() {
    mdb_txn_abort(reader_);
    mdb_env_close(env_);
  }
  bare_lmdb(bare_lmdb const&) = delete;
  bare_lmdb& operator=(bare_lmdb const&) = delete;

  void begin_read() { expect(mdb_txn_renew(reader_)); }
  void end_read() { mdb_txn_reset(reader_); }
  /// Between begin_read and end_read: one mdb_get and one memcpy.
  void get(bare_key const& key, std::string& out) {
    MDB_val k{key.size(), const_cast<char*>(key.data())};
    MDB_val v;
    expect(mdb_get(reader_, table_, &k, &v));
    out.resize(v.mv_size);
    std::memcpy(out.data(), v.mv_data, v.mv_size);
  }
  void begin_write() { expect(mdb_txn_begin(env_, nullptr, 0, &writer_)); }
  void put(bare_key const& key, std::string_view value) {
    MDB_val k{key.size(), const_cast<char*>(key.data())};
    MDB_val v{value.size(), const_cast<char*>(value.data())};
    expect(mdb_put(writer_, table_, &k, &v, 0));
  }
  void commit() { expect(mdb_txn_commit(writer_)); }

private:
  static void expect(int code) {
    if (code != MDB_SUCCESS) throw std::runtime_error{mdb_strerror(code)};
  }
  MDB_env* env_ = nullptr;
  MDB_dbi table_{};
  MDB_txn* reader_ = nullptr;
  MDB_txn* writer_ = nullptr;
};

}  // namespace cistern::bench
