#pragma once

/// What a repository is made of. Only store/*.cpp includes this file.

#include "store/environment.hpp"
#include "store/leases.hpp"
#include "store/resident.hpp"
#include "store/writer.hpp"

#include <atomic>

namespace cistern::store {

struct repository::internals {
  struct lent;  // repository.cpp

  explicit internals(repository_options const& given)
      : options{given},
        opened{open_environment(given, current_format, migrations())},
        seed{opened.seed},
        tables{opened.tables},
        readers{opened.env.get(), given.read_only ? lmdb::commits::unseen : lmdb::commits::announced} {
    if (options.read_only) return;
    writing = std::make_unique<writer>(opened.env.get(), readers, tables, leases, quarantined,
                                       writer_limits{options.quota, opened.map_size, options.search_marks});
    writing->every_second([this] { resident.trim(); });
  }

  [[nodiscard]] MDB_env* env() const { return opened.env.get(); }

  [[nodiscard]] int file() const {
    mdb_filehandle_t out = -1;
    mdb_env_get_fd(env(), &out);
    return out;
  }

  repository_options options;
  opened_environment opened;
  std::uint64_t seed;
  table_handles const& tables;
  lmdb::reader_pool readers;  // goes before the environment does
  body_leases leases;
  std::atomic<bool> quarantined{true};  // who only reads cannot know
  resident_pages resident{options.path / "data.mdb", file(), options.resident_limit};
  std::unique_ptr<writer> writing;  // goes first: it may still be working
};

}  // namespace cistern::store
