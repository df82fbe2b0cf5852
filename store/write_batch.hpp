#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/object.hpp"
#include "store/prepared_object.hpp"
#include "store/tables.hpp"

namespace cistern::store {

struct write_state;  // what the writer's thread keeps between transactions

/// What one task may do inside the writer's current transaction. All of it becomes durable together, or none of it.
/// A task may be run twice when the first try met a full store, so it must not consume what it captured.
/// Failures leave as exceptions that only the writer catches; its caller gets a result.
class write_batch {
public:
  explicit write_batch(write_state& state) : state_{state} {}

  /// Stores a whole response and lets it take the place of older complete ones of the same URL and variant
  /// (all but `head.versions - 1` of them).
  stored_object put_object(object_head const& head, std::string_view body);
  stored_object put_object(prepared_object const& whole);

  /// Starts a response whose body is still to come. It is not found by `find` until finished; an older copy stays.
  stored_object begin_object(object_head const& head);
  /// Adds bytes; throws errc::misplaced unless `offset` is where the stored bytes end. What it stores is one
  /// with the size that the object claims.
  void append(object_ref const& ref, std::uint64_t offset, std::string_view bytes);
  /// Drops the bytes but keeps the object: the entity changed, or the origin does not do ranges.
  stored_object restart(object_ref const& ref, object_head const& head);
  /// The unfinished object goes on under another URL with the bytes it has; nothing else changes.
  stored_object move_partial(object_ref const& ref, std::string_view url);
  /// The body is whole. Returns the object, which may now share its bytes with another.
  stored_object finish(object_ref const& ref);

  /// Replaces headers and times after a 304; the body is untouched.
  void refresh(object_ref const& ref, header_block const& headers, std::chrono::sys_seconds requested,
               std::chrono::sys_seconds responded);
  void set_retention(object_ref const& ref, retention keep);
  /// Whether it was there.
  bool erase_object(object_ref const& ref);
  /// Every variant and version; how many.
  std::size_t erase_url(std::string_view url);
  /// None of them may be used without validation; how many. Offline they are better than nothing, so they stay.
  std::size_t invalidate_url(std::string_view url);
  /// Treated as missing from now on, and listed by `check`.
  void quarantine(object_ref const& ref, std::string_view reason);

  template <table_record T>
  void put(T const& value) {
    put_bytes(T::table, value.key(), encode(value));
  }
  template <table_record T>
  std::optional<T> get(std::string_view key) {
    auto const bytes = get_bytes(T::table, key);
    return bytes ? std::optional<T>{decode<T>(*bytes)} : std::nullopt;
  }
  template <table_record T>
  bool erase(std::string_view key) {
    return erase_bytes(T::table, key);
  }

  /// A job for a URL that is wanted already gains the new owners and the more urgent class. Returns the job's number.
  std::uint64_t enqueue(job wanted);
  bool finish_job(std::uint64_t id);
  /// Items are found by subscription and by time; both indexes change together.
  void put_item(item const& value);
  bool erase_item(item const& value);
  std::uint64_t add_journal(journal_entry entry);
  /// Adds to the line of the same day, class, link, subscription and host.
  void charge(ledger_entry const& bytes);
  /// A number never given before in this repository.
  std::uint64_t next_id();

private:
  friend class integrity_check;
  void put_bytes(table_id table, std::string_view key, std::string_view value);
  std::optional<std::string> get_bytes(table_id table, std::string_view key);
  bool erase_bytes(table_id table, std::string_view key);
  write_state& state_;
};

}  // namespace cistern::store
