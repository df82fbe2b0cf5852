#include "stitch/template/record_runs.hpp"

#include "stitch/template/group_headings.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>

namespace cistern::stitch::templates {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

// What stands between two records belongs to one of them, or to the gap. Lead: the nodes before each root that look the
// same before every root, the first one included; trail: what is left up to the next record.
void set_runs(document const& page, list& l) {
  for (std::size_t g = 0; g < l.groups.size(); ++g) {
    std::vector<record*> mine;
    for (auto& r : l.records)
      if (r.group == g) mine.push_back(&r);
    if (mine.size() < 2) continue;
    auto const shape = [&](node_id n) {
      if (page[n].kind == node_kind::text) return std::string{blank(page[n].text) ? " " : "text"};
      return page[n].kind == node_kind::comment ? std::string{" "} : std::string{page[n].name};
    };
    std::vector<node_id> children;
    for (auto c = page.first_child(l.groups[g].container); c != no_node; c = page[c].next)
      if (shape(c) != " ") children.push_back(c);
    std::vector<std::size_t> at;
    for (auto const* r : mine)
      at.push_back(static_cast<std::size_t>(std::find(children.begin(), children.end(), r->root) - children.begin()));
    std::size_t lead = 0;
    auto const same_before = [&](std::size_t k) {
      std::size_t agree = 0;
      for (std::size_t i = 0; i < at.size(); ++i) {
        auto const room = i == 0 ? at[0] : at[i] - at[i - 1] - 1;
        if (k > room) continue;
        if (shape(children[at[i] - k]) == shape(children[at.back() - k])) ++agree;
      }
      return agree;
    };
    auto const last_room = at.back() - at[at.size() - 2] - 1;
    while (lead < last_room && shape(children[at.back() - lead - 1]) != "hr" && same_before(lead + 1) == at.size())
      ++lead;
    std::size_t common_trail = ~std::size_t{0};
    for (std::size_t i = 0; i + 1 < at.size(); ++i)
      common_trail = std::min(common_trail, at[i + 1] - at[i] - 1 - std::min(lead, at[i + 1] - at[i] - 1));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      auto const room = i == 0 ? at[0] : at[i] - at[i - 1] - 1;
      auto const l_i = std::min(lead, room);
      std::size_t trail = common_trail;
      if (i + 1 < at.size())
        trail = at[i + 1] - at[i] - 1 - std::min(lead, at[i + 1] - at[i] - 1);
      else {  // the last one: as far as it looks like the others' trails
        trail = 0;
        auto const& model = at.size() >= 2 ? at[at.size() - 2] : at[0];
        auto const want = at[at.size() - 1] - model - 1 - std::min(lead, at[at.size() - 1] - model - 1);
        while (trail < want && at[i] + trail + 1 < children.size() &&
               shape(children[at[i] + trail + 1]) == shape(children[model + trail + 1]))
          ++trail;
      }
      for (std::size_t k = 0; k < trail; ++k)  // a heading of the records that follow is nobody's trail
        if (is_heading(page, children[at[i] + k + 1])) trail = k;
      mine[i]->first = children[at[i] - l_i];
      mine[i]->last = children[at[i] + trail];
    }
  }
}

}  // namespace cistern::stitch::templates
