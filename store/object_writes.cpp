#include "store/errc.hpp"
#include "store/url.hpp"
#include "store/write_batch.hpp"
#include "store/write_state.hpp"

#include <utility>

namespace cistern::store {
namespace {

/// Older complete copies of the same URL and variant go, but for those that the head asks to keep; and so do stored
/// ranges of it (206), which the whole makes useless.
void supersede(write_state& state, stored_object const& by) {
  std::vector<object_ref> old;
  std::uint32_t kept = 1;
  std::string const prefix{by.ref.url.view()};
  lmdb::cursor walk{state.open(), state.tables[t_objects]};
  for (auto at = walk.at_or_after(prefix); at && at->first.starts_with(prefix); at = walk.next()) {
    auto const other = read_object(at->first, at->second).object;
    bool const same = other.url == by.url && other.selecting == by.selecting && other.ref.id != by.ref.id;
    bool const range = !other.complete && other.status == 206;
    if (same && (range || (other.complete && ++kept > by.versions))) old.push_back(other.ref);
  }
  for (auto const& ref : old) remove_object(state, ref);
}

object_record new_object(write_state& state, object_head const& head) {
  object_record record{.object = unnumbered_object(head, state.seed)};
  record.object.ref.id = state.numbers.next_id++;
  return record;
}

stored_object file_object(write_state& state, prepared_object const& whole, std::string_view body) {
  object_record record{.object = whole.object};
  auto& object = record.object;
  object.ref.id = state.numbers.next_id++;
  // A small body that did not change is written again with its record, not shared with the copy that goes: that would
  // move it to chunks. A large one is shared first, so that it is not written again.
  bool const small = fits_inside(object, body.size());
  if (small) supersede(state, object);
  place_body(state, record, body, whole.checks);
  rank_new(state, object);
  auto const key = object_key(object.ref);
  if (record.has_body_inside()) {
    state.open().put(state.tables[t_objects], key, whole.record);
  } else {
    state.open().put(state.tables[t_objects], key, encode(record));
  }
  mark_for_search(state, object);
  if (!small) supersede(state, object);
  return object;
}

std::vector<object_record> objects_of(write_state& state, std::string_view url) {
  auto const normal = normalise_url(url).value_or(std::string{url});
  auto const where = digest_of(normal, state.seed);
  std::vector<object_record> found;
  lmdb::cursor walk{state.open(), state.tables[t_objects]};
  for (auto at = walk.at_or_after(where.view()); at && at->first.starts_with(where.view()); at = walk.next())
    if (auto record = read_object(at->first, at->second); record.object.url == normal)
      found.push_back(std::move(record));
  return found;
}

}  // namespace

std::optional<object_record> load_object(lmdb::transaction const& txn, table_handles const& tables,
                                         object_ref const& ref) {
  auto const key = object_key(ref);
  auto const bytes = txn.get(tables[t_objects], key);
  if (!bytes) return std::nullopt;
  return read_object(key, *bytes);
}

object_record expect_object(write_state& state, object_ref const& ref) {
  auto record = load_object(state.open(), state.tables, ref);
  if (!record) throw refused{make_error_code(errc::gone)};
  return std::move(*record);
}

void save_object(write_state& state, object_record const& record) {
  auto const value = encode(record);  // first: what it views may lie in a page that the next write moves
  rank(state, record.object);
  state.open().put(state.tables[t_objects], object_key(record.object.ref), value);
}

bool remove_object(write_state& state, object_ref const& ref) {
  auto const record = load_object(state.open(), state.tables, ref);
  if (!record) return false;
  auto const key = object_key(ref);
  mark_for_search(state, record->object);
  unrank(state, ref.id);
  state.open().erase(state.tables[t_quarantine], key);
  state.open().erase(state.tables[t_objects], key);
  if (record->has_body_inside()) {
    drop_body_inside(state, *record);
  } else {
    drop_body(state, record->object.body);
  }
  return true;
}

stored_object write_batch::put_object(object_head const& head, std::string_view body) {
  return file_object(state_, prepare_object(head, body, state_.seed), body);
}

stored_object write_batch::put_object(prepared_object const& whole) { return file_object(state_, whole, whole.body()); }

stored_object write_batch::begin_object(object_head const& head) {
  auto record = new_object(state_, head);
  record.object.body = add_empty_body(state_);
  save_object(state_, record);
  return record.object;
}

void write_batch::append(object_ref const& ref, std::uint64_t offset, std::string_view bytes) {
  auto record = expect_object(state_, ref);
  if (record.object.complete) throw refused{make_error_code(errc::misplaced)};
  append_to_body(state_, record.object.body, offset, bytes);
  record.object.size = offset + bytes.size();
  save_object(state_, record);
}

stored_object write_batch::restart(object_ref const& ref, object_head const& head) {
  auto record = expect_object(state_, ref);
  if (record.object.complete) throw refused{make_error_code(errc::misplaced)};
  drop_body(state_, record.object.body);
  auto fresh = new_object(state_, head);
  fresh.object.ref = ref;
  fresh.object.body = add_empty_body(state_);
  save_object(state_, fresh);
  return fresh.object;
}

stored_object write_batch::move_partial(object_ref const& ref, std::string_view url) {
  auto record = expect_object(state_, ref);
  if (record.object.complete) throw refused{make_error_code(errc::misplaced)};
  auto const key = object_key(ref);
  state_.open().erase(state_.tables[t_quarantine], key);
  state_.open().erase(state_.tables[t_objects], key);
  record.object.url = normalise_url(url).value_or(std::string{url});
  record.object.ref.url = digest_of(record.object.url, state_.seed);
  save_object(state_, record);
  return record.object;
}

stored_object write_batch::finish(object_ref const& ref) {
  auto record = expect_object(state_, ref);
  auto& object = record.object;
  if (object.complete) return object;
  auto const stored = complete_body(state_, object.body);
  object.body = stored.body;
  object.content = stored.content;
  object.complete = true;
  save_object(state_, record);
  mark_for_search(state_, object);
  supersede(state_, object);
  return object;
}

void write_batch::refresh(object_ref const& ref, header_block const& headers, std::chrono::sys_seconds requested,
                          std::chrono::sys_seconds responded) {
  auto record = expect_object(state_, ref);
  record.object.headers = headers;
  record.object.requested = requested;
  record.object.responded = responded;
  record.object.invalidated = false;
  save_object(state_, record);
}

void write_batch::set_retention(object_ref const& ref, retention keep) {
  auto record = expect_object(state_, ref);
  record.object.keep = keep;
  save_object(state_, record);
}

bool write_batch::erase_object(object_ref const& ref) { return remove_object(state_, ref); }

std::size_t write_batch::erase_url(std::string_view url) {
  auto const found = objects_of(state_, url);
  for (auto const& record : found) remove_object(state_, record.object.ref);
  return found.size();
}

std::size_t write_batch::invalidate_url(std::string_view url) {
  auto found = objects_of(state_, url);
  for (auto& record : found) {
    record.object.invalidated = true;
    save_object(state_, record);
  }
  return found.size();
}

void write_batch::quarantine(object_ref const& ref, std::string_view reason) {
  auto const record = load_object(state_.open(), state_.tables, ref);
  if (!record) return;
  quarantine_record const note{.url = record->object.url, .reason = std::string{reason}};
  state_.quarantined = true;
  mark_for_search(state_, record->object);
  state_.open().put(state_.tables[t_quarantine], object_key(ref), encode(note));
}

}  // namespace cistern::store
