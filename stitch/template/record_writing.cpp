#include "stitch/entities.hpp"
#include "stitch/html/sanitizer.hpp"
#include "stitch/template/links.hpp"
#include "stitch/template/record_template.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <set>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::node_id;
using html::node_kind;

bool within(document const& page, node_id n, node_id top) { return n >= top && n < page[top].end; }

std::string_view attribute_name(record_view const& v, leaf const& l) {
  return (v.page->attributes_begin(l.node) + l.attribute)->name;
}

bool has_word(std::string_view text) { return !words_of(text).empty(); }

// Of attributes that nothing explains, those that only say how a record looks may stay.
bool is_presentation(std::string_view name, std::string_view value) {
  if (name == "style") return value.find("url(") == std::string_view::npos;
  return name == "class" || name == "rel" || name == "target" || name == "role" || name == "width" ||
         name == "height" || name == "itemprop" || name == "itemscope" || name == "itemtype" || name == "type" ||
         name == "colspan" || name == "align";
}

std::string applied(std::string_view source, std::uint32_t begin, std::uint32_t end, auto edits) {
  std::sort(edits.begin(), edits.end(),
            [](auto const& x, auto const& y) { return x.begin != y.begin ? x.begin < y.begin : x.end > y.end; });
  std::string out;
  auto at = begin;
  for (auto const& e : edits) {
    if (e.begin < at || e.end > end) continue;  // inside something that was replaced as a whole
    out += source.substr(at, e.begin - at);
    out += e.text;
    at = e.end;
  }
  out += source.substr(at, end - at);
  return out;
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string cut_title(std::string const& title, std::size_t length, std::string const& ending) {
  if (characters_in(title) <= length + characters_in(ending)) return title;
  std::size_t at = 0;
  for (std::size_t n = 0; at < title.size(); ++at)
    if ((static_cast<unsigned char>(title[at]) & 0xC0) != 0x80 && n++ == length) break;
  return title.substr(0, at) + ending;
}

// Where blocks may not stand.
bool is_narrow(std::string_view holder, bool bare_text) {
  static constexpr std::string_view narrow[] = {"p",  "span", "a",     "em", "i",  "b",  "strong", "h1",     "h2",
                                                "h3", "h4",   "small", "h5", "h6", "dt", "label",  "summary"};
  static constexpr std::string_view wide[] = {"div", "td", "li", "section", "article"};
  auto const in = [&](auto const& names) {
    return std::find(std::begin(names), std::end(names), holder) != std::end(names);
  };
  return in(narrow) || (bare_text && !in(wide));
}

}  // namespace

// How far the places that this sample has for categories are from those that the item needs.
double record_template::misplaced_categories(record_view const& v, feed::item const& item) const {
  double out = 0;
  for (auto const& [name, place] : category_places_) {
    auto const k = std::find_if(v.categories.begin(), v.categories.end(),
                                [&, name = name](categories_shown const& c) { return c.place == name; });
    bool const has = k != v.categories.end();
    auto const wanted = place.choice.of(item).size();
    if (has != (wanted > 0)) out += 1;
    if (has && wanted > 1 && k->each.size() == 1) out += 0.3;
  }
  return out;
}

record_view const& record_template::model_for(feed::item const& item, record const* except) const {
  record_view const* best = nullptr;
  double best_penalty = 1e9;
  auto const& text = cache_.text(item);
  bool const has_body = excerpts_[0].shows(text);
  auto const bodies = !has_body ? 0u : excerpts_[1].shows(text) ? 2u : 1u;
  auto const is_cut = [&](feed::item const& i) {  // where a text is cut a record may offer the rest
    auto const& t = cache_.text(i);
    auto const& rule = excerpts_[0].of(t);
    return rule.count(t.of(rule.from)) < t.of(rule.from).words().size();
  };
  bool const cut_here = has_body && is_cut(item);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    auto const& v = samples_[i];
    if (v.of == except) continue;
    double penalty = 0.05 * static_cast<double>(i);
    if (has_body == v.bodies.empty()) penalty += 6;
    if (v.bodies.size() < bodies) penalty += 4;
    if (has_body && !v.bodies.empty() && is_cut(*v.item) != cut_here) penalty += 2;
    penalty += 3 * misplaced_categories(v, item);
    std::set<std::uint64_t> have;
    for (auto const& l : v.leaves) {
      have.insert(l.path);
      if (2 * seen_.at(l.path) < samples_.size()) penalty += 0.3;
      auto const& p = patterns_.at(l.path);
      bool const odd = l.attribute >= 0 && p.constant() && p.support >= 0.5 && p.write({}) != std::string{l.value};
      if (odd) penalty += 0.5;  // dressed unlike the others
      if (!p.explained()) penalty += l.attribute < 0 ? 0.3 : 0.05;
    }
    for (auto const& [path, n] : seen_)
      if (2 * n > samples_.size() && !have.contains(path)) penalty += 0.5;
    if (penalty < best_penalty) best_penalty = penalty, best = &v;
  }
  return best ? *best : samples_.front();
}

void record_template::write_link(leaf const& l, item_fields const& item, std::vector<edit>& edits) const {
  auto const& p = patterns_.at(l.path);
  auto text = p.write(item);
  if (!text || !p.explained() || key_of(resolve(items_.base(), *text)) != key_of(*item.find(field::link))) {
    auto const* const link =
        item.find(l.value.starts_with('/') && !l.value.starts_with("//") ? field::path : field::link);
    text = link ? *link : *item.find(field::link);
  }
  edits.push_back({l.begin, l.end, "href=\"" + escape_attribute(*text) + "\""});
}

void record_template::write_attribute(record_view const& v, leaf const& l, std::optional<std::string> const& text,
                                      bool trusted, std::vector<edit>& edits) const {
  auto const& page = *v.page;
  auto const name = attribute_name(v, l);
  if (trusted && text && patterns_.at(l.path).explained()) {
    if (*text != l.value) edits.push_back({l.begin, l.end, std::string{name} + "=\"" + escape_attribute(*text) + "\""});
    return;
  }
  if (is_presentation(name, l.value) || (witnesses_ == 1 && name == "href")) return;
  if (name == "src" && page.is(l.node, "img"))
    edits.push_back({page[l.node].begin, page[l.node].finish, ""});
  else
    edits.push_back({l.begin, l.end, ""});
}

void record_template::write_leaf(record_view const& v, leaf const& l, item_fields const& item,
                                 std::vector<edit>& edits) const {
  auto const& p = patterns_.at(l.path);
  auto const& page = *v.page;
  bool const in_link = l.attribute < 0 && within(page, l.node, v.of->link);
  bool const is_href = l.attribute >= 0 && attribute_name(v, l) == "href";
  // Where nobody knows to what a title led, it leads to its item.
  bool const of_title =
      is_href && !p.explained() && single_spaced(page.text_of(l.node)) == single_spaced(v.item->title);
  if (is_href && (l.node == v.of->link || of_title)) return write_link(l, item, edits);
  if (in_link && p.constant() && p.support >= 0.5 && has_witnesses(l.path)) return;
  auto text =
      p.constant() && has_witnesses(l.path) && p.support >= 0.5 ? std::optional{std::string{l.value}} : p.write(item);
  if (auto const cut = title_cuts_.find(l.path); cut != title_cuts_.end() && text && item.find(field::title))
    text = cut_title(*item.find(field::title), cut->second.length, cut->second.ending);
  bool const trusted = p.support >= 0.5 && (has_witnesses(l.path) || !p.constant());
  if (in_link && (!trusted || !p.explained())) {
    // However the page changes its titles, a link that says nothing is worse.
    bool const says_all = has_word(l.value) && trimmed(l.value) == trimmed(page.text_of(v.of->link));
    if (auto const* title = item.find(field::title);
        title && (says_all || share_of_words(lower(v.item->title), lower(l.value)) > 0.5)) {
      edits.push_back({l.begin, l.end, escape_text(*title)});
      return;
    }
  }
  if (l.attribute >= 0) return write_attribute(v, l, text, trusted, edits);
  if (trusted && text) {
    bool const says = p.explained() || (has_word(*text) && !p.prose());
    if (*text != l.value) edits.push_back({l.begin, l.end, says ? escape_text(*text) : std::string{}});
    return;
  }
  // With a single witness nobody can tell a label from a text; short ones are labels.
  if (witnesses_ == 1 && p.constant() && words_of(l.value).size() <= 3) return;
  if (has_word(l.value)) edits.push_back({l.begin, l.end, ""});
}

void record_template::write_body(record_view const& v, std::size_t which, feed::item const& item,
                                 std::vector<edit>& edits) const {
  auto const& page = *v.page;
  auto const& b = v.bodies[which];
  auto const& rule = excerpts_[which].of(cache_.text(item));
  auto const& first = page[b.first];
  auto const& last = page[b.last];
  auto const& text = cache_.text(item).of(rule.from);
  auto const count = rule.count(text);
  auto const holder = b.whole_element ? first.name : page[first.parent].name;
  bool const bare_text = !b.whole_element && first.kind == node_kind::text;
  // A post of one paragraph, which another one's several blocks take the place of.
  bool const own_block = b.whole_element && first.name == "p" &&
                         page.attributes_begin(b.first) == page.attributes_end(b.first) && !rule.plain &&
                         count > text.blocks().front();
  bool const narrow = !own_block && is_narrow(holder, bare_text);
  auto out = rule.plain ? escape_text(text.text(count))
                        : html::sanitized(text.html(count, narrow || (bare_text && rule.by != cut::all)));
  if (count < text.words().size()) out += rule.ellipsis;
  if (!b.whole_element && first.name == "p" && out.find("<p") == std::string::npos) out = "<p>" + out + "</p>";
  if (b.whole_element && !own_block)
    edits.push_back({first.inner_begin, first.inner_finish, out});
  else
    edits.push_back({first.begin, last.finish, out});
}

// A category's link as other records have it, or the first one's with the name put in wherever the old one stood.
std::string record_template::write_category(record_view const& v, categories_shown const& at,
                                            std::string const& shown) const {
  auto const& page = *v.page;
  auto const n = at.each[0];
  auto const& links = category_places_.at(at.place).links;
  if (auto const known = links.find(std::string{page[n].name} + " " + bare_name(shown)); known != links.end())
    return known->second;
  auto const old = single_spaced(page.text_of(n));
  std::pair<std::string, std::string> const spellings[] = {{old, shown},
                                                           {slug_of(old), slug_of(shown)},
                                                           {lower(old), lower(shown)},
                                                           {percent_encode(old), percent_encode(shown)}};
  std::vector<edit> inner;
  for (auto m = n; m < page[n].end; ++m) {
    if (page[m].kind == node_kind::text && has_word(page[m].text))
      inner.push_back({page[m].begin, page[m].finish,
                       escape_text((page[m].text.find('#') != std::string_view::npos ? "#" : "") + shown)});
    for (auto const* a = page.attributes_begin(m); a != page.attributes_end(m); ++a) {
      std::string value{a->value};
      for (auto const& [from, to] : spellings)
        if (auto const where = from.empty() ? std::string::npos : value.rfind(from); where != std::string::npos) {
          value.replace(where, from.size(), to);
          break;
        }
      if (value != a->value)
        inner.push_back({a->begin, a->end, std::string{a->name} + "=\"" + escape_attribute(value) + "\""});
    }
  }
  return applied(page.source(), page[n].begin, page[n].finish, inner);
}

void record_template::write_categories(record_view const& v, feed::item const& item, std::vector<edit>& edits) const {
  auto const& page = *v.page;
  for (auto const& k : v.categories) {
    auto const& place = category_places_.at(k.place);
    std::string out;
    for (auto const& name : place.choice.of(item)) {
      if (!out.empty()) out += place.joint;
      out += write_category(v, k, single_spaced(name));
    }
    edits.push_back({page[k.first].begin, page[k.last].finish, out});
  }
}

std::string record_template::write_like(record_view const& v, item_id id, feed::item const& item) const {
  auto const& page = *v.page;
  auto const& fields = cache_.fields(item, id);
  std::vector<edit> edits;
  for (std::size_t body = 0; body < v.bodies.size(); ++body) write_body(v, body, item, edits);
  write_categories(v, item, edits);
  for (auto const& l : v.leaves) write_leaf(v, l, fields, edits);
  auto const& root = page[v.of->root];
  if (root.kind == node_kind::element && root.placed) {  // label what was made
    auto const at = root.begin + 1 + static_cast<std::uint32_t>(root.name.size());
    edits.push_back({at, at, " data-cistern-item=\"" + escape_attribute(items_[id].key) + "\""});
  }
  return applied(page.source(), page[v.of->first].begin, page[v.of->last].finish, std::move(edits));
}

std::string record_template::write(item_id id, feed::item const& item, record const* except) const {
  return write_like(model_for(item, except), id, item);
}

}  // namespace cistern::stitch::templates
