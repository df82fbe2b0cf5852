#pragma once

/// What the search index holds of the repository: for each address the page that is stored there and the items that
/// lead to it, as one document. What comes out depends only on what is stored, not on the order in which it came, so
/// that an index that grew is the same as one that was built at once.

#include "store/repository.hpp"
#include "store/search_index.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::sync {

struct document_limits {
  std::uint64_t page = 4u << 20;   // larger ones are not read
  std::size_t text = 256u << 10;   // of a document; what follows is not found
  std::size_t memory = 64u << 20;  // while a page is parsed
};

/// Where an address leads, as far as stored redirects tell; `link` itself when there are none.
[[nodiscard]] std::string leads_to(store::repository& kept, std::string link);

/// Under which name an item is a document of its own: it has no link, or shares it with others of its feed.
[[nodiscard]] std::string own_name(std::string_view item_key);

/// A page that may be found: an HTML page that a site gave without an error.
[[nodiscard]] bool is_findable(store::stored_object const& object);

/// The document of an address; nothing when neither a page nor an item is there any more.
[[nodiscard]] std::optional<store::search_document> document_at(store::repository& kept, std::string const& address,
                                                                std::vector<store::item> const& items,
                                                                document_limits const& limits);

}  // namespace cistern::sync
