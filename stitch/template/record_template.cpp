#include "stitch/template/record_template.hpp"

#include "stitch/html/sanitizer.hpp"
#include "stitch/template/links.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::no_node;
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

std::map<std::string_view, int> tally(std::vector<std::string_view> const& words) {
  std::map<std::string_view, int> out;
  for (auto const& w : words) ++out[w];
  return out;
}

std::size_t missing(std::map<std::string_view, int> const& from, std::map<std::string_view, int> const& in) {
  std::size_t out = 0;
  for (auto const& [w, n] : from) {
    auto const i = in.find(w);
    out += static_cast<std::size_t>(std::max(0, n - (i == in.end() ? 0 : i->second)));
  }
  return out;
}

}  // namespace

item_text const& item_cache::text(feed::item const& item) {
  auto& t = texts_[&item];
  if (!t) t = std::make_unique<item_text>(item);
  return *t;
}

item_fields const& item_cache::fields(feed::item const& item, std::string_view link) {
  auto& f = fields_[&item];
  if (!f) f = std::make_unique<item_fields>(fields_of(item, link, items_.base()));
  return *f;
}

record_template::record_template(std::vector<record_view> samples, item_table const& items, item_cache& cache)
    : samples_{std::move(samples)}, items_{items}, cache_{cache} {
  learn_excerpt_rule();
  learn_patterns();
  learn_categories();
}

void record_template::learn_excerpt_rule() {
  double best = 0;
  for (bool const from_content : {false, true}) {
    std::vector<excerpt_sample> found;
    std::size_t bodies = 0;
    for (auto const& v : samples_) {
      bodies += v.body.has_value();
      auto const shown = !v.body ? 0 : from_content ? v.body->of_content : v.body->of_summary;
      if (shown > 0) found.push_back(excerpt_sample_of(v, from_content, shown));
    }
    if (found.empty()) continue;
    auto rule = learn_excerpt(found, from_content);
    auto const worth = rule.support * static_cast<double>(found.size()) / static_cast<double>(bodies);
    if (worth <= best) continue;
    best = worth;
    excerpt_ = std::move(rule);
  }
}

excerpt_sample record_template::excerpt_sample_of(record_view const& v, bool from_content, std::size_t shown) const {
  auto const& text = cache_.text(*v.item);
  excerpt_sample s{from_content ? &text.full : &text.summary, shown, false, {}};
  for (auto n = v.body->first; n < (*v.page)[v.body->last].end; ++n)
    s.has_markup |=
        (*v.page)[n].kind == node_kind::element && n != v.body->first && !v.page->is(n, "p") && !v.page->is(n, "br");
  auto const ending = v.page->text_of(v.body->last);
  for (auto const* end : {"…", "[...]", "...", "[…]"})
    if (trimmed(ending).ends_with(end) && s.ending.size() < std::string_view{end}.size()) s.ending = end;
  return s;
}

void record_template::learn_patterns() {
  std::map<std::uint64_t, std::vector<sample>> values;
  for (auto const& v : samples_) {
    auto const& fields = cache_.fields(*v.item, items_[v.of->item].link);
    for (auto const& l : v.leaves) {
      auto& rows = values[l.path];  // the same item on two pages is one witness
      bool const heard = std::any_of(
          rows.begin(), rows.end(), [&](sample const& s) { return s.value == l.value && s.item->link == fields.link; });
      if (!heard) rows.push_back({l.value, &fields});
    }
  }
  std::set<item_id> distinct;
  for (auto const& v : samples_) distinct.insert(v.of->item);
  witnesses_ = distinct.size();
  for (auto const& [path, rows] : values) {
    patterns_[path] = learn_pattern(rows);
    seen_[path] = rows.size();
    learn_title_cut(path, rows);
  }
}

// Long titles that are shown cut, all at the same length, while shorter ones are whole.
void record_template::learn_title_cut(std::uint64_t path, std::vector<sample> const& rows) {
  title_cut found;
  std::size_t whole = 0;
  for (auto const& r : rows) {
    auto const* const title = r.item->find(field::title);
    auto shown = trimmed(r.value);
    if (!title) continue;
    if (shown == *title) {
      whole = std::max(whole, characters_in(*title));
      continue;
    }
    std::string_view ending;
    for (std::string_view const end : {"...", "…"})
      if (shown.ends_with(end)) ending = end;
    shown.remove_suffix(ending.size());
    shown = trimmed(shown);
    if (characters_in(shown) < 10 || !title->starts_with(shown)) continue;
    found.length = std::max(found.length, characters_in(shown));
    found.ending = ending;
  }
  if (found.length > 0 && whole <= found.length + characters_in(found.ending)) title_cuts_[path] = found;
}

void record_template::learn_categories() {
  std::map<std::string, std::size_t> joints;
  for (auto const& v : samples_) {
    if (!v.categories) continue;
    for (auto const n : v.categories->each)
      category_links_.try_emplace(lower(single_spaced(v.page->text_of(n))), std::string{v.page->source_of(n)});
    for (std::size_t i = 1; i < v.categories->each.size(); ++i) {
      auto const from = (*v.page)[v.categories->each[i - 1]].finish, to = (*v.page)[v.categories->each[i]].begin;
      if (from <= to) ++joints[std::string{v.page->source().substr(from, to - from)}];
    }
  }
  std::size_t most = 0;
  for (auto const& [joint, count] : joints)
    if (count > most) most = count, category_joint_ = joint;
}

record_view const& record_template::model_for(feed::item const& item, record const* except) const {
  record_view const* best = nullptr;
  double best_penalty = 1e9;
  auto const& text = cache_.text(item);
  bool const has_body = excerpt_.by != cut::none && !(excerpt_.from_content ? text.full : text.summary).words().empty();
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    auto const& v = samples_[i];
    if (v.of == except) continue;
    double penalty = 0.05 * static_cast<double>(i);
    if (has_body != v.body.has_value()) penalty += 6;
    if (item.categories.empty() == v.categories.has_value()) penalty += 3;
    std::set<std::uint64_t> have;
    for (auto const& l : v.leaves) {
      have.insert(l.path);
      if (2 * seen_.at(l.path) < samples_.size()) penalty += 0.3;
      if (!patterns_.at(l.path).explained()) penalty += l.attribute < 0 ? 0.3 : 0.05;
    }
    for (auto const& [path, n] : seen_)
      if (2 * n > samples_.size() && !have.contains(path)) penalty += 0.5;
    if (penalty < best_penalty) best_penalty = penalty, best = &v;
  }
  return best ? *best : samples_.front();
}

void record_template::write_leaf(record_view const& v, leaf const& l, item_fields const& item,
                                 std::vector<edit>& edits) const {
  auto const& p = patterns_.at(l.path);
  auto const& page = *v.page;
  bool const in_link = l.attribute < 0 && within(page, l.node, v.of->link);
  if (l.attribute >= 0 && l.node == v.of->link && attribute_name(v, l) == "href") {
    auto text = p.write(item);
    if (!text || !p.explained() || key_of(resolve(items_.base(), *text)) != key_of(*item.find(field::link))) {
      auto const* const link =
          item.find(l.value.starts_with('/') && !l.value.starts_with("//") ? field::path : field::link);
      text = link ? *link : *item.find(field::link);
    }
    edits.push_back({l.begin, l.end, "href=\"" + escape_attribute(*text) + "\""});
    return;
  }
  if (in_link && p.constant() && p.support >= 0.5 && seen_.at(l.path) > 1) return;
  auto text =
      p.constant() && seen_.at(l.path) > 1 && p.support >= 0.5 ? std::optional{std::string{l.value}} : p.write(item);
  if (auto const cut = title_cuts_.find(l.path); cut != title_cuts_.end() && text && item.find(field::title))
    text = cut_title(*item.find(field::title), cut->second.length, cut->second.ending);
  bool const trusted = p.support >= 0.5 && (seen_.at(l.path) > 1 || !p.constant());
  if (in_link && (!trusted || !p.explained())) {
    if (auto const* title = item.find(field::title);
        title && share_of_words(lower(v.item->title), lower(l.value)) > 0.5) {
      edits.push_back({l.begin, l.end, escape_text(*title)});
      return;
    }
  }
  if (l.attribute >= 0) {
    auto const name = attribute_name(v, l);
    if (trusted && text && p.explained()) {
      if (*text != l.value)
        edits.push_back({l.begin, l.end, std::string{name} + "=\"" + escape_attribute(*text) + "\""});
    } else if (!is_presentation(name, l.value) && !(witnesses_ == 1 && name == "href")) {
      if (name == "src" && page.is(l.node, "img"))
        edits.push_back({page[l.node].begin, page[l.node].finish, ""});
      else
        edits.push_back({l.begin, l.end, ""});
    }
    return;
  }
  if (trusted && text) {
    bool const says = p.explained() || has_word(*text);
    if (*text != l.value) edits.push_back({l.begin, l.end, says ? escape_text(*text) : std::string{}});
    return;
  }
  // With a single witness nobody can tell a label from a text; short ones are labels.
  if (witnesses_ == 1 && p.constant() && words_of(l.value).size() <= 3) return;
  if (has_word(l.value)) edits.push_back({l.begin, l.end, ""});
}

void record_template::write_body(record_view const& v, feed::item const& item, std::vector<edit>& edits) const {
  if (!v.body) return;
  auto const& page = *v.page;
  auto const& first = page[v.body->first];
  auto const& last = page[v.body->last];
  auto const& text = excerpt_.from_content ? cache_.text(item).full : cache_.text(item).summary;
  auto const count = excerpt_.count(text);
  auto const holder = v.body->whole_element ? first.name : page[first.parent].name;
  bool const bare_text = !v.body->whole_element && first.kind == node_kind::text;
  bool const narrow =
      holder == "p" || holder == "span" || holder == "a" || holder == "em" || holder == "i" || holder == "b" ||
      holder == "strong" || holder.starts_with("h1") || holder.starts_with("h2") || holder.starts_with("h3") ||
      holder.starts_with("h4") || holder == "small" || holder == "summary" ||
      (bare_text && holder != "div" && holder != "td" && holder != "li" && holder != "section" && holder != "article");
  auto out = excerpt_.plain ? escape_text(text.text(count))
                            : html::sanitized(text.html(count, narrow || (bare_text && excerpt_.by != cut::all)));
  if (count < text.words().size()) out += excerpt_.ellipsis;
  if (!v.body->whole_element && first.name == "p" && out.find("<p") == std::string::npos) out = "<p>" + out + "</p>";
  if (v.body->whole_element)
    edits.push_back({first.inner_begin, first.inner_finish, out});
  else
    edits.push_back({first.begin, last.finish, out});
}

void record_template::write_categories(record_view const& v, feed::item const& item, std::vector<edit>& edits) const {
  if (!v.categories) return;
  auto const& page = *v.page;
  std::string out;
  for (auto const& name : item.categories) {
    auto const shown = single_spaced(name);
    std::string one;
    if (auto const known = category_links_.find(lower(shown)); known != category_links_.end()) {
      one = known->second;
    } else {
      auto const n = v.categories->each[0];
      auto const old = single_spaced(page.text_of(n));
      std::vector<edit> inner;
      for (auto m = n; m < page[n].end; ++m) {
        if (page[m].kind == node_kind::text && has_word(page[m].text))
          inner.push_back({page[m].begin, page[m].finish,
                           escape_text((page[m].text.find('#') != std::string_view::npos ? "#" : "") + shown)});
        for (auto const* a = page.attributes_begin(m); a != page.attributes_end(m); ++a) {
          std::string value{a->value};
          for (auto const& [from, to] :
               {std::pair{old, shown}, std::pair{slug_of(old), slug_of(shown)}, std::pair{lower(old), lower(shown)},
                std::pair{percent_encode(old), percent_encode(shown)}})
            if (auto const at = from.empty() ? std::string::npos : value.rfind(from); at != std::string::npos) {
              value.replace(at, from.size(), to);
              break;
            }
          if (value != a->value)
            inner.push_back({a->begin, a->end, std::string{a->name} + "=\"" + escape_attribute(value) + "\""});
        }
      }
      one = applied(page.source(), page[n].begin, page[n].finish, inner);
    }
    if (!out.empty()) out += category_joint_;
    out += one;
  }
  edits.push_back({page[v.categories->first].begin, page[v.categories->last].finish, out});
}

std::string record_template::write(item_id id, feed::item const& item, record const* except) const {
  auto const& v = model_for(item, except);
  auto const& page = *v.page;
  auto const& fields = cache_.fields(item, items_[id].link);
  std::vector<edit> edits;
  write_body(v, item, edits);
  write_categories(v, item, edits);
  for (auto const& l : v.leaves) write_leaf(v, l, fields, edits);
  auto const& root = page[v.of->root];
  if (root.kind == node_kind::element && root.placed) {  // label what was made
    auto const at = root.begin + 1 + static_cast<std::uint32_t>(root.name.size());
    edits.push_back({at, at, " data-cistern-item=\"" + escape_attribute(items_[id].key) + "\""});
  }
  return applied(page.source(), page[v.of->first].begin, page[v.of->last].finish, std::move(edits));
}

double record_template::self_test() const {
  if (samples_.empty()) return 0;
  std::map<std::string_view, std::size_t> spread;
  for (auto const& v : samples_) {
    std::set<std::string_view> once;
    for (auto const& w : v.words) once.insert(w.text);
    for (auto const& w : once) ++spread[w];
  }
  std::size_t tried = 0, good = 0;
  for (std::size_t i = 0; i < samples_.size() && tried < 8; ++i) {
    auto const& v = samples_[i];
    ++tried;
    auto const made = write(v.of->item, *v.item, samples_.size() > 1 ? v.of : nullptr);
    content const shown{made};
    std::vector<std::string_view> got, truth, want;
    for (auto const& w : shown.words()) got.push_back(w.text);
    auto const& text = cache_.text(*v.item);
    std::set<std::string_view> told;
    for (auto const& w : text.full.words()) told.insert(w.text);
    for (auto const& w : text.summary.words()) told.insert(w.text);
    for (auto const& w : words_of(v.item->title)) told.insert(w);
    for (auto const& w : v.words) {
      truth.push_back(w.text);
      if (told.contains(w.text) || 2 * spread[w.text] >= samples_.size()) want.push_back(w.text);
    }
    auto const g = tally(got);
    auto const miss = missing(tally(want), g), extra = missing(g, tally(truth));
    good += (miss <= 4 || 5 * miss <= want.size()) && (extra <= 8 || 10 * extra <= 4 * got.size());
  }
  return static_cast<double>(good) / static_cast<double>(tried);
}

}  // namespace cistern::stitch::templates
