#pragma once

/// The items of all feeds as a reader walks through them: newest first, a page at a time, by filters. What arrived in
/// the same second (a visit brings many) is in the order of publication.

#include "store/repository.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

struct item_filter {
  std::optional<std::chrono::sys_seconds> since{};   // first seen after it
  std::optional<std::chrono::sys_seconds> before{};  // first seen before it
  std::optional<std::set<std::uint64_t>> subscriptions{};
  bool unread = false;
  bool starred = false;
};

/// Where the last page ended. Opaque to callers of the API; a cursor stays good when items come and go.
struct item_cursor {
  std::chrono::sys_seconds first_seen{};
  std::chrono::sys_seconds published{};
  std::string key{};

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<item_cursor> read(std::string_view text);
};

struct item_page {
  std::vector<store::item> items{};
  std::optional<item_cursor> next{};  // nothing: these were the last
};

/// At most `limit` items. Looks at a bounded number of items: a page may be shorter than `limit` and still have a next.
[[nodiscard]] item_page list_items(store::repository& kept, item_filter const& filter,
                                   std::optional<item_cursor> const& after, std::size_t limit);

/// An item's key in addresses: 48 hexadecimal digits.
[[nodiscard]] std::string item_name(store::item const& item);
[[nodiscard]] std::optional<std::string> item_key(std::string_view name);

}  // namespace cistern::proxy
