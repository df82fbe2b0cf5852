#include "stitch/template/captions.hpp"

#include "stitch/template/text.hpp"
#include "stitch/template/traits.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cistern::stitch::templates {
namespace {

constexpr std::size_t most_samples = 24;  // each is written anew to see whether the template is right

std::string only(std::set<std::string> const& values) { return values.empty() ? std::string{} : *values.begin(); }

}  // namespace

caption_writer::caption_writer(region const& r, drawing const& with) : items_{with.items} {
  std::vector<record_view> samples;
  for (auto t = r.at.size(); t-- > 0;)
    if (r.at[t] && r.at[t]->groups[0].caption_first != html::no_node)
      learn(*r.at[t], with.snapshots[t].page, with, t, samples);
  template_.emplace(std::move(samples), std::vector<record_view>{}, with.items, with.cache);
  if (!reproduces()) template_.reset();
}

// A caption is taken apart as a record of the first item below it, though title link and root lie outside of it.
void caption_writer::learn(list const& l, html::document const& page, drawing const& with, std::size_t time,
                           std::vector<record_view>& samples) {
  std::vector<char> seen(l.groups.size(), 0);
  for (auto const& shown : l.records) {
    auto const& group = l.groups[shown.group];
    auto const &first = page[group.caption_first], &last = page[group.caption_last];
    if (shown.item == no_item || !first.placed || !last.placed) continue;
    std::string const bytes{page.source().substr(first.begin, last.finish - first.begin)};
    if (auto const author = only(values_of(trait::author, items_, shown.item, time)); !author.empty())
      by_author_.try_emplace(author, bytes);
    auto const [host, fresh] = by_host_.try_emplace(only(values_of(trait::host, items_, shown.item, time)), bytes);
    if (!fresh && host->second != bytes) host->second.clear();
    if (std::exchange(seen[shown.group], 1) || samples.size() == most_samples) continue;
    auto& caption = captions_.emplace_back(shown);
    caption.first = group.caption_first;
    caption.last = group.caption_last;
    samples.push_back(view_record(page, caption, &with.items.as_of(shown.item, time), nullptr));
  }
}

// Whether the template gives the words of the captions that are there.
bool caption_writer::reproduces() const {
  auto const& samples = template_->samples();
  auto const right = std::count_if(samples.begin(), samples.end(), [&](record_view const& v) {
    content const made{template_->write(v.of->item, *v.item, v.of)};
    return std::equal(made.words().begin(), made.words().end(), v.words.begin(), v.words.end(),
                      [](auto const& x, auto const& y) { return x.text == y.text; });
  });
  return !samples.empty() && 10 * static_cast<std::size_t>(right) >= 8 * samples.size();
}

std::optional<std::string> caption_writer::write(item_id id) const {
  auto const time = items_.times() - 1;
  auto const known = [&](auto const& by, trait t) {
    auto const found = by.find(only(values_of(t, items_, id, time)));
    return found == by.end() ? std::string{} : found->second;
  };
  if (auto bytes = known(by_author_, trait::author); !bytes.empty()) return bytes;
  if (auto bytes = known(by_host_, trait::host); !bytes.empty() && by_host_.size() > 1) return bytes;
  if (!template_) return {};
  return template_->write(id, *items_[id].latest);
}

}  // namespace cistern::stitch::templates
