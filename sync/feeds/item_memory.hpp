#pragma once

/// What the repository knows of the items of one feed: tells a new item from a known, an edited and a moved one.

#include "stitch/feed/identity.hpp"
#include "store/repository.hpp"

#include <map>
#include <optional>
#include <vector>

namespace cistern::sync {

/// Belongs to one visit and one thread. Reads the repository, never writes it.
class item_memory {
public:
  item_memory(store::repository& kept, store::subscription const& of);

  enum class standing {
    fresh,
    unchanged,
    edited,
    moved,  // the same item under another id: the publisher changed how ids are made
  };
  struct sighting {
    standing what = standing::fresh;
    store::digest identity{};            // under the feed's policy
    std::optional<store::item> known{};  // unless fresh
    store::digest link_key{}, title_key{}, fingerprint{};
  };
  [[nodiscard]] sighting look_at(stitch::feed::item const& seen, stitch::feed::key_policy policy);

  /// Whether it was among the items that the feed showed when it was visited last.
  [[nodiscard]] bool in_last_window(store::digest const& identity) const { return window_.contains(identity); }
  [[nodiscard]] bool has_window() const { return !window_.empty(); }

private:
  std::optional<store::item> find(store::digest const& identity);
  void load_window();

  store::repository& kept_;
  std::uint64_t subscription_;
  std::map<store::digest, bool> window_;
  // Second and third keys of the items in the window; made when the first item without a known id comes.
  bool loaded_ = false;
  std::map<store::digest, store::digest> by_link_, by_title_;
};

}  // namespace cistern::sync
