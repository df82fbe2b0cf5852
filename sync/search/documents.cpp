#include "sync/search/documents.hpp"

#include "stitch/feed/text.hpp"
#include "stitch/html/readable.hpp"
#include "store/invalidation.hpp"
#include "store/url.hpp"
#include "sync/http/origin.hpp"
#include "sync/plain_body.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

using std::chrono::sys_seconds;

constexpr int most_hops = 5;

bool is_html(store::stored_object const& object) {
  auto const type = object.headers.find("Content-Type").value_or("");
  return type.find("html") != type.npos;
}

struct page_words {
  std::string title{};
  std::string text{};
  sys_seconds when{};
};

std::optional<page_words> words_of_page(store::repository& kept, std::string const& address,
                                        document_limits const& limits) {
  auto const found = kept.find(address, is_findable);
  if (!found || !*found) return std::nullopt;
  auto const& object = **found;
  page_words out{.when = object.responded};
  auto const body = plain_body(kept, object, limits.page);
  if (!body) return out;
  auto const type = object.headers.find("Content-Type").value_or("");
  auto const page = stitch::html::document::parse(*body, {.content_type = type, .limits = {.memory = limits.memory}});
  if (!page) return out;
  auto read = stitch::html::readable(*page, limits.text);
  out.title = std::move(read.title);
  out.text = std::move(read.text);
  return out;
}

std::string words_of_item(store::item const& item, document_limits const& limits) {
  auto out = stitch::html::readable_text(item.content, limits.text);
  if (out.empty()) out = stitch::html::readable_text(item.summary, limits.text);
  return out;
}

/// A page mostly says what its item says, and more; where it does not (it is a teaser, or a script makes it), both
/// count.
void add_words(std::string& page, std::string const& item) {
  constexpr std::size_t beginning = 100;
  auto const first = stitch::feed::clipped(item, beginning);
  if (page.find(first) == page.npos) page = page.empty() ? item : page + '\n' + item;
}

/// Who wrote it and under which headings: not in the text, and looked for.
std::string about(store::item const& item) {
  auto out = item.author;
  for (auto const& category : item.categories) (out += out.empty() ? "" : " · ") += category;
  return std::string{stitch::feed::clipped(out, 2000)};
}

}  // namespace

std::string leads_to(store::repository& kept, std::string link) {
  for (int hop = 0; hop < most_hops; ++hop) {
    auto const stored = kept.find(link);
    if (!stored || !*stored) break;
    auto const& object = **stored;
    auto const location = object.headers.find("Location");
    if (object.status < 300 || object.status > 399 || !location) break;
    auto const target = store::resolve_reference(object.url, *location);
    auto const next = target ? store::normalise_url(*target) : std::nullopt;
    if (!next || *next == link) break;
    link = *next;
  }
  return link;
}

std::string own_name(std::string_view item_key) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "item:";
  for (char const c : item_key) {
    auto const byte = static_cast<unsigned char>(c);
    (out += digits[byte >> 4]) += digits[byte & 15];
  }
  return out;
}

bool is_findable(store::stored_object const& object) {
  using store::object_kind;
  bool const page =
      object.kind == object_kind::page || object.kind == object_kind::homepage || object.kind == object_kind::other;
  return page && object.complete && object.status == 200 && is_html(object);
}

std::optional<store::search_document> document_at(store::repository& kept, std::string const& address,
                                                  std::vector<store::item> const& items,
                                                  document_limits const& limits) {
  auto page = words_of_page(kept, address, limits);
  if (!page && items.empty()) return std::nullopt;
  store::search_document out{.name = address, .url = address, .host = host_in(address), .page = page.has_value()};
  if (page) {
    out.title = std::move(page->title);
    out.text = std::move(page->text);
    out.when = page->when;
  }
  if (items.empty()) return out;
  auto const& first = items.front();
  out.item = first.key();
  out.when = first.published.value_or(first.first_seen);
  auto const title = stitch::feed::html_to_text(first.title, stitch::feed::tags::known);
  if (!title.empty()) out.title = title;
  add_words(out.text, words_of_item(first, limits));
  if (auto const more = about(first); !more.empty()) (out.text += out.text.empty() ? "" : "\n") += more;
  if (out.url.starts_with("item:")) {
    out.url = first.link;
    out.host = host_in(first.link);
  }
  return out;
}

}  // namespace cistern::sync
