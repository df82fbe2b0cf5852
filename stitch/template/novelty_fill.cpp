#include "stitch/template/novelty_fill.hpp"

#include "stitch/entities.hpp"
#include "stitch/template/items.hpp"
#include "stitch/template/layout.hpp"
#include "stitch/template/novelty.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

struct place_holder {
  node_id node;
  item_id item;
};

// The first item whose link or title stands in this subtree.
item_id item_in(document const& page, node_id top, item_table const& items, std::size_t time) {
  for (auto n = top; n < page[top].end; ++n)
    if (page.is(n, "a"))
      if (auto const i = items.find(page.attribute_or_empty(n, "href")); i != no_item && items[i].at[time]) return i;
  auto const text = single_spaced(page.text_of(top));
  for (auto const i : items.order(time))
    if (auto const title = single_spaced(items.as_of(i, time).title);
        title.size() > 3 && text.find(title) != std::string::npos)
      return i;
  return no_item;
}

std::string plain_text(std::string_view markup) {
  html::parse_options options;
  options.fragment = true;
  auto const d = document::parse(markup, options);
  return d ? single_spaced(d->text_of(0)) : std::string{};
}

// At most `most` bytes, no character split.
std::string head_of(std::string text, std::size_t most) {
  if (text.size() > most) {
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
    text.resize(most);
  }
  return text;
}

std::string filled(document const& page, place_holder const& holder, feed::item const& was, feed::item const& is,
                   item_table const& items) {
  std::vector<page_edit> edits;
  auto const old_title = single_spaced(was.title),
             old_description = plain_text(was.summary.empty() ? was.content : was.summary);
  for (auto n = holder.node; n < page[holder.node].end; ++n) {
    auto const& x = page[n];
    if (x.kind == node_kind::text && x.placed && !blank(x.text)) {
      auto const text = single_spaced(x.text);
      if (!old_title.empty() && text.find(old_title) != std::string::npos)
        edits.push_back({x.begin, x.finish, escape_text(is.title)});
      else if (text.size() > 20 && old_description.find(text.substr(0, 40)) != std::string::npos)
        edits.push_back({x.begin, x.finish,
                         escape_text(head_of(plain_text(is.summary.empty() ? is.content : is.summary),
                                             std::max<std::size_t>(text.size(), 40)))});
    } else if (page.is(n, "a")) {
      if (auto const* href = page.find_attribute(n, "href"); href && items.find(href->value) == holder.item)
        edits.push_back({href->begin, href->end, "href=\"" + escape_attribute(is.link) + "\""});
    }
  }
  auto const& top = page[holder.node];
  for (auto& e : edits) e.begin -= top.begin, e.end -= top.begin;
  return apply(page.source().substr(top.begin, top.finish - top.begin), std::move(edits));
}

}  // namespace

outcome stitch_by_novelty(std::string_view base, std::vector<snapshot> const& snapshots,
                          std::vector<feed::feed> const& feeds) {
  outcome out;
  if (snapshots.empty()) return out;
  auto const last = snapshots.size() - 1;
  auto const& page = snapshots[last].page;
  out.page = page.source();
  if (snapshots.size() < 2) return out;
  item_table items{std::string{base}};
  for (auto const& s : snapshots) items.add(s.feeds);
  items.add(feeds);
  auto const found = find_novelty(page, snapshots[last - 1].page);
  if (found.area == no_node) return out;
  std::vector<place_holder> holders;
  for (auto c = page.first_child(found.area); c != no_node; c = page[c].next)
    if (page[c].kind == node_kind::element && page[c].placed)
      if (auto const i = item_in(page, c, items, last); i != no_item) holders.push_back({c, i});
  region_report report;
  report.place = std::string{page[found.area].name};
  report.rule = "the most novel area, one subtree per item";
  report.shown = holders.size();
  report.confidence = holders.empty() ? 0 : 1;
  if (holders.empty()) {
    report.reasons.emplace_back("no child of the most novel area shows an item");
    out.regions.push_back(std::move(report));
    return out;
  }
  auto const& old_order = items.order(last);
  auto const& order = items.order(last + 1);
  auto const grown =
      static_cast<std::ptrdiff_t>(holders.size() + order.size()) - static_cast<std::ptrdiff_t>(old_order.size());
  auto const wanted = std::min(order.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, grown)));
  std::vector<page_edit> edits;
  std::string extra;
  for (std::size_t i = 0; i < std::max(wanted, holders.size()); ++i) {
    auto const& holder = holders[std::min(i, holders.size() - 1)];
    auto const text = i < wanted
                          ? filled(page, holder, items.as_of(holder.item, last), items.as_of(order[i], last + 1), items)
                          : std::string{};
    if (i < holders.size())
      edits.push_back({page[holder.node].begin, page[holder.node].finish, text});
    else
      extra += text;
  }
  auto const end = page[holders.back().node].finish;
  edits.push_back({end, end, extra});
  report.made = wanted;
  report.stitched = true;
  out.page = apply(page.source(), std::move(edits));
  out.declined = false;
  out.confidence = 1;
  out.regions.push_back(std::move(report));
  return out;
}

}  // namespace cistern::stitch::templates
