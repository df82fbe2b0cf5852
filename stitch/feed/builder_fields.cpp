#include "stitch/entities.hpp"
#include "stitch/feed/builder.hpp"
#include "stitch/feed/date.hpp"
#include "stitch/feed/text.hpp"

#include <algorithm>
#include <charconv>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;

constexpr int longest_ttl = 10 * 365 * 24 * 60;  // minutes; more is a mistake

std::optional<int> read_count(string_view text, int most) {
  text = trimmed(text);
  int value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0 || value > most) return {};
  return value;
}

// A rel is a list of tokens, compared without case; a token may be the registry's full address.
bool has_rel(string_view rel, string_view wanted) {
  constexpr string_view registry = "http://www.iana.org/assignments/relation/";
  while (!(rel = trimmed(rel)).empty()) {
    auto token = rel.substr(0, rel.find_first_of(" \t\r\n"));
    rel.remove_prefix(token.size());
    if (same(token.substr(0, registry.size()), registry)) token.remove_prefix(registry.size());
    if (same(token, wanted)) return true;
  }
  return false;
}

bool is_html(string_view type) {
  return same(type.substr(0, 9), "text/html") || same(type.substr(0, 21), "application/xhtml+xml");
}

}  // namespace

void builder::end_link(source const& row) {
  auto& to = current();
  auto const text = trim_url(capture_.text);
  auto const href = trim_url(capture_.href);
  auto const rel = string_view{capture_.rel};
  // RSS: the text is the address and the last one counts.
  if (row.whose == vocabulary::own && !text.empty() && (href.empty() || !atom_))
    return to.link.offer(rank_of(row), string{text}, base(), text_kind::loose, true);
  if (href.empty()) {
    if (row.whose == vocabulary::atom && is_web_url(text)) to.link.offer(4, string{text}, base());  // RSS's form
    return;
  }
  auto const offer = [&](offered_text& slot) { slot.offer(0, string{href}, base()); };
  if (trimmed(rel).empty() || has_rel(rel, "alternate")) {
    bool const web = !is_absolute(href) || is_web_url(href);
    auto const type = trimmed(capture_.type);
    bool const as_registered = std::ranges::none_of(rel, [](char c) { return c >= 'A' && c <= 'Z'; });
    auto const score = (as_registered ? 8 : 0) + (web ? 4 : 0) + (is_html(type) ? 2 : type.empty() ? 1 : 0);
    if (score > to.alternate_score) {
      to.alternate_score = score;
      to.link.offer(1, string{href}, base(), text_kind::loose, true);
    }
  }
  if (in_item_) {
    if (has_rel(rel, "image")) item_.image.offer(2, string{href}, base());
    if (has_rel(rel, "enclosure") && item_.enclosures.size() < limits_.enclosures)
      item_.enclosures.push_back(
          {string{href}, string{base()}, string{trimmed(capture_.type)}, read_length(capture_.length), 0});
    if (has_rel(rel, "replies") && is_html(trimmed(capture_.type))) item_.comments.offer(1, string{href}, base());
    return;
  }
  if (has_rel(rel, "self")) offer(to.self);
  if (has_rel(rel, "hub")) offer(to.hub);
  if (has_rel(rel, "next")) offer(to.next);
  if (has_rel(rel, "prev-archive")) offer(to.prev_archive);
}

void builder::end_person(source const& row) {
  bool const elsewhere = capture_.depth > 1 && open_[capture_.depth - 2] == spot::source;
  if (!elsewhere && !current().wants_author(row.rank)) return;
  auto const most = limits_.person_bytes;
  auto name = html_to_text(clipped(capture_.name, most), tags::known);
  if (name.empty()) name = trimmed(clipped(capture_.email, most));
  if (name.empty()) name = person_name(clipped(capture_.text, most));
  if (!elsewhere)
    current().add_author(row.rank, std::move(name));
  else if (!name.empty() && item_.source_authors.size() < 64)
    item_.source_authors.push_back(std::move(name));
}

// Two names in one author are two authors, or one said twice.
void builder::next_person() {
  end_person(*capture_.row);
  capture_.name.clear();
  capture_.email.clear();
}

// Text beside the channel counts for less than the channel's own, and foreign content in Atom for less than Atom's.
int builder::rank_of(source const& row) const {
  if (wraps_channel_ && !in_item_ && capture_.depth == 2) return row.rank + nothing_yet / 2;
  return atom_ && row.to == field::content && row.element == "content" ? -1 : row.rank;
}

void builder::end_field() {
  close_tag();
  auto const& row = *capture_.row;
  auto& to = current();
  auto kind = capture_.kind;
  auto& text = capture_.text;
  capture_.row = nullptr;
  switch (row.as) {
    case form::link:
      return end_link(row);
    case form::person:
      return end_person(row);
    case form::category:
      return to.add_category(capture_.has_markup ? html_to_text(text) : text, limits_.categories);
    case form::keywords:
      for (string_view rest = text; !rest.empty();) {
        auto const comma = std::min(rest.size(), rest.find(','));
        to.add_category(rest.substr(0, comma), limits_.categories);
        rest.remove_prefix(std::min(rest.size(), comma + 1));
      }
      return;
    case form::date: {
      auto& date = row.to == field::updated ? to.updated : to.published;
      if (bad_dates_ < limits_.bad_dates && !date.offer(rank_of(row), text)) ++bad_dates_;
      return;
    }
    case form::href: {
      auto const address = trimmed(capture_.href).empty() ? trimmed(text) : trimmed(capture_.href);
      if (row.whose == vocabulary::counter && !is_web_url(address)) return;  // some put an id there
      auto& slot = row.to == field::link ? to.link : row.to == field::enclosure ? to.own_enclosure : to.image;
      return slot.offer(row.rank, string{address}, base());
    }
    case form::html:
      if (capture_.base64) {
        if (auto decoded = decode_base64(text))
          text = std::move(*decoded);
        else if (capture_.binary)
          text.clear();
        if (kind != text_kind::plain) kind = text_kind::html;
      } else if (capture_.has_markup && kind == text_kind::plain) {
        kind = text_kind::markup;
      } else if (!capture_.has_markup && row.whose == vocabulary::xhtml) {
        text = decode_references(text);  // CDATA instead of elements
        kind = text_kind::loose;
      }
      break;
    default:
      break;
  }
  switch (row.to) {
    case field::title:
      return to.title.offer(rank_of(row), std::move(text), base(), kind);
    case field::summary:
      // RSS's description beside a summary, whichever comes second, is the longer text.
      if (in_item_ && row.whose == vocabulary::own && row.rank + to.summary.rank == 1 && !trimmed(text).empty())
        return to.content.offer(5, std::move(text), base(), kind);
      return to.summary.offer(rank_of(row), std::move(text), base(), kind);
    case field::content:
      return to.content.offer(rank_of(row), std::move(text), base(), kind);
    case field::id:
      return to.id.offer(row.rank, std::move(text), base());
    case field::comments:
      return to.comments.offer(row.rank, std::move(text), base());
    case field::hash:
      if (media_depth_ == 0) return offer_hash(item_.hash, capture_.type, text);
      if (media_has_url_) offer_hash(item_.enclosures.back().hash, capture_.type, text);
      return;
    case field::language:
      return to.language.offer(row.rank, std::move(text), {});
    case field::ttl:
      if (auto const ttl = read_count(text, longest_ttl); ttl && !header_.ttl_minutes) header_.ttl_minutes = ttl;
      return;
    case field::update_period:
      if (header_.update_period.empty()) header_.update_period = clipped(trimmed(text), 64);
      return;
    case field::update_frequency:
      if (auto const count = read_count(text, 1'000'000); count && !header_.update_frequency)
        header_.update_frequency = count;
      return;
    case field::update_base:
      if (!header_.update_base) header_.update_base = parse_date(text);
      return;
    default:
      return;
  }
}

}  // namespace cistern::stitch::feed
