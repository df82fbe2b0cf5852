#include "stitch/feed/draft.hpp"

#include "stitch/entities.hpp"
#include "stitch/feed/date.hpp"
#include "stitch/feed/links.hpp"
#include "stitch/feed/sources.hpp"
#include "stitch/feed/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;

constexpr std::size_t longest_url = 32 * 1024;
constexpr int most_repeats = 8;  // of a date in one item

/// Resolvers are made once per base: an item has one, nearly always the document's.
class finisher {
public:
  finisher(url_resolver const& document, limits const& bounds, allowance& growth)
      : document_{document}, most_{bounds.text_growth}, growth_{growth} {}

  string url(offered_text const& from) const {
    if (from.empty()) return {};
    return url(from.text, from.base);
  }

  string url(string_view text, string_view base) const {
    text = trim_url(text);
    if (text.empty() || text.size() > longest_url) return {};
    if (growth_.left() == 0 && !is_absolute(text)) return {};
    auto out = resolve(base.empty() ? document_.base() : resolve(document_.base(), base), decode_amp(text));
    if (out.size() > text.size() && !growth_.spend(out.size() - text.size())) return {};
    return out;
  }

  string title(offered_text&& from) const {
    if (from.kind == text_kind::plain) return string{trimmed_line(from.text)};
    return html_to_text(from.text, from.kind == text_kind::loose ? tags::known : tags::all);
  }

  string html(offered_text&& from) const { return html(std::move(from), document_); }

  string html(offered_text&& from, url_resolver const& page) const {
    if (from.empty()) return {};
    auto& text = from.text;
    auto const inner = trimmed(text);
    if (inner.size() != text.size()) text = string{inner};
    if (from.kind == text_kind::plain) return std::move(text);
    auto const size = text.size();
    auto const most = std::min(most_, growth_.left());
    if (most == 0) return std::move(text);
    auto out = from.base.empty()
                   ? absolute_links(std::move(text), page, most)
                   : absolute_links(std::move(text), url_resolver{resolve(document_.base(), from.base)}, most);
    if (out.size() > size) growth_.spend(out.size() - size);
    return out;
  }

private:
  // CDATA around an escaped address leaves "&amp;" in it; no address means that.
  static string decode_amp(string_view text) {
    string out{text};
    for (auto at = out.find("&amp;"); at != string::npos; at = out.find("&amp;", at + 1)) out.erase(at + 1, 4);
    return out;
  }

  url_resolver const& document_;
  std::size_t most_;
  allowance& growth_;
};

// "3" or "see below" in a place for an address is none, though it would resolve.
bool looks_like_address(string_view text) {
  text = trim_url(text);
  if (text.find_first_of(" \t\n") != string_view::npos) return false;
  return is_web_url(text) || (!is_absolute(text) && text.find_first_of("/.?#") != string_view::npos);
}

}  // namespace

string joined(std::vector<string> const& names) {
  string out;
  for (auto const& name : names) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

void offered_text::offer(int new_rank, string new_text, string_view new_base, text_kind new_kind, bool last_wins) {
  if (new_rank > rank || (new_rank == rank && !last_wins) || trimmed(new_text).empty()) return;
  text = std::move(new_text);
  base = new_base;
  kind = new_kind;
  rank = new_rank;
}

bool offered_date::offer(int new_rank, string_view text) {
  if (new_rank > rank || (new_rank == rank && ++repeats > most_repeats)) return true;
  auto const read = parse_date(text);
  if (!read) return false;
  time = read;
  zone = stated_offset(text);
  rank = new_rank;
  return true;
}

void draft::add_author(int rank, string name) {
  if (name.empty() || !wants_author(rank)) return;
  if (rank < author_rank) authors.clear();
  author_rank = rank;
  if (std::ranges::find(authors, name) == authors.end()) authors.push_back(std::move(name));
}

void draft::add_category(string_view text, std::size_t most) {
  auto const name = trimmed(text);
  if (name.empty() || name.size() > 1024 || categories.size() >= most) return;
  auto decoded = name.find('&') == string_view::npos ? string{name} : decode_references(name);
  // Few categories, as almost always, need no index.
  if (categories.size() < 16) {
    if (std::ranges::find(categories, decoded) != categories.end()) return;
  } else {
    if (seen_categories.empty()) seen_categories.insert(categories.begin(), categories.end());
    if (!seen_categories.insert(decoded).second) return;
  }
  categories.push_back(std::move(decoded));
}

std::optional<std::uint64_t> read_length(string_view text) {
  text = trimmed(text);
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

void offer_hash(string& held, string_view algorithm, string_view digits) {
  struct known {
    string_view name;
    std::size_t digits;
  };
  constexpr std::array<known, 3> methods{known{"md5", 32}, {"sha-1", 40}, {"sha-256", 64}};
  auto name = lowered(trimmed(algorithm));
  if (name.empty()) name = "md5";  // Media RSS: the default
  auto const hex = lowered(trimmed(digits));
  bool const possible =
      std::ranges::any_of(methods, [&](known const& m) { return m.name == name && m.digits == hex.size(); }) &&
      hex.find_first_not_of("0123456789abcdef") == string::npos;
  auto offered = name + ' ' + hex;
  if (possible && offered.size() > held.size()) held = std::move(offered);  // more digits prove more
}

string read_language(string_view text) {
  string out{clipped(trimmed(text), 64)};
  auto const in_tag = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (std::ranges::all_of(out, in_tag)) std::ranges::replace(out, '_', '-');
  return out;
}

item finished_item(draft&& from, surroundings const& around) {
  finisher const finish{around.document, around.bounds, around.growth};
  item out;
  out.id = trimmed(from.id.text);
  // RSS: without a link the guid is one, unless it says that it is not or does not look like it.
  if (from.link.rank >= last_resort && from.guid_is_link && is_web_url(out.id)) from.link.offer(0, out.id, {});
  out.link = finish.url(from.link);
  out.title = finish.title(std::move(from.title));
  out.summary_is_text = !from.summary.empty() && from.summary.kind == text_kind::plain;
  out.content_is_text = !from.content.empty() && from.content.kind == text_kind::plain;
  // A text comes from its item's page sooner than from the site's.
  std::optional<url_resolver> own;
  if (around.site_only && is_web_url(out.link)) own.emplace(out.link);
  auto const& page = own ? *own : around.document;
  out.summary = finish.html(std::move(from.summary), page);
  out.content = finish.html(std::move(from.content), page);
  out.author = joined(!from.authors.empty() ? from.authors : from.source_authors);
  if (out.author.empty() && around.growth.spend(around.author.size())) out.author = around.author;
  out.published = from.published.time;
  out.updated = from.updated.time;
  out.zone = out.published ? from.published.zone : from.updated.zone;
  out.categories = std::move(from.categories);
  if (looks_like_address(from.comments.text)) out.comments = finish.url(from.comments);
  std::ranges::stable_sort(from.enclosures, {}, &offered_enclosure::rank);
  if (!from.own_enclosure.empty() && !from.enclosures.empty())
    from.enclosures.front().url = std::move(from.own_enclosure.text);
  for (auto& given : from.enclosures) {
    auto url = finish.url(given.url, given.base);
    if (url.empty()) continue;
    // media:content beside an enclosure of the same address may know its type, length or digest.
    if (auto const same = std::ranges::find(out.enclosures, url, &enclosure::url); same != out.enclosures.end()) {
      if (same->type.empty()) same->type = std::move(given.type);
      if (!same->length) same->length = given.length;
      if (same->hash.empty()) same->hash = std::move(given.hash);
      continue;
    }
    out.enclosures.push_back({std::move(url), std::move(given.type), given.length, std::move(given.hash)});
  }
  if (out.enclosures.size() == 1 && out.enclosures.front().hash.empty())
    out.enclosures.front().hash = std::move(from.hash);
  out.image = finish.url(from.image);
  auto const is_picture = [](enclosure const& e) { return same(string_view{e.type}.substr(0, 6), "image/"); };
  if (auto const picture = std::ranges::find_if(out.enclosures, is_picture);
      out.image.empty() && picture != out.enclosures.end() && around.growth.spend(picture->url.size()))
    out.image = picture->url;
  return out;
}

void finish_channel(draft&& from, surroundings const& around, feed& to) {
  finisher const finish{around.document, around.bounds, around.growth};
  to.title = finish.title(std::move(from.title));
  to.link = finish.url(from.link);
  to.description = finish.html(std::move(from.summary));
  to.self = finish.url(from.self);
  to.hub = finish.url(from.hub);
  to.next = finish.url(from.next);
  to.prev_archive = finish.url(from.prev_archive);
  to.language = read_language(from.language.text);
  to.updated = from.updated.time;
}

}  // namespace cistern::stitch::feed
