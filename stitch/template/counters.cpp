#include "stitch/template/counters.hpp"

#include "stitch/entities.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::node_id;
using html::node_kind;

struct counter {
  node_id node = html::no_node;
  std::size_t value = 0, begin = 0, end = 0;  // where the number stands in the node's text
  bool unique = true;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Texts with one number in them, by their words around it and the tags down to them. Those that occur twice prove
// nothing.
std::map<std::string, counter> counters_of(document const& page) {
  constexpr std::size_t longest = 120, most_digits = 6;
  std::map<std::string, counter> out;
  for (node_id n = 0; n < page.size();) {
    auto const& x = page[n];
    if (x.kind == node_kind::element && (html::is_hidden(x.name) || x.name == "head")) {
      n = x.end;
      continue;
    }
    ++n;
    if (x.kind != node_kind::text || x.text.size() > longest) continue;
    auto const from = static_cast<std::size_t>(std::find_if(x.text.begin(), x.text.end(), is_digit) - x.text.begin());
    auto to = from;
    while (to < x.text.size() && is_digit(x.text[to])) ++to;
    bool const another = std::any_of(x.text.begin() + static_cast<std::ptrdiff_t>(to), x.text.end(), is_digit);
    if (from == to || to - from > most_digits || another) continue;
    std::string key{x.text.substr(0, from)};
    (key += '\0') += x.text.substr(to);
    for (auto p = x.parent; p != html::no_node; p = page[p].parent) (key += '/') += page[p].name;
    counter const found{n - 1, std::stoul(std::string{x.text.substr(from, to - from)}), from, to, true};
    if (auto const [known, fresh] = out.try_emplace(std::move(key), found); !fresh) known->second.unique = false;
  }
  return out;
}

// A list's length both times, while it changed; or a number that grew by as many as the list did, when that is no
// chance.
std::optional<std::size_t> next_value(std::size_t before, std::size_t now, std::vector<tally> const& tallies) {
  constexpr std::size_t no_chance = 2;
  for (auto const& t : tallies) {
    if (t.now <= t.before || t.next <= t.now) continue;
    if (before == t.before && now == t.now) return t.next;
    if (now > before && now - before == t.now - t.before && t.now - t.before >= no_chance && before > t.before)
      return now + t.next - t.now;
  }
  return {};
}

}  // namespace

std::vector<page_edit> count_up(document const& before, document const& now, std::vector<tally> const& tallies,
                                std::vector<page_edit> const& taken) {
  std::vector<page_edit> out;
  bool const grows =
      std::any_of(tallies.begin(), tallies.end(), [](tally const& t) { return t.next > t.now && t.now > t.before; });
  if (!grows) return out;
  auto const then = counters_of(before);
  for (auto const& [key, c] : counters_of(now)) {
    auto const old = then.find(key);
    if (old == then.end() || !c.unique || !old->second.unique || !now[c.node].placed) continue;
    auto const next = next_value(old->second.value, c.value, tallies);
    auto const& x = now[c.node];
    if (!next || std::any_of(taken.begin(), taken.end(),
                             [&](page_edit const& e) { return x.begin < e.end && e.begin < x.finish; }))
      continue;
    auto const text =
        std::string{x.text.substr(0, c.begin)} + std::to_string(*next) + std::string{x.text.substr(c.end)};
    out.push_back({x.begin, x.finish, escape_text(text)});
  }
  return out;
}

}  // namespace cistern::stitch::templates
