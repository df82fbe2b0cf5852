#include "stitch/template/record_template.hpp"

#include "stitch/template/text.hpp"

#include <algorithm>
#include <set>

namespace cistern::stitch::templates {
namespace {

using html::node_kind;

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

record_template::record_template(std::vector<record_view> samples, std::vector<record_view> const& others,
                                 item_table const& items, item_cache& cache)
    : samples_{std::move(samples)}, items_{items}, cache_{cache} {
  for (std::size_t body = 0; body < excerpts_.size(); ++body)
    excerpts_[body] = learn_excerpts(samples_, others, body, cache_);
  learn_patterns(others);
  learn_categories();
}

std::string record_template::describe_excerpts() const {
  auto out = describe(excerpts_[0]);
  if (excerpts_[1].ever()) out += "; then " + describe(excerpts_[1]);
  return out;
}

void record_template::learn_patterns(std::vector<record_view> const& others) {
  std::map<std::uint64_t, std::vector<sample>> values;
  for (auto const& v : samples_) {
    auto const& fields = cache_.fields(*v.item, v.of->item);
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
    patterns_[path] = learn_pattern(rows, cache_.zones());
    seen_[path] = rows.size();
    learn_title_cut(path, rows);
  }
  for (auto const& v : others)  // what one record says here and another one there is a label
    for (auto const& l : v.leaves)
      if (auto const p = patterns_.find(l.path);
          p != patterns_.end() && p->second.constant() && p->second.write({}) == std::string{l.value})
        labels_.insert(l.path);
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
  std::map<std::string, std::map<std::string, std::size_t>> joints;
  for (auto const& v : samples_)
    for (auto const& k : v.categories) {
      auto& place = category_places_[k.place];
      for (auto const n : k.each)
        place.links.try_emplace(std::string{(*v.page)[n].name} + " " + bare_name(v.page->text_of(n)),
                                std::string{v.page->source_of(n)});
      for (std::size_t i = 1; i < k.each.size(); ++i) {
        auto const from = (*v.page)[k.each[i - 1]].finish, to = (*v.page)[k.each[i]].begin;
        if (from <= to) ++joints[k.place][std::string{v.page->source().substr(from, to - from)}];
      }
    }
  for (auto& [name, place] : category_places_) {
    std::size_t most = 0;
    for (auto const& [joint, count] : joints[name])
      if (count > most) most = count, place.joint = joint;
    place.choice = learn_choice(name, samples_);
  }
}

}  // namespace cistern::stitch::templates
