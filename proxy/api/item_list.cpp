#include "proxy/api/item_list.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace cistern::proxy {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr seconds first_window{3600};
constexpr seconds narrowest_window{1};
constexpr std::size_t most_in_window = 1'000;  // more, and a narrower one is looked at
constexpr std::size_t most_looked_at = 50'000;
constexpr seconds forever{std::chrono::hours{24 * 366 * 80}};

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (char const c : bytes) {
    auto const byte = static_cast<unsigned char>(c);
    (out += digits[byte >> 4]) += digits[byte & 15];
  }
  return out;
}

std::optional<std::string> bytes_of(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    auto const [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (error != std::errc{} || end != text.data() + i + 2) return std::nullopt;
    out += static_cast<char>(byte);
  }
  return out;
}

std::optional<sys_seconds> time_in(std::string_view text) {
  std::int64_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0 || number > forever.count() * 2)
    return std::nullopt;
  return sys_seconds{seconds{number}};
}

sys_seconds published(store::item const& item) { return item.published.value_or(item.first_seen); }

item_cursor place_of(store::item const& item) { return {item.first_seen, published(item), item.key()}; }

bool newer(item_cursor const& a, item_cursor const& b) {
  return std::tie(a.first_seen, a.published, a.key) > std::tie(b.first_seen, b.published, b.key);
}

bool passes(item_filter const& filter, store::item const& item) {
  return !(filter.unread && item.read) && !(filter.starred && !item.starred) &&
         !(filter.subscriptions && !filter.subscriptions->contains(item.subscription)) &&
         !(filter.since && item.first_seen <= *filter.since) && !(filter.before && item.first_seen >= *filter.before);
}

}  // namespace

std::string item_cursor::text() const {
  return std::to_string(first_seen.time_since_epoch().count()) + '.' +
         std::to_string(std::max<std::int64_t>(0, published.time_since_epoch().count())) + '.' + hex(key);
}

std::optional<item_cursor> item_cursor::read(std::string_view text) {
  auto const one = text.find('.');
  auto const two = one == text.npos ? one : text.find('.', one + 1);
  if (two == text.npos || text.size() > 200) return std::nullopt;
  auto const seen = time_in(text.substr(0, one));
  auto const posted = time_in(text.substr(one + 1, two - one - 1));
  auto const key = bytes_of(text.substr(two + 1));
  if (!seen || !posted || !key) return std::nullopt;
  return item_cursor{*seen, *posted, *key};
}

std::string item_name(store::item const& item) { return hex(item.key()); }

std::optional<std::string> item_key(std::string_view name) { return name.size() == 48 ? bytes_of(name) : std::nullopt; }

/// The store walks forward in time, a reader goes back. So time is walked back in windows, each read forward: wider
/// where little was posted, narrower where much was, down to one second.
item_page list_items(store::repository& kept, item_filter const& filter, std::optional<item_cursor> const& after,
                     std::size_t limit, sys_seconds now) {
  item_page out;
  auto end = now + std::chrono::days{2};  // exclusive; a clock that was ahead once must not hide items
  if (filter.before) end = std::min(end, *filter.before);
  if (after) end = std::min(end, after->first_seen + seconds{1});
  auto const oldest = filter.since.value_or(sys_seconds{});
  std::size_t looked_at = 0;
  for (auto width = first_window; end > oldest && out.items.size() <= limit && looked_at < most_looked_at;) {
    auto const begin = end - oldest > width ? end - width : oldest;
    std::vector<store::item> found;
    std::size_t in_window = 0;
    bool const can_narrow = end - begin > narrowest_window;
    static_cast<void>(kept.scan_items_since(begin, [&](store::item const& item) {
      if (item.first_seen >= end || (can_narrow && in_window >= most_in_window)) return false;
      ++in_window;
      if (passes(filter, item) && !(after && !newer(*after, place_of(item)))) found.push_back(item);
      return true;
    }));
    looked_at += in_window;
    if (can_narrow && in_window >= most_in_window) {
      width = std::max(narrowest_window, width / 8);
      continue;
    }
    std::ranges::sort(found, [](auto const& a, auto const& b) { return newer(place_of(a), place_of(b)); });
    std::ranges::move(found, std::back_inserter(out.items));
    end = begin;
    if (in_window < most_in_window / 8) width = std::min(width * 4, forever);
  }
  bool const more = out.items.size() > limit || end > oldest;
  if (out.items.size() > limit) out.items.resize(limit);
  if (more && !out.items.empty()) out.next = place_of(out.items.back());
  if (more && out.items.empty()) out.next = item_cursor{end, end, {}};
  return out;
}

}  // namespace cistern::proxy
