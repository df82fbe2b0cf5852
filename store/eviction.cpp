#include "store/write_state.hpp"

#include <algorithm>

namespace cistern::store {
namespace {

/// What it would cost to miss it, relative to a plain object: a page that a person may open again is worth more than
/// a picture on it, and that more than a podcast episode of a thousand times its size.
double worth(object_kind kind) {
  switch (kind) {
    case object_kind::homepage:
      return 8;
    case object_kind::page:
      return 4;
    case object_kind::derived:
      return 4;
    case object_kind::feed:
      return 4;
    case object_kind::requisite:
      return 2;
    case object_kind::other:
      return 1;
    case object_kind::enclosure:
      return 1;
  }
  return 1;
}

}  // namespace

/// GreedyDual-Size-Frequency (Cherkasova 1998): worth and uses over size, on top of `inflation`, which rises to the
/// priority of what was evicted last. So what was not used for long sinks without anybody touching it, and one ordered
/// table weighs kind, uses, size and age at once.
double eviction_priority(counters const& numbers, stored_object const& object) {
  auto const pages = static_cast<double>(1 + object.size / page_size);
  return numbers.inflation + worth(object.kind) * static_cast<double>(1 + object.uses) / pages;
}

eviction evict(write_state& state, std::uint64_t bytes, std::size_t most) {
  constexpr std::uint64_t record_share = 512;  // what an object costs beside its body, about
  eviction done;
  while (done.bytes < bytes && done.objects < most) {
    std::optional<object_ref> victim;
    {
      lmdb::cursor walk{state.open(), state.tables[t_evictables]};
      if (auto const lowest = walk.first()) victim = ref_of_key(lowest->second);
    }
    if (!victim) break;
    auto const record = load_object(state.open(), state.tables, *victim);
    if (!record) throw bad_record{"the eviction order names an object that is not there"};
    state.numbers.inflation = std::max(state.numbers.inflation, record->priority);
    auto const before = state.numbers.body_bytes;
    remove_object(state, *victim);
    done.bytes += before - state.numbers.body_bytes + record_share;  // a shared body frees nothing yet
    ++done.objects;
  }
  state.numbers.evicted += done.objects;
  return done;
}

void note_uses(write_state& state, std::vector<object_ref> const& used) {
  for (auto const& ref : used) {
    auto record = load_object(state.open(), state.tables, ref);
    if (!record) continue;
    ++record->object.uses;
    save_object(state, *record);
  }
}

std::uint64_t used_bytes(lmdb::transaction const& txn, table_handles const& tables) {
  constexpr MDB_dbi free_list = 0;
  auto const size = [&](MDB_dbi table) {
    auto const s = txn.stat(table);
    return (s.ms_branch_pages + s.ms_leaf_pages + s.ms_overflow_pages) * s.ms_psize;
  };
  std::uint64_t sum = size(free_list);
  for (auto const table : tables) sum += size(table);
  return sum;
}

}  // namespace cistern::store
