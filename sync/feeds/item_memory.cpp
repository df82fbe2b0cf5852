#include "sync/feeds/item_memory.hpp"

namespace cistern::sync {

namespace {

bool is_set(store::digest const& key) { return key != store::digest{}; }

}  // namespace

item_memory::item_memory(store::repository& kept, store::subscription const& of) : kept_{kept}, subscription_{of.id} {
  for (auto const& identity : of.window) window_.emplace(identity, true);
}

std::optional<store::item> item_memory::find(store::digest const& identity) {
  store::item wanted{};
  wanted.subscription = subscription_;
  wanted.identity = identity;
  auto found = kept_.get<store::item>(wanted.key());
  return found ? std::move(*found) : std::nullopt;
}

/// A link that two items share (a comments page, the site itself) tells nothing and is left out.
void item_memory::load_window() {
  loaded_ = true;
  std::map<store::digest, int> links, titles;
  for (auto const& [identity, unused] : window_) {
    auto const known = find(identity);
    if (!known) continue;
    if (is_set(known->link_key) && ++links[known->link_key] == 1) by_link_[known->link_key] = identity;
    if (is_set(known->title_key) && ++titles[known->title_key] == 1) by_title_[known->title_key] = identity;
  }
  std::erase_if(by_link_, [&](auto const& entry) { return links[entry.first] > 1; });
  std::erase_if(by_title_, [&](auto const& entry) { return titles[entry.first] > 1; });
}

item_memory::sighting item_memory::look_at(stitch::feed::item const& seen, stitch::feed::key_policy policy) {
  auto const id = stitch::feed::identify(seen, policy);
  sighting out;
  out.identity = kept_.url_digest(id.key);
  out.fingerprint = kept_.url_digest(id.version);
  if (!id.link.empty()) out.link_key = kept_.url_digest(id.link);
  if (!id.title.empty()) out.title_key = kept_.url_digest(id.title);
  out.known = find(out.identity);
  if (out.known) {
    out.what = out.known->fingerprint == out.fingerprint ? standing::unchanged : standing::edited;
    return out;
  }
  if (!loaded_) load_window();
  auto const same_as = [&](auto const& index, store::digest const& key) -> std::optional<store::item> {
    auto const at = is_set(key) ? index.find(key) : index.end();
    return at == index.end() ? std::nullopt : find(at->second);
  };
  out.known = same_as(by_link_, out.link_key);
  if (!out.known) out.known = same_as(by_title_, out.title_key);
  if (out.known) out.what = standing::moved;
  return out;
}

}  // namespace cistern::sync
