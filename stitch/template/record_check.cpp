#include "stitch/template/record_template.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <set>

namespace cistern::stitch::templates {
namespace {

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

// The words a reader would see of these bytes.
std::vector<std::string> words_shown(std::string_view html) {
  content const shown{html};
  std::vector<std::string> out;
  for (auto const& w : shown.words()) out.emplace_back(w.text);
  return out;
}

}  // namespace

// Texts of a record that shows nothing of its item's own: what nothing explains there is left out of a new one.
std::set<html::node_id> record_template::strange_texts(record_view const& v) const {
  std::set<html::node_id> out;
  if (!v.bodies.empty()) return out;
  for (auto const& l : v.leaves)
    if (l.attribute < 0 && !patterns_.at(l.path).explained()) out.insert(l.node);
  return out;
}

// Whether the template, without this record as the model, gives its words: most of those that the item or the other
// records could tell, and few that are not there.
bool record_template::passes(record_view const& v, std::map<std::string_view, std::size_t> const& spread) const {
  auto const made = words_shown(write(v.of->item, *v.item, samples_.size() > 1 ? v.of : nullptr));
  std::vector<std::string_view> const got(made.begin(), made.end());
  std::vector<std::string_view> truth, want;
  auto const& text = cache_.text(*v.item);
  std::set<std::string_view> told;
  for (auto const& w : text.full.words()) told.insert(w.text);
  for (auto const& w : text.summary.words()) told.insert(w.text);
  for (auto const& w : words_of(v.item->title)) told.insert(w);
  auto const strange = strange_texts(v);
  for (auto const& w : v.words) {
    truth.push_back(w.text);
    bool const known = told.contains(w.text) && !strange.contains(w.node);
    if (known || 2 * spread.at(w.text) >= samples_.size()) want.push_back(w.text);
  }
  auto const g = tally(got);
  auto const miss = missing(tally(want), g), extra = missing(g, tally(truth));
  return (miss <= 4 || 5 * miss <= want.size()) && (extra <= 8 || 10 * extra <= 4 * got.size());
}

double record_template::self_test() const {
  if (samples_.empty()) return 0;
  std::map<std::string_view, std::size_t> spread;
  for (auto const& v : samples_) {
    std::set<std::string_view> once;
    for (auto const& w : v.words) once.insert(w.text);
    for (auto const& w : once) ++spread[w];
  }
  constexpr std::size_t tries = 8;
  auto const tried = std::min(samples_.size(), tries);
  auto const good = std::count_if(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(tried),
                                  [&](record_view const& v) { return passes(v, spread); });
  return static_cast<double>(good) / static_cast<double>(tried);
}

std::optional<std::string> record_template::rewrite(record const& r, feed::item const& was,
                                                    feed::item const& is) const {
  auto const v = std::find_if(samples_.begin(), samples_.end(), [&](record_view const& s) { return s.of == &r; });
  if (v == samples_.end()) return {};
  auto const before = words_shown(write_like(*v, r.item, was));
  auto const same = [](std::string const& x, shown_word const& y) { return x == y.text; };
  if (!std::equal(before.begin(), before.end(), v->words.begin(), v->words.end(), same)) return {};
  auto text = write_like(*v, r.item, is);
  if (words_shown(text) == before) return {};
  return text;
}

}  // namespace cistern::stitch::templates
