#include "stitch/template/heatmap.hpp"

#include "stitch/entities.hpp"
#include "stitch/template/layout.hpp"
#include "stitch/template/novelty.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace cistern::stitch::templates {
namespace {

using html::no_node;
using html::node_id;
using html::node_kind;

constexpr std::string_view style = R"(<style>
[data-cistern-heat]{box-shadow:inset 0 0 0 100vmax rgba(255,110,0,.06)!important}
[data-cistern-heat="2"]{box-shadow:inset 0 0 0 100vmax rgba(255,90,0,.12)!important}
[data-cistern-heat="3"]{box-shadow:inset 0 0 0 100vmax rgba(255,60,0,.2)!important}
[data-cistern-heat="4"]{box-shadow:inset 0 0 0 100vmax rgba(235,20,0,.3)!important}
[data-cistern-area]{outline:4px dashed #c00!important;outline-offset:2px}
[data-cistern-region]{outline:3px solid #06c!important;outline-offset:4px}
[data-cistern-region]::before{content:attr(data-cistern-region);display:block;background:#06c;color:#fff;font:12px/1.6 sans-serif;padding:0 6px}
[data-cistern-record]{outline:1px solid #0a7!important;outline-offset:1px}
[data-cistern-field]{outline:1px dotted #808!important}
[data-cistern-field]::after{content:attr(data-cistern-field);background:#f0e0f8;color:#505;font:10px/1.2 monospace;margin-left:4px;padding:0 3px;border-radius:3px}
#cistern-legend{position:fixed;z-index:2147483647;top:8px;right:8px;max-width:22em;background:#fff;color:#222;border:1px solid #888;font:13px/1.5 sans-serif;padding:8px 12px;box-shadow:0 2px 8px #0006}
#cistern-legend b{color:#06c}
</style>)";

std::string percent(double x) { return std::to_string(static_cast<int>(std::lround(100 * x))) + "%"; }

std::string legend(std::string_view base, outcome const& o) {
  std::string out = "<div id=\"cistern-legend\"><strong>" + escape_text(base) + "</strong><br>" +
                    (o.declined ? "declined" : "stitched, confidence " + percent(o.confidence)) +
                    "<br>warm: not in the earlier version; dashed red: the paper's feed area";
  for (std::size_t i = 0; i < o.regions.size(); ++i) {
    auto const& r = o.regions[i];
    out += "<br><b>" + std::to_string(i + 1) + "</b> " + (r.stitched ? "" : "left alone: ") +
           escape_text(r.rule.empty() ? "no rule found" : r.rule);
  }
  return out + "</div>";
}

}  // namespace

std::string draw_heatmap(std::string_view base, std::vector<snapshot> const& snapshots, outcome const& o) {
  if (snapshots.empty()) return {};
  auto const& page = snapshots.back().page;
  std::map<node_id, std::string> labels;
  auto const label = [&](node_id n, std::string_view name, std::string const& value) {
    while (n != no_node && (page[n].kind != node_kind::element || !page[n].placed)) n = page[n].parent;
    if (n == no_node || n == 0 || labels[n].find(name) != std::string::npos) return;
    labels[n] += " data-cistern-" + std::string{name} + "=\"" + escape_attribute(value) + "\"";
  };
  if (snapshots.size() > 1) {
    auto const heat = find_novelty(page, snapshots[snapshots.size() - 2].page);
    for (node_id n = 0; n < page.size(); ++n) {
      if (page[n].kind != node_kind::element || heat.subtree[n] <= 0) continue;
      auto const own = heat.own[n] + [&] {
        double texts = 0;  // a text warms the element it is in
        for (auto c = page.first_child(n); c != no_node; c = page[c].next)
          if (page[c].kind == node_kind::text) texts = std::max(texts, heat.own[c]);
        return texts;
      }();
      if (own > 0.05) label(n, "heat", own > 0.8 ? "4" : own > 0.5 ? "3" : own > 0.25 ? "2" : "1");
    }
    if (heat.area != no_node)
      label(heat.area, "area", percent(heat.subtree[0] > 0 ? heat.subtree[heat.area] / heat.subtree[0] : 0));
  }
  for (std::size_t i = 0; i < o.regions.size(); ++i) {
    auto const& r = o.regions[i];
    label(r.container, "region",
          std::to_string(i + 1) + ": " + (r.rule.empty() ? "no rule" : r.rule) + " (" + percent(r.confidence) + ")");
    for (auto const n : r.records) label(n, "record", std::to_string(i + 1));
    std::map<node_id, std::string> named;  // a text is named on the element it is in
    for (auto const& f : r.fields)
      for (auto n : f.nodes) {
        if (page[n].kind == node_kind::text) n = page[n].parent;
        auto& names = named[n];
        if (names.size() < 80) names += (names.empty() ? "" : ", ") + single_spaced(f.what).substr(0, 60);
      }
    for (auto const& [n, names] : named) label(n, "field", names);
  }
  std::vector<page_edit> edits;
  for (auto const& [n, text] : labels) {
    auto const at = page[n].begin + 1 + static_cast<std::uint32_t>(page[n].name.size());
    edits.push_back({at, at, text});
  }
  auto const head = page.find("head"), body = page.find("body");
  std::string top{style};
  if (page.base_href().empty()) top = "<base href=\"" + escape_attribute(base) + "\">" + top;
  if (head != no_node && page[head].placed) edits.push_back({page[head].inner_begin, page[head].inner_begin, top});
  auto const end =
      body != no_node && page[body].placed ? page[body].inner_finish : static_cast<std::uint32_t>(page.source().size());
  edits.push_back({end, end, (head != no_node && page[head].placed ? std::string{} : top) + legend(base, o)});
  return apply(page.source(), std::move(edits));
}

}  // namespace cistern::stitch::templates
