#include "stitch/template/excerpt.hpp"

#include <algorithm>
#include <map>

namespace cistern::stitch::templates {
namespace {

std::size_t upto(std::vector<std::uint32_t> const& measure, std::size_t limit) {
  auto const end = std::upper_bound(measure.begin(), measure.end(), limit);
  return static_cast<std::size_t>(end - measure.begin()) - 1;
}

double fit(excerpt_rule const& rule, std::vector<excerpt_sample> const& samples) {
  double good = 0;
  for (auto const& s : samples) good += closeness(rule.count(*s.text), s.shown);
  return good / static_cast<double>(samples.size());
}

std::size_t middle(std::vector<std::size_t> values) {
  if (values.empty()) return 0;
  auto const m = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), m, values.end());
  return *m;
}

}  // namespace

double closeness(std::size_t foretold, std::size_t shown) {
  auto const off = foretold > shown ? foretold - shown : shown - foretold;
  if (off == 0) return 1;
  if (off <= 2) return 0.9;
  return 20 * off <= shown ? 0.8 : 10 * off <= shown ? 0.4 : 0;
}

std::size_t excerpt_rule::count(content const& text) const {
  auto const n = uncut(text);
  return frame == 0 ? n : std::min(n, text.blocks()[std::min(frame, text.blocks().size()) - 1]);
}

std::size_t excerpt_rule::uncut(content const& text) const {
  auto const all = text.words().size();
  switch (by) {
    case cut::none:
      return 0;
    case cut::all:
      return all;
    case cut::blocks:
      return limit == 0 ? 0 : text.blocks()[std::min(limit, text.blocks().size()) - 1];
    case cut::all_but_blocks:  // what is put below a text for the feed alone
      return limit < text.blocks().size() ? text.blocks()[text.blocks().size() - 1 - limit] : all;
    case cut::more:
      return text.more();
    case cut::gap:
      return text.gap();
    case cut::words:
      return std::min(limit, all);
    case cut::spaced_words:
      return upto(text.spaced(), limit);
    case cut::sentences:
      return text.sentences().empty() || limit == 0 ? 0
                                                    : text.sentences()[std::min(limit, text.sentences().size()) - 1];
    case cut::sentence_after: {
      auto const end = std::find_if(text.sentences().begin(), text.sentences().end(),
                                    [&](std::size_t n) { return text.spaced()[n] >= limit; });
      return end == text.sentences().end() ? all : *end;
    }
    case cut::unbroken_words:
      return upto(text.unbroken(), limit);
    case cut::characters:
      return upto(text.characters(), limit);
  }
  return all;
}

excerpt_rule learn_excerpt(std::vector<excerpt_sample> const& samples, text_source from) {
  excerpt_rule best;
  best.from = from;
  if (samples.empty()) return best;
  std::vector<std::size_t> words, spaced, unbroken, characters;
  for (auto const& s : samples) {
    if (s.shown >= s.text->words().size()) continue;
    words.push_back(s.shown);
    spaced.push_back(s.text->spaced()[s.shown]);
    unbroken.push_back(s.text->unbroken()[s.shown]);
    characters.push_back(s.text->characters()[s.shown]);
  }
  auto const consider = [&](cut by, std::size_t limit, std::size_t frame) {
    excerpt_rule rule = best;
    rule.by = by;
    rule.limit = limit;
    rule.frame = frame;
    rule.support = fit(rule, samples);
    if (rule.support > best.support || best.by == cut::none) best = rule;
  };
  // First, and so before those that come to the same by chance. As good as all where no text has a mark; the first that
  // has one was given it to be cut there.
  consider(cut::more, 0, 0);
  consider(cut::all, 0, 0);
  for (std::size_t n = 1; n <= 8; ++n) consider(cut::blocks, n, 0);
  for (std::size_t n = 1; n <= 2; ++n) consider(cut::all_but_blocks, n, 0);
  consider(cut::gap, 0, 0);
  for (std::size_t n = 1; n <= 4; ++n) consider(cut::sentences, n, 0);
  for (std::size_t const n : {15u, 20u, 25u, 30u, 35u, 40u, 50u, 60u, 70u, 80u, 100u})
    consider(cut::sentence_after, n, 0);
  for (std::size_t const frame : {0u, 1u, 2u}) {
    if (words.empty()) break;
    for (std::size_t const n : {10u, 15u, 20u, 25u, 30u, 40u, 50u, 55u, 60u, 70u, 80u, 100u, 150u, 200u}) {
      consider(cut::spaced_words, n, frame);
      consider(cut::unbroken_words, n, frame);
    }
    for (std::size_t const n :
         {100u, 120u, 140u, 150u, 160u, 180u, 200u, 250u, 300u, 350u, 400u, 500u, 600u, 800u, 1000u})
      consider(cut::characters, n, frame);
    for (auto const* counts : {&unbroken, &spaced}) {
      auto const by = counts == &spaced ? cut::spaced_words : cut::unbroken_words;
      consider(by, middle(*counts), frame);
      consider(by, *std::max_element(counts->begin(), counts->end()), frame);
    }
    consider(cut::words, middle(words), frame);
    consider(cut::characters, *std::max_element(characters.begin(), characters.end()), frame);
    consider(cut::characters, middle(characters), frame);
  }
  std::size_t marked = 0, bare = 0;
  std::map<std::string, std::size_t> endings;
  for (auto const& s : samples) {
    bool const item_marked = s.text->html(s.shown, true).find('<') != std::string::npos;
    if (item_marked) s.has_markup ? ++marked : ++bare;
    if (s.shown < s.text->words().size()) ++endings[s.ending];
  }
  best.plain = bare > marked;
  for (auto const& [text, count] : endings)
    if (2 * count > words.size()) best.ellipsis = text;
  return best;
}

std::string describe(excerpt_rule const& rule) {
  std::string from = rule.from == text_source::content     ? "content"
                     : rule.from == text_source::paragraph ? "content's first paragraph"
                                                           : "summary";
  if (rule.frame > 0) from += ", of its first " + std::to_string(rule.frame) + " blocks";
  auto const n = std::to_string(rule.limit);
  switch (rule.by) {
    case cut::none:
      return "nothing";
    case cut::all:
      return "the whole " + from;
    case cut::blocks:
      return "the first " + n + " blocks of the " + from;
    case cut::all_but_blocks:
      return "the " + from + " without its last " + n + " blocks";
    case cut::more:
      return "the " + from + " up to its more mark";
    case cut::gap:
      return "the " + from + " up to its first empty lines";
    case cut::sentences:
      return "the first " + n + " sentences of the " + from;
    case cut::sentence_after:
      return "the " + from + " up to the end of the sentence after " + n + " words";
    case cut::words:
    case cut::unbroken_words:
    case cut::spaced_words:
      return "the first " + n + " words of the " + from;
    case cut::characters:
      return "the first " + n + " characters of the " + from;
  }
  return from;
}

}  // namespace cistern::stitch::templates
