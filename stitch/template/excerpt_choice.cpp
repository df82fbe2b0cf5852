#include "stitch/template/excerpt_choice.hpp"

#include "stitch/template/text.hpp"

#include <algorithm>
#include <span>

namespace cistern::stitch::templates {
namespace {

using html::node_kind;

// A record and what it shows at the place in question, or nothing there.
struct shown_text {
  record_view const* view;
  body const* there;
  item_text const* told;
};

struct learned_rule {
  excerpt_rule rule;
  double worth = 0;
};

excerpt_sample sample_of(shown_text const& s, text_source from) {
  auto const& page = *s.view->page;
  excerpt_sample out{&s.told->of(from), s.there->of[static_cast<std::size_t>(from)], false, {}};
  for (auto n = s.there->first; n < page[s.there->last].end; ++n)
    out.has_markup |=
        page[n].kind == node_kind::element && n != s.there->first && !page.is(n, "p") && !page.is(n, "br");
  auto const ending = page.text_of(s.there->last);
  for (auto const* end : {"…", "[...]", "...", "[…]"})
    if (trimmed(ending).ends_with(end) && out.ending.size() < std::string_view{end}.size()) out.ending = end;
  return out;
}

std::size_t bodies_in(std::span<shown_text const> samples) {
  std::size_t out = 0;
  for (auto const& s : samples) out += s.there ? s.view->pages : 0;
  return out;
}

std::size_t pages_in(std::span<shown_text const> samples) {
  std::size_t out = 0;
  for (auto const& s : samples) out += s.view->pages;
  return out;
}

learned_rule best_rule(std::span<shown_text const> samples) {
  learned_rule best;
  auto const bodies = bodies_in(samples);
  for (auto const from : all_sources) {
    std::vector<excerpt_sample> found;
    for (auto const& s : samples)
      if (s.there && s.there->of[static_cast<std::size_t>(from)] > 0)
        found.insert(found.end(), s.view->pages, sample_of(s, from));
    if (found.empty()) continue;
    auto rule = learn_excerpt(found, from);
    auto const worth = rule.support * static_cast<double>(found.size()) / static_cast<double>(bodies);
    if (worth > best.worth) best = {std::move(rule), worth};
  }
  return best;
}

// How well a rule that others gave fits these: it must give all the words that stand there.
double worth_of(excerpt_rule const& rule, std::span<shown_text const> samples) {
  double good = 0;
  for (auto const& s : samples) {
    if (!s.there || s.there->of[static_cast<std::size_t>(rule.from)] == 0) continue;
    auto const count = rule.count(s.told->of(rule.from));
    good +=
        static_cast<double>(s.view->pages) *
        std::min(closeness(count, s.there->of[static_cast<std::size_t>(rule.from)]), closeness(count, s.there->total));
  }
  return good / static_cast<double>(std::max<std::size_t>(1, bodies_in(samples)));
}

bool begins_like(content const& part, content const& whole) {
  constexpr std::size_t enough = 6;
  auto const n = std::min({enough, part.words().size(), whole.words().size()});
  for (std::size_t i = 0; i < n; ++i)
    if (part.words()[i].text != whole.words()[i].text) return false;
  return true;
}

bool holds(excerpt_condition when, item_text const& text) {
  auto const marked = [](content const& c) { return c.more() < c.words().size(); };
  switch (when) {
    case excerpt_condition::always:
      return true;
    case excerpt_condition::marked:
      return marked(text.full) || marked(text.summary);
    case excerpt_condition::has_content:
      return !text.full.words().empty();
    case excerpt_condition::summarised:
      return !text.summary.words().empty() && !begins_like(text.summary, text.full);
  }
  return true;
}

// One side of a choice: nothing where no record of that side shows a text.
learned_rule side_of(std::span<shown_text const> samples) {
  if (bodies_in(samples) == 0) return {{}, 1};
  auto out = best_rule(samples);
  out.worth *= static_cast<double>(bodies_in(samples)) / static_cast<double>(pages_in(samples));
  return out;
}

// A choice is believed when it explains clearly more than one rule for all, or everything where that does not, and each
// side has witnesses.
void consider(excerpt_condition when, std::vector<shown_text> const& samples, excerpt_choice& best) {
  constexpr double clearly = 0.15, exact = 0.999;
  constexpr std::size_t witnesses = 2;
  std::vector<shown_text> yes, no;
  for (auto const& s : samples) (holds(when, *s.told) ? yes : no).push_back(s);
  if (yes.size() < witnesses || no.size() < witnesses) return;
  auto const a = side_of(yes), b = side_of(no);
  auto const n = static_cast<double>(pages_in(samples));
  auto const worth = (a.worth * static_cast<double>(pages_in(yes)) + b.worth * static_cast<double>(pages_in(no))) / n;
  bool const perfect = worth >= exact && best.support < exact;
  if ((perfect || worth > best.support + clearly) && (a.rule.by != cut::none || b.rule.by != cut::none))
    best = {when, a.rule, b.rule, worth, {}, 0};
}

}  // namespace

excerpt_rule const& excerpt_choice::of(item_text const& text) const {
  auto const& rule = holds(when, text) ? yes : no;
  // Publishers leave out a summary that would say the same as the content.
  bool const short_enough = !text.full.words().empty() && text.full.words().size() <= longest;
  if (rule.by != cut::none && rule.from == text_source::summary && text.summary.words().empty() && short_enough)
    return whole;
  return rule;
}

bool excerpt_choice::shows(item_text const& text) const {
  auto const& rule = of(text);
  return rule.by != cut::none && !text.of(rule.from).words().empty();
}

excerpt_choice learn_excerpts(std::vector<record_view> const& samples, std::vector<record_view> const& others,
                              std::size_t which, item_cache& cache) {
  constexpr std::size_t few = 3;
  constexpr double good = 0.999, nearly = 0.05;
  auto const texts = [&](std::vector<record_view> const& views) {
    std::vector<shown_text> out;
    for (auto const& v : views)
      out.push_back({&v, which < v.bodies.size() ? &v.bodies[which] : nullptr, &cache.text(*v.item)});
    return out;
  };
  auto const own = texts(samples);
  auto best = best_rule(own);
  auto const share = static_cast<double>(bodies_in(own)) / static_cast<double>(std::max<std::size_t>(1, pages_in(own)));
  if (own.size() <= few && bodies_in(own) > 0 && !others.empty()) {
    auto all = texts(others);
    all.insert(all.end(), own.begin(), own.end());
    auto more = best_rule(all);
    if (more.rule.by != cut::none && worth_of(more.rule, own) + nearly >= best.worth) best = std::move(more);
  }
  excerpt_choice out{excerpt_condition::always, best.rule, best.rule, best.worth * share, {}, 0};
  if (out.support < good)
    for (auto const when : {excerpt_condition::marked, excerpt_condition::summarised, excerpt_condition::has_content})
      consider(when, own, out);
  out.support = out.when == excerpt_condition::always ? best.worth : out.support;
  out.whole.by = cut::all;
  out.whole.from = text_source::content;
  out.whole.plain = out.yes.plain;
  bool const left_out = std::any_of(own.begin(), own.end(), [](shown_text const& s) {
    return !s.there && s.told->summary.words().empty() && !s.told->full.words().empty();
  });
  for (auto const& s : own)
    if (s.there && !left_out) out.longest = std::max(out.longest, s.there->total);
  return out;
}

std::string describe(excerpt_choice const& choice) {
  static constexpr std::string_view conditions[] = {"", "where the text has a mark",
                                                    "where there is a summary of its own", "where there is a content"};
  if (choice.when == excerpt_condition::always) return describe(choice.yes);
  return describe(choice.yes) + " " + std::string{conditions[static_cast<std::size_t>(choice.when)]} + ", else " +
         describe(choice.no);
}

}  // namespace cistern::stitch::templates
