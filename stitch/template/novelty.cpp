#include "stitch/template/novelty.hpp"

#include "stitch/template/text.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;
using feature = std::uint32_t;
using feature_set = std::vector<feature>;

bool in_tree(document const& page, node_id n) {
  auto const& x = page[n];
  return x.kind == node_kind::element || (x.kind == node_kind::text && !blank(x.text));
}

// Numbers for features. The four kinds (own or parent's, token or attribute) never share a number.
class vocabulary {
public:
  feature number(char kind, std::string_view name, std::string_view value) {
    key_.assign(1, kind);
    key_ += name;
    key_ += '\0';
    key_ += value;
    return numbers_.try_emplace(key_, static_cast<feature>(numbers_.size())).first->second;
  }

private:
  std::string key_;
  std::unordered_map<std::string, feature> numbers_;
};

struct node_features {
  feature own_token, parent_token;
  std::uint32_t begin, end;  // into the attribute numbers
};

// Every node's own features once, in both roles, so that children only copy their parent's numbers.
class tree_features {
public:
  tree_features(document const& page, vocabulary& words) : page_{page}, of_(page.size()) {
    for (node_id n = 0; n < page.size(); ++n) {
      if (!in_tree(page, n)) continue;
      bool const text = page[n].kind == node_kind::text;
      auto const token = text ? page[n].text : page[n].name;
      auto& f = of_[n];
      f.own_token = words.number(text ? 'x' : 't', token, {});
      f.parent_token = text ? 0 : words.number('T', token, {});
      f.begin = static_cast<std::uint32_t>(own_.size());
      if (!text)
        for (auto const* a = page.attributes_begin(n); a != page.attributes_end(n); ++a) {
          own_.push_back(words.number('a', a->name, a->value));
          parent_.push_back(words.number('A', a->name, a->value));
        }
      f.end = static_cast<std::uint32_t>(own_.size());
    }
  }

  void set_of(node_id n, feature_set& out) const {
    out.clear();
    auto const& f = of_[n];
    out.push_back(f.own_token);
    out.insert(out.end(), own_.begin() + f.begin, own_.begin() + f.end);
    if (auto const p = page_[n].parent; p != no_node && in_tree(page_, p)) {
      out.push_back(of_[p].parent_token);
      out.insert(out.end(), parent_.begin() + of_[p].begin, parent_.begin() + of_[p].end);
    }
    std::sort(out.begin(), out.end());
  }

private:
  document const& page_;
  std::vector<node_features> of_;
  std::vector<feature> own_, parent_;
};

struct set_hash {
  std::size_t operator()(feature_set const& s) const noexcept {
    std::size_t h = s.size();
    for (auto const f : s) h = (h ^ f) * 0x9E3779B97F4A7C15ull + (h >> 29);
    return h;
  }
};

std::size_t common(feature_set const& x, feature_set const& y) {
  std::size_t n = 0;
  for (auto i = x.begin(), j = y.begin(); i != x.end() && j != y.end();) {
    if (*i == *j)
      ++n, ++i, ++j;
    else if (*i < *j)
      ++i;
    else
      ++j;
  }
  return n;
}

// The distinct sets of a tree, and which of them have a feature.
class set_index {
public:
  set_index(document const& page, tree_features const& features) {
    feature_set s;
    for (node_id n = 0; n < page.size(); ++n) {
      if (!in_tree(page, n)) continue;
      features.set_of(n, s);
      if (known_.try_emplace(s, sets_.size()).second) sets_.push_back(s);
    }
    for (std::uint32_t i = 0; i < sets_.size(); ++i)
      for (auto const f : sets_[i]) postings_[f].push_back(i);
    seen_.assign(sets_.size(), 0);
  }

  // The largest intersection of `s` with any set.
  std::size_t best(feature_set const& s, std::size_t& budget) {
    if (known_.contains(s)) return s.size();
    std::vector<std::vector<std::uint32_t> const*> lists;
    for (auto const f : s)
      if (auto const p = postings_.find(f); p != postings_.end()) lists.push_back(&p->second);
    std::sort(lists.begin(), lists.end(), [](auto const* x, auto const* y) { return x->size() < y->size(); });
    ++round_;
    std::size_t found = 0;
    for (std::size_t i = 0; i < lists.size() && lists.size() - i > found; ++i)
      for (auto const candidate : *lists[i]) {
        if (seen_[candidate] == round_) continue;
        seen_[candidate] = round_;
        if (budget == 0) return s.size();
        --budget;
        if (sets_[candidate].size() > found) found = std::max(found, common(s, sets_[candidate]));
        if (found >= lists.size() - i) break;
      }
    return found;
  }

private:
  std::unordered_map<feature_set, std::size_t, set_hash> known_;
  std::vector<feature_set> sets_;
  std::unordered_map<feature, std::vector<std::uint32_t>> postings_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t round_ = 0;
};

}  // namespace

novelty find_novelty(document const& page, document const& other, std::size_t budget) {
  novelty out;
  out.own.assign(page.size(), 0);
  out.subtree.assign(page.size(), 0);
  vocabulary words;
  tree_features const mine{page, words}, theirs{other, words};
  set_index index{other, theirs};
  std::unordered_map<feature_set, double, set_hash> searched;
  feature_set s;
  for (node_id n = 0; n < page.size(); ++n) {
    if (!in_tree(page, n)) continue;
    mine.set_of(n, s);
    auto const [place, fresh] = searched.try_emplace(s, 0.0);
    if (fresh) place->second = 1.0 - static_cast<double>(index.best(s, budget)) / static_cast<double>(s.size());
    out.own[n] = place->second;
  }
  std::vector<double> most(page.size(), 0);  // the most novel child
  for (auto n = static_cast<node_id>(page.size()); n-- > 0;) {
    out.subtree[n] += out.own[n];
    if (in_tree(page, n) && (out.area == no_node || out.subtree[n] - most[n] >= out.area_diff)) {
      out.area = n;
      out.area_diff = out.subtree[n] - most[n];
    }
    if (auto const p = page[n].parent; p != no_node) {
      out.subtree[p] += out.subtree[n];
      most[p] = std::max(most[p], out.subtree[n]);
    }
  }
  return out;
}

}  // namespace cistern::stitch::templates
