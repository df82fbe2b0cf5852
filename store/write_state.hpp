#pragma once

/// What the writer's thread works with. Only store/*.cpp includes this file.

#include "store/leases.hpp"
#include "store/lmdb.hpp"
#include "store/schema.hpp"

#include <boost/system/system_error.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cistern::store {

/// A task asked for what cannot be; only that task fails.
struct refused : boost::system::system_error {
  using boost::system::system_error::system_error;
};

/// Numbers that live in memory between transactions and in the meta table across them.
struct counters {
  static constexpr std::uint8_t version = 1;
  std::uint64_t next_id = 1;
  std::uint64_t body_bytes = 0;  // of all stored bodies, each counted once
  std::uint64_t evicted = 0;     // objects, ever
  double inflation = 0;          // the priority at which the last eviction ended; see eviction.cpp

  bool operator==(counters const&) const = default;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.next_id, self.body_bytes, self.evicted, self.inflation);
  }
};

struct write_state {
  table_handles const& tables;
  body_leases& leases;
  std::uint64_t seed = 0;
  std::atomic<bool>& quarantined;  // whether anything may be; saves readers a look
  counters numbers{};
  lmdb::write_transaction* txn = nullptr;  // the open one
  bool marking = true;                     // whether a search index may want to know of changes
  bool marked = false;                     // in this transaction
  std::optional<bool> indexed{};           // whether there is one, as far as this transaction has looked

  [[nodiscard]] lmdb::write_transaction& open() const { return *txn; }
};

// object_writes.cpp
[[nodiscard]] std::optional<object_record> load_object(lmdb::transaction const& txn, table_handles const& tables,
                                                       object_ref const& ref);
[[nodiscard]] object_record expect_object(write_state& state, object_ref const& ref);
void save_object(write_state& state, object_record const& record);
bool remove_object(write_state& state, object_ref const& ref);

// body_writes.cpp
struct body_bytes {
  std::uint64_t body = 0;
  digest content;
};
/// Gives a new object its whole body, of which it knows size and content: inside its record, which is then to be saved
/// while `bytes` live, or in chunks that have these `checks`, or shared with others that have the same.
void place_body(write_state& state, object_record& record, std::string_view bytes, std::vector<digest> const& checks);
/// Of an object that goes, with the body that lies inside its record.
void drop_body_inside(write_state& state, object_record const& record);
[[nodiscard]] std::uint64_t add_empty_body(write_state& state);
void append_to_body(write_state& state, std::uint64_t body, std::uint64_t offset, std::string_view bytes);
/// Marks it complete; when the same bytes are stored already, the new ones go and the old ones get the reference.
[[nodiscard]] body_bytes complete_body(write_state& state, std::uint64_t body);
void drop_body(write_state& state, std::uint64_t body);
/// Deletes bodies that were being read when they were dropped, unless they still are.
void reap_doomed(write_state& state);

// search_marks.cpp
/// The search index has to look at it again: it is here, changed, or about to go. Only what it may hold is marked.
void mark_for_search(write_state& state, stored_object const& object);
void mark_for_search(write_state& state, item const& changed);

// eviction.cpp
/// Gives an object its place among the evictables, which every object that nobody needs has, and writes down how it
/// stands. `uses` are added to those it had.
void rank(write_state& state, stored_object const& object, std::uint64_t uses = 0);
/// The same for one that has none yet.
void rank_new(write_state& state, stored_object const& object);
/// It goes: its place too.
void unrank(write_state& state, std::uint64_t id);
struct eviction {
  std::size_t objects = 0;
  std::uint64_t bytes = 0;
};
/// Removes the least worthy until about `bytes` are free or `most` objects are gone.
eviction evict(write_state& state, std::uint64_t bytes, std::size_t most);
/// Notes that objects were read: they become worthier.
void note_uses(write_state& state, std::vector<object_ref> used);
/// Pages in use by all tables, in bytes: what the quota counts.
[[nodiscard]] std::uint64_t used_bytes(lmdb::transaction const& txn, table_handles const& tables);

}  // namespace cistern::store
