#include "store/errc.hpp"
#include "store/write_state.hpp"

#include <algorithm>
#include <cstring>

namespace cistern::store {
namespace {

constexpr std::size_t digest_size = 16;

void fill_chunk(char* room, std::string_view bytes, digest const& check) {
  std::memcpy(room, check.bytes.data(), digest_size);
  std::memcpy(room + digest_size, bytes.data(), bytes.size());
}

void put_chunk(write_state& state, std::uint64_t body, std::uint64_t index, std::string_view bytes,
               digest const& check) {
  auto const key = chunk_key(body, index);
  fill_chunk(state.open().reserve(state.tables[t_chunks], key, digest_size + bytes.size()), bytes, check);
}

/// Of a body that is newer than all others.
void put_last_chunk(write_state& state, std::uint64_t body, std::uint64_t index, std::string_view bytes,
                    digest const& check) {
  auto const key = chunk_key(body, index);
  fill_chunk(state.open().reserve_last(state.tables[t_chunks], key, digest_size + bytes.size()), bytes, check);
}

void save_body(write_state& state, std::uint64_t body, body_record const& record) {
  state.open().put(state.tables[t_bodies], number_key(body), encode(record));
}

body_record load_body(write_state& state, std::uint64_t body) {
  auto const bytes = state.open().get(state.tables[t_bodies], number_key(body));
  if (!bytes) throw refused{make_error_code(errc::gone)};
  return decode<body_record>(*bytes);
}

void add_reference(write_state& state, std::uint64_t body) {
  auto record = load_body(state, body);
  ++record.references;
  save_body(state, body, record);
}

/// Where a body lies, as `contents` says it: a number of chunks, or the key of the object that it lies in.
bool is_number(std::string_view place) { return place.size() == 8; }

/// The object's own copy of its bytes goes; from now on it shares the chunks.
void lead_to_chunks(write_state& state, std::string const& key, std::uint64_t body) {
  auto record = read_object(key, state.open().get(state.tables[t_objects], key).value_or(std::string_view{}));
  record.object.body = body;
  record.check = {};
  record.bytes = {};
  state.open().put(state.tables[t_objects], key, encode(record));
  add_reference(state, body);
}

void delete_chunks(write_state& state, std::uint64_t body) {
  auto const prefix = number_key(body);
  lmdb::cursor walk{state.open(), state.tables[t_chunks]};
  for (auto at = walk.at_or_after(prefix); at && at->first.starts_with(prefix); at = walk.next()) walk.erase();
}

void delete_or_doom(write_state& state, std::uint64_t body) {
  if (state.leases.claim(body)) {
    delete_chunks(state, body);
  } else {
    state.open().put(state.tables[t_doomed], number_key(body), {});
  }
}

}  // namespace

void place_body(write_state& state, object_record& record, std::string_view bytes, std::vector<digest> const& checks) {
  auto& object = record.object;
  if (bytes.empty()) return;
  bool const inside = fits_inside(object, bytes.size());
  auto const place = inside ? object_key(object.ref) : number_key(state.numbers.next_id);
  auto const known = state.open().put_new(state.tables[t_contents], object.content.view(), place);
  if (known && is_number(*known)) {
    object.body = key_number(*known);
    return add_reference(state, object.body);
  }
  if (!known) state.numbers.body_bytes += bytes.size();
  if (!known && inside) {
    record.check = checks.front();
    record.bytes = bytes;
    return;
  }
  std::string const other{known.value_or(std::string_view{})};
  object.body = state.numbers.next_id++;
  for (std::size_t i = 0; i < checks.size(); ++i)
    put_last_chunk(state, object.body, i, bytes.substr(i * chunk_payload, chunk_payload), checks[i]);
  body_record const body{.size = bytes.size(), .references = 1, .complete = true, .content = object.content};
  state.open().put_last(state.tables[t_bodies], number_key(object.body), encode(body));
  if (!known) return;
  state.open().put(state.tables[t_contents], object.content.view(), number_key(object.body));
  lead_to_chunks(state, other, object.body);
}

void drop_body_inside(write_state& state, object_record const& record) {
  auto const size = record.object.size;
  auto const content = record.object.content;
  auto const listed = state.open().get(state.tables[t_contents], content.view());
  if (listed == object_key(record.object.ref)) state.open().erase(state.tables[t_contents], content.view());
  state.numbers.body_bytes -= std::min(state.numbers.body_bytes, size);
}

std::uint64_t add_empty_body(write_state& state) {
  auto const body = state.numbers.next_id++;
  save_body(state, body, {.references = 1});
  return body;
}

void append_to_body(write_state& state, std::uint64_t body, std::uint64_t offset, std::string_view bytes) {
  auto record = load_body(state, body);
  if (record.complete || record.size != offset) throw refused{make_error_code(errc::misplaced)};
  state.numbers.body_bytes += bytes.size();
  while (!bytes.empty()) {
    auto const index = record.size / chunk_payload;
    auto const filled = record.size % chunk_payload;
    auto const part = bytes.substr(0, chunk_payload - filled);
    digest check;
    if (filled == 0) {
      check = digest_of(part, state.seed);
      put_chunk(state, body, index, part, check);
    } else {
      auto const tail = state.open().get(state.tables[t_chunks], chunk_key(body, index));
      if (!tail || tail->size() != digest_size + filled) throw refused{make_error_code(errc::damaged)};
      std::string whole{tail->substr(digest_size)};
      whole += part;
      check = digest_of(whole, state.seed);
      put_chunk(state, body, index, whole, check);
    }
    if (filled + part.size() == chunk_payload) record.fold = fold_chunk(record.fold, check, state.seed);
    record.size += part.size();
    bytes.remove_prefix(part.size());
  }
  save_body(state, body, record);
}

body_bytes complete_body(write_state& state, std::uint64_t body) {
  auto record = load_body(state, body);
  auto fold = record.fold;
  if (record.size % chunk_payload != 0) {
    auto const tail = state.open().get(state.tables[t_chunks], chunk_key(body, record.size / chunk_payload));
    if (!tail) throw refused{make_error_code(errc::damaged)};
    fold = fold_chunk(fold, digest::from(*tail), state.seed);
  }
  auto const content = seal_content(fold, record.size, state.seed);
  std::string const known{state.open().get(state.tables[t_contents], content.view()).value_or(std::string_view{})};
  if (is_number(known)) {
    add_reference(state, key_number(known));
    drop_body(state, body);
    return {key_number(known), content};
  }
  record.complete = true;
  record.content = content;
  save_body(state, body, record);
  state.open().put(state.tables[t_contents], content.view(), number_key(body));
  if (!known.empty()) {
    lead_to_chunks(state, known, body);
    state.numbers.body_bytes -= std::min(state.numbers.body_bytes, record.size);  // these bytes were stored twice
  }
  return {body, content};
}

void drop_body(write_state& state, std::uint64_t body) {
  if (body == 0) return;
  auto record = load_body(state, body);
  if (--record.references > 0) {
    save_body(state, body, record);
    return;
  }
  if (record.complete) state.open().erase(state.tables[t_contents], record.content.view());
  state.open().erase(state.tables[t_bodies], number_key(body));
  state.numbers.body_bytes -= std::min(state.numbers.body_bytes, record.size);
  delete_or_doom(state, body);
}

void reap_doomed(write_state& state) {
  std::vector<std::uint64_t> bodies;
  lmdb::cursor walk{state.open(), state.tables[t_doomed]};
  for (auto at = walk.first(); at; at = walk.next()) bodies.push_back(key_number(at->first));
  for (auto const body : bodies) {
    if (!state.leases.claim(body)) continue;
    delete_chunks(state, body);
    state.open().erase(state.tables[t_doomed], number_key(body));
  }
}

}  // namespace cistern::store
