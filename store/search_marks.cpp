#include "store/write_state.hpp"

namespace cistern::store {
namespace {

void put_mark(write_state& state, search_mark mark) {
  mark.number = state.numbers.next_id++;
  state.open().put(state.tables[t_search_marks], mark.key(), encode(mark));
  state.marked = true;
}

/// Marks are for an index that was begun: one that is made later looks at all there is. So where nobody searches the
/// table stays empty, however much is written and evicted.
bool is_indexed(write_state& state) {
  if (!state.marking) return false;
  if (!state.indexed) state.indexed = state.open().get(state.tables[t_settings], search_state_name).has_value();
  return *state.indexed;
}

}  // namespace

/// Pages, and redirects, which say where an item's page is.
void mark_for_search(write_state& state, stored_object const& object) {
  if (!object.complete || object.kind == object_kind::derived || !is_indexed(state)) return;
  bool const page =
      object.status == 200 && object.headers.find("Content-Type").value_or("").find("html") != std::string_view::npos;
  bool const redirect = object.status >= 300 && object.status < 400 && object.headers.find("Location");
  if (page || redirect) put_mark(state, {.url_digest = object.ref.url, .url = object.url});
}

void mark_for_search(write_state& state, item const& changed) {
  if (is_indexed(state)) put_mark(state, {.item = changed.key()});
}

}  // namespace cistern::store
