#pragma once

/// What a repository is made of. Only store/*.cpp includes this file.

#include "store/environment.hpp"
#include "store/leases.hpp"
#include "store/resident.hpp"
#include "store/writer.hpp"

#include <atomic>

namespace cistern::store {

struct repository::internals {
  explicit internals(repository_options const& given)
      : options{given},
        opened{open_environment(given, current_format, migrations())},
        seed{opened.seed},
        tables{opened.tables},
        readers{opened.env.get()} {
    if (options.read_only) return;
    writing = std::make_unique<writer>(opened.env.get(), tables, leases, writer_limits{options.quota, opened.map_size});
    writing->every_second([this] { resident.trim(); });
  }

  [[nodiscard]] MDB_env* env() const { return opened.env.get(); }

  /// Reading maps pages, and a fast reader maps more than the bound in less than the writer's second: looked at every
  /// 16 MiB.
  void note_read(std::uint64_t bytes) {
    constexpr std::uint64_t fault_around = 32u << 10;  // what one access maps, about
    constexpr std::uint64_t look_every = 16u << 20;
    auto const added = bytes + fault_around;
    auto const before = mapped.fetch_add(added, std::memory_order_relaxed);
    if (before / look_every != (before + added) / look_every) resident.trim();
  }

  repository_options options;
  opened_environment opened;
  std::uint64_t seed;
  table_handles const& tables;
  lmdb::reader_pool readers;  // goes before the environment does
  body_leases leases;
  resident_pages resident{options.path / "data.mdb", options.resident_limit};
  std::atomic<std::uint64_t> mapped{0};
  std::unique_ptr<writer> writing;  // goes first: it may still be working
};

}  // namespace cistern::store
