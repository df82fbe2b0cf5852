#pragma once

/// The layout on disk. Only store/*.cpp includes this file.
///
///   table        key                                  value
///   meta         name                                 number or bytes (format, seed, counters)
///   objects      url digest 16, ~id 8 (newest first)  object_record
///   bodies       body 8                               body_record
///   chunks       body 8, index 4                      digest 16 of the bytes, then up to chunk_payload bytes
///   contents     content digest 16                    body 8: identical bodies are stored once
///   evictables   priority 8, id 8                     objects key: lowest goes first
///   doomed       body 8                               nothing: to be deleted once nobody reads it any more
///   quarantine   objects key                          quarantine_record
///   jobs … ledger                                     typed records of tables.hpp
///
/// A chunk with its digest and LMDB's page header fills four pages exactly: large enough that a body is read at memory
/// speed, small enough that the free list always finds a run of pages for it (large values make LMDB search the
/// free list for minutes: erigon#1213).

#include "store/codec.hpp"
#include "store/lmdb.hpp"
#include "store/object.hpp"
#include "store/tables.hpp"

#include <array>
#include <cstddef>

namespace cistern::store {

inline constexpr std::uint64_t current_format = 1;
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
  t_meta,
  t_objects,
  t_bodies,
  t_chunks,
  t_contents,
  t_evictables,
  t_doomed,
  t_quarantine,
  table_count
};

inline constexpr std::array<char const*, table_count> table_names{
    "jobs", "job_urls", "subscriptions", "items",  "items_by_time", "templates",  "journal", "ledger",
    "meta", "objects",  "bodies",        "chunks", "contents",      "evictables", "doomed",  "quarantine"};

using table_handles = std::array<MDB_dbi, table_count>;

struct object_record {
  static constexpr std::uint8_t version = 1;
  stored_object object{};
  double priority = 0;  // its place in evictables, when it is there

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    auto& o = self.object;
    v(o.url, o.status, o.headers, o.selecting, o.requested, o.responded, o.kind, o.keep, o.expected_size, o.versions,
      o.body, o.size, o.complete, o.content, o.uses, self.priority, o.invalidated);
  }
};

struct body_record {
  static constexpr std::uint8_t version = 1;
  std::uint64_t size = 0;
  std::uint64_t references = 0;
  bool complete = false;
  digest content{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.size, self.references, self.complete, self.content);
  }
};

struct quarantine_record {
  static constexpr std::uint8_t version = 1;
  std::string url{};
  std::string reason{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.url, self.reason);
  }
};

[[nodiscard]] std::string object_key(object_ref const& ref);
[[nodiscard]] object_ref ref_of_key(std::string_view key);
[[nodiscard]] std::string number_key(std::uint64_t number);
[[nodiscard]] std::string chunk_key(std::uint64_t body, std::uint64_t index);
[[nodiscard]] std::string evictable_key(double priority, std::uint64_t id);

/// Decodes and fills in what the key says.
[[nodiscard]] object_record read_object(std::string_view key, std::string_view value);

/// How many chunks a body of that size has.
[[nodiscard]] constexpr std::uint64_t chunks_of(std::uint64_t size) {
  return (size + chunk_payload - 1) / chunk_payload;
}

}  // namespace cistern::store
