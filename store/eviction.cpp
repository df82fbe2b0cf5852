#include "store/write_state.hpp"

#include <algorithm>
#include <bit>

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

/// GreedyDual-Size-Frequency (Cherkasova 1998): worth and uses over size, on top of `inflation`, which rises to the
/// priority of what was evicted last. So what was not used for long sinks without anybody touching it, and one ordered
/// table weighs kind, uses, size and age at once.
double priority_of(counters const& numbers, stored_object const& object, std::uint64_t uses) {
  auto const pages = static_cast<double>(1 + object.size / page_size);
  return numbers.inflation + worth(object.kind) * static_cast<double>(1 + uses) / pages;
}

std::optional<standing> standing_of(write_state& state, std::string_view id) {
  auto const found = state.open().get(state.tables[t_standings], id);
  return found ? std::optional{decode<standing>(*found)} : std::nullopt;
}

standing place_in_order(write_state& state, stored_object const& object, std::uint64_t uses) {
  standing const now{.uses = uses, .priority = priority_of(state.numbers, object, uses)};
  if (object.keep == retention::evictable)
    state.open().put(state.tables[t_evictables], evictable_key(now.priority, object.ref.id), object_key(object.ref));
  return now;
}

}  // namespace

void rank(write_state& state, stored_object const& object, std::uint64_t uses) {
  auto& txn = state.open();
  auto const id = number_key(object.ref.id);
  auto const before = standing_of(state, id);
  if (before) txn.erase(state.tables[t_evictables], evictable_key(before->priority, object.ref.id));
  auto const now = place_in_order(state, object, uses + (before ? before->uses : 0));
  if (before) {
    txn.put(state.tables[t_standings], id, encode(now));
  } else {
    txn.put_last(state.tables[t_standings], id, encode(now));
  }
}

void rank_new(write_state& state, stored_object const& object) {
  auto const now = place_in_order(state, object, 0);
  state.open().put_last(state.tables[t_standings], number_key(object.ref.id), encode(now));
}

void unrank(write_state& state, std::uint64_t id) {
  auto const name = number_key(id);
  if (auto const before = standing_of(state, name))
    state.open().erase(state.tables[t_evictables], evictable_key(before->priority, id));
  state.open().erase(state.tables[t_standings], name);
}

eviction evict(write_state& state, std::uint64_t bytes, std::size_t most) {
  constexpr std::uint64_t record_share = 512;  // what an object costs beside its body, about
  eviction done;
  while (done.bytes < bytes && done.objects < most) {
    std::optional<object_ref> victim;
    double priority = 0;
    {
      lmdb::cursor walk{state.open(), state.tables[t_evictables]};
      if (auto const lowest = walk.first()) {
        victim = ref_of_key(lowest->second);
        priority = std::bit_cast<double>(key_number(lowest->first));
      }
    }
    if (!victim) break;
    state.numbers.inflation = std::max(state.numbers.inflation, priority);
    auto const before = state.numbers.body_bytes;
    if (!remove_object(state, *victim)) throw bad_record{"the eviction order names an object that is not there"};
    done.bytes += before - state.numbers.body_bytes + record_share;  // a shared body frees nothing yet
    ++done.objects;
  }
  state.numbers.evicted += done.objects;
  return done;
}

void note_uses(write_state& state, std::vector<object_ref> used) {
  // One step for all uses of an object: each step moves it in the order, and LMDB takes a new page for every move of
  // a transaction. A page asked for 4,096 times in a second cost 16 MB of memory.
  std::ranges::sort(used, {}, &object_ref::id);
  for (auto first = used.begin(); first != used.end();) {
    auto const last = std::find_if(first, used.end(), [&](object_ref const& other) { return other.id != first->id; });
    if (auto const record = load_object(state.open(), state.tables, *first))
      rank(state, record->object, static_cast<std::uint64_t>(last - first));
    first = last;
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
