#include "proxy/api/item_list.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace cistern::proxy {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::size_t most_looked_at = 300'000;
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

item_cursor place_of(store::listed_item const& item) {
  return {item.first_seen, std::max(item.seen.published, sys_seconds{}), item.key};
}

bool newer(item_cursor const& a, item_cursor const& b) {
  return std::tie(a.first_seen, a.published, a.key) > std::tie(b.first_seen, b.published, b.key);
}

bool passes(item_filter const& filter, store::listed_item const& item) {
  return !(filter.unread && item.seen.read) && !(filter.starred && !item.seen.starred) &&
         !(filter.subscriptions && !filter.subscriptions->contains(item.subscription));
}

/// What was chosen so far. The store goes back in time by the second; inside a second it is put in order here.
class chosen_items {
public:
  chosen_items(std::optional<item_cursor> const& after, std::size_t enough) : after_{after}, enough_{enough} {}

  [[nodiscard]] bool is_full() const { return places_.size() >= enough_; }
  [[nodiscard]] bool is_in(sys_seconds second) const { return second == second_; }
  void begin(sys_seconds second) {
    sort_last();
    second_ = second;
  }
  void add(store::listed_item const& item) {
    auto place = place_of(item);
    if (!after_ || newer(*after_, place)) places_.push_back(std::move(place));
  }
  [[nodiscard]] std::vector<item_cursor> take() {
    sort_last();
    return std::move(places_);
  }

private:
  void sort_last() {
    std::sort(places_.begin() + static_cast<std::ptrdiff_t>(sorted_), places_.end(), newer);
    sorted_ = places_.size();
  }

  std::optional<item_cursor> const& after_;
  std::size_t enough_;
  std::vector<item_cursor> places_;
  std::size_t sorted_ = 0;
  std::optional<sys_seconds> second_{};
};

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

item_page list_items(store::repository& kept, item_filter const& filter, std::optional<item_cursor> const& after,
                     std::size_t limit) {
  auto end = filter.before.value_or(sys_seconds{forever * 2});
  if (after) end = std::min(end, after->first_seen + seconds{1});
  chosen_items chosen{after, limit + 1};
  std::optional<sys_seconds> stopped_at;
  std::size_t looked_at = 0;
  static_cast<void>(kept.scan_items_back(end, [&](store::listed_item const& item) {
    if (!chosen.is_in(item.first_seen)) {
      if ((filter.since && item.first_seen <= *filter.since) || chosen.is_full()) return false;
      if (looked_at >= most_looked_at) {
        stopped_at = item.first_seen;
        return false;
      }
      chosen.begin(item.first_seen);
    }
    ++looked_at;
    if (passes(filter, item)) chosen.add(item);
    return true;
  }));
  item_page out;
  auto places = chosen.take();
  if (places.size() > limit) {
    places.resize(limit);
    out.next = places.back();
  } else if (stopped_at) {
    out.next = item_cursor{*stopped_at + seconds{1}, {}, {}};  // behind all of the second before
  }
  for (auto const& place : places)
    if (auto one = kept.get<store::item>(place.key); one && *one) out.items.push_back(std::move(**one));
  return out;
}

}  // namespace cistern::proxy
