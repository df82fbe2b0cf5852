#pragma once

/// The layout on disk. Only store/*.cpp includes this file.
///
///   table        key                                  value
///   meta         name                                 number or bytes (format, seed, counters)
///   objects      url digest 16, ~id 8 (newest first)  object_record, a small body with it
///   bodies       body 8                               body_record
///   chunks       body 8, index 4                      digest 16 of the bytes, then up to chunk_payload bytes
///   contents     content digest 16                    body 8, or the objects key where a small body lies
///   evictables   priority 8, id 8                     objects key: lowest goes first
///   doomed       body 8                               nothing: to be deleted once nobody reads it any more
///   quarantine   objects key                          quarantine_record
///   standings    id 8                                 standing: what reading changes, apart from what it must not
///   jobs … search_marks                               typed records of tables.hpp
///
/// A chunk with its digest and LMDB's page header fills four pages exactly: large enough that a body is read at memory
/// speed, small enough that the free list always finds a run of pages for it (large values make LMDB search the
/// free list for minutes: erigon#1213).
///
/// A body that fits with its record into as many pages lies in that record, so that one look-up finds both; when a
/// second object has the same bytes, they move to chunks, where bodies are counted.

#include "store/codec.hpp"
#include "store/lmdb.hpp"
#include "store/object.hpp"
#include "store/tables.hpp"

#include <array>
#include <cstddef>

namespace cistern::store {

inline constexpr std::uint64_t current_format = 3;
inline constexpr std::size_t page_size = 4096;
inline constexpr std::size_t chunk_value = 4 * page_size - 16;
inline constexpr std::size_t chunk_payload = chunk_value - 16;

/// In the order of `table_names`; the typed tables share their numbers with table_id.
enum table_index : std::size_t {
  t_jobs,
  t_job_urls,
  t_subscriptions,
  t_items,
  t_items_by_time,
  t_templates,
  t_journal,
  t_ledger,
  t_settings,
  t_search_marks,  // since format 3
  t_meta,
  t_objects,
  t_bodies,
  t_chunks,
  t_contents,
  t_evictables,
  t_doomed,
  t_quarantine,
  t_standings,  // since format 2
  table_count
};

inline constexpr std::array<char const*, table_count> table_names{
    "jobs",     "job_urls",   "subscriptions", "items",      "items_by_time", "templates", "journal",
    "ledger",   "settings",   "search_marks",  "meta",       "objects",       "bodies",    "chunks",
    "contents", "evictables", "doomed",        "quarantine", "standings"};

/// The format that brought a table.
[[nodiscard]] constexpr std::uint64_t first_format(std::size_t table) {
  return table == t_search_marks ? 3 : table == t_settings || table == t_standings ? 2 : 1;
}

using table_handles = std::array<MDB_dbi, table_count>;

/// How an object stands in the order of eviction.
struct standing {
  static constexpr std::uint8_t version = 1;
  std::uint64_t uses = 0;
  double priority = 0;  // its place in evictables, when it is there

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.uses, self.priority);
  }
};

/// `bytes` is a view: of the page that the record was read from, or of what is to be stored. So a record that was read
/// is encoded before anything else is written.
struct object_record {
  static constexpr std::uint8_t version = 1;
  stored_object object{};
  standing before_format_2{};  // in the table of its own since then
  digest check{};              // of `bytes`
  std::string_view bytes{};    // the whole body, when it lies here

  [[nodiscard]] bool has_body_inside() const { return object.body == 0 && object.size > 0; }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    auto& o = self.object;
    v(o.url, o.status, o.headers, o.selecting, o.requested, o.responded, o.kind, o.keep, o.expected_size, o.versions,
      o.body, o.size, o.complete, o.content, self.before_format_2.uses, self.before_format_2.priority, o.invalidated,
      self.check, self.bytes);
  }
};

struct body_record {
  static constexpr std::uint8_t version = 1;
  std::uint64_t size = 0;
  std::uint64_t references = 0;
  bool complete = false;
  digest content{};
  digest fold{};  // of the digests of all full chunks so far

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.size, self.references, self.complete, self.content, self.fold);
  }
};

/// The digest of a body is folded from its chunks' digests in order and sealed with its size: it grows with the
/// download, so that neither a resumed nor a finished one has to be read again.
[[nodiscard]] digest fold_chunk(digest const& so_far, digest const& chunk, std::uint64_t seed);
[[nodiscard]] digest seal_content(digest const& fold, std::uint64_t size, std::uint64_t seed);
/// Of a body that is a single chunk, or lies in its record.
[[nodiscard]] digest content_of_one(digest const& check, std::uint64_t size, std::uint64_t seed);

/// Whether a body of that size may lie in the record of an object with that head.
[[nodiscard]] bool fits_inside(object_head const& head, std::size_t size);

struct quarantine_record {
  static constexpr std::uint8_t version = 1;
  std::string url{};
  std::string reason{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.url, self.reason);
  }
};

/// A new object with its URL normalised and looked up by it; its number is still to come.
[[nodiscard]] stored_object unnumbered_object(object_head head, std::uint64_t seed);

[[nodiscard]] std::string object_key(object_ref const& ref);
[[nodiscard]] object_ref ref_of_key(std::string_view key);
[[nodiscard]] std::string number_key(std::uint64_t number);
[[nodiscard]] std::string chunk_key(std::uint64_t body, std::uint64_t index);
[[nodiscard]] std::string evictable_key(double priority, std::uint64_t id);

/// Decodes and fills in what the key says.
[[nodiscard]] object_record read_object(std::string_view key, std::string_view value);
/// The same into the memory of a record that was used before.
void read_object(std::string_view key, std::string_view value, object_record& out);
/// Whether `bytes` are what they were when they were stored.
[[nodiscard]] bool sound_inside(object_record const& record, std::uint64_t seed);

/// How many chunks a body of that size has.
[[nodiscard]] constexpr std::uint64_t chunks_of(std::uint64_t size) {
  return (size + chunk_payload - 1) / chunk_payload;
}

}  // namespace cistern::store
