#include "store/write_state.hpp"

namespace cistern::store {
namespace {

void put_mark(write_state& state, search_mark mark) {
  mark.number = state.numbers.next_id++;
  state.open().put(state.tables[t_search_marks], mark.key(), encode(mark));
  state.marked = true;
}

}  // namespace

/// Pages, and redirects, which say where an item's page is.
void mark_for_search(write_state& state, stored_object const& object) {
  if (!state.marking || !object.complete || object.kind == object_kind::derived) return;
  bool const page =
      object.status == 200 && object.headers.find("Content-Type").value_or("").find("html") != std::string_view::npos;
  bool const redirect = object.status >= 300 && object.status < 400 && object.headers.find("Location");
  if (page || redirect) put_mark(state, {.url_digest = object.ref.url, .url = object.url});
}

void mark_for_search(write_state& state, item const& changed) {
  if (state.marking) put_mark(state, {.item = changed.key()});
}

}  // namespace cistern::store
