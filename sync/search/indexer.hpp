#pragma once

/// Keeps the search index the same as the repository. What changes in the repository is marked there in the same
/// transaction (store::search_mark); here marks become changes of the index, and are erased only when these are
/// durable. So neither a power cut nor a kill at any point leaves something out. Index and repository number what they
/// did together: when the numbers do not fit (one of them was lost, restored or repaired), the index is built anew by a
/// walk through the repository, whose place is kept in the index, so that it goes on where it was.

#include "store/repository.hpp"
#include "store/search_index.hpp"
#include "sync/search/documents.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cistern::sync {

/// How far a walk through the repository is.
struct walk_state {
  bool walking = false;
  std::uint64_t done = 0;
  std::uint64_t of = 0;
};

enum class indexing_step : std::uint8_t { done, more };

/// One thread at a time.
class indexer {
public:
  indexer(store::repository& kept, store::search_index& index, document_limits limits = {})
      : kept_{kept}, index_{index}, limits_{limits} {}

  /// Opens the index and finds out whether it fits the repository.
  [[nodiscard]] store::result<void> begin();
  /// A little work, in transactions of its own; `done` when there was none.
  [[nodiscard]] store::result<indexing_step> step();
  /// Everything anew.
  [[nodiscard]] store::result<void> rebuild();
  [[nodiscard]] walk_state walk() const { return walk_; }

private:
  /// Addresses that have to be looked at, and which of their items changed.
  using places = std::map<std::string, std::set<std::string>>;

  [[nodiscard]] store::result<void> start_fresh();
  [[nodiscard]] store::result<indexing_step> take_marks();
  [[nodiscard]] store::result<void> walk_on();
  [[nodiscard]] store::result<void> settle(std::vector<store::search_mark> const& marks);
  std::string walk_items(store::search_batch& batch, std::string const& from);
  std::string walk_pages(store::search_batch& batch, std::string const& from);
  void look_at_item(store::search_batch& batch, std::string const& key, places& touched);
  void look_at_page(store::search_batch& batch, std::string const& url, places& touched);
  void place_item(store::search_batch& batch, store::item const& item, places& touched);
  void renew(store::search_batch& batch, places const& touched);
  void renew(store::search_batch& batch, std::string const& address, std::set<std::string> const& changed);

  store::repository& kept_;
  store::search_index& index_;
  document_limits limits_;
  std::string id_{};         // of this index; the repository knows it too
  std::uint64_t batch_ = 0;  // how many transactions both have made together
  walk_state walk_{};
};

}  // namespace cistern::sync
