#include "stitch/template/novelty.hpp"

#include "stitch/template/text.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <set>
#include <string>

using namespace cistern::stitch;
using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

namespace {

// The formulas as they stand, every pair compared.
class direct {
public:
  direct(document const& one, document const& two) : one_{one}, two_{two} {}

  double own(node_id n) const { return 1.0 - best(n, two_) / best(n, one_); }

private:
  static bool in_tree(document const& d, node_id n) {
    return d[n].kind == node_kind::element || (d[n].kind == node_kind::text && !templates::blank(d[n].text));
  }
  static double sim(document const& a, node_id x, document const& b, node_id y) {
    if (x == no_node || y == no_node || !in_tree(a, x) || !in_tree(b, y)) return 0;
    bool const same_kind = a[x].kind == b[y].kind;
    bool const text = a[x].kind == node_kind::text;
    double out = same_kind && (text ? a[x].text == b[y].text : a[x].name == b[y].name) ? 1 : 0;
    for (auto const* p = a.attributes_begin(x); p != a.attributes_end(x); ++p)
      for (auto const* q = b.attributes_begin(y); q != b.attributes_end(y); ++q)
        out += p->name == q->name && p->value == q->value;
    return out;
  }
  double best(node_id n, document const& in) const {
    double out = 0;
    for (node_id m = 0; m < in.size(); ++m)
      if (in_tree(in, m)) out = std::max(out, sim(one_, n, in, m) + sim(one_, one_[n].parent, in, in[m].parent));
    return out;
  }
  document const& one_;
  document const& two_;
};

std::string random_page(std::mt19937& random) {
  static constexpr char const* names[] = {"div", "p", "span", "ul", "li", "em"};
  static constexpr char const* classes[] = {"a", "b", "c", "post", "odd"};
  static constexpr char const* texts[] = {"one", "two", "three", "four words in here", "five"};
  std::string out = "<body>";
  int depth = 0;
  for (int i = 0; i < 60; ++i) {
    auto const choice = random() % 5;
    if (choice < 2 && depth < 12) {
      out += std::string{"<div class=\""} + classes[random() % 5] + "\" id=\"" + std::to_string(random() % 4) + "\">";
      ++depth;
    } else if (choice == 2 && depth > 0) {
      out += "</div>";
      --depth;
    } else if (choice == 3) {
      auto const* const name = names[1 + random() % 2];
      out +=
          std::string{"<"} + name + " title=" + classes[random() % 5] + ">" + texts[random() % 5] + "</" + name + ">";
    } else {
      out += std::string{texts[random() % 5]} + " ";
    }
  }
  return out;
}

document parsed(std::string_view page) { return document::parse(page).value(); }

}  // namespace

TEST_CASE("novelty is what the formulas say, pair by pair", "[stitch]") {
  std::mt19937 random{20261116};
  for (int round = 0; round < 40; ++round) {
    auto const one = parsed(random_page(random)), two = parsed(random_page(random));
    auto const found = templates::find_novelty(one, two);
    direct const formulas{one, two};
    std::vector<double> subtree(one.size(), 0), most(one.size(), 0);
    double best = -1;
    for (auto n = static_cast<node_id>(one.size()); n-- > 0;) {
      bool const counts =
          one[n].kind == node_kind::element || (one[n].kind == node_kind::text && !templates::blank(one[n].text));
      auto const own = counts ? formulas.own(n) : 0;
      REQUIRE(found.own[n] == Approx(own).margin(1e-12));
      subtree[n] += own;
      REQUIRE(found.subtree[n] == Approx(subtree[n]).margin(1e-9));
      if (counts) best = std::max(best, subtree[n] - most[n]);
      if (auto const p = one[n].parent; p != no_node) {
        subtree[p] += subtree[n];
        most[p] = std::max(most[p], subtree[n]);
      }
    }
    CHECK(found.area_diff == Approx(best).margin(1e-9));
  }
}

TEST_CASE("a page has no novelty against itself", "[stitch]") {
  auto const page = parsed("<body><ul class=a><li><a href=/1>one</a><li><a href=/2>two</a></ul>");
  auto const found = templates::find_novelty(page, page);
  CHECK(found.subtree[0] == 0);
}

TEST_CASE("the feed area is the list whose items are all new", "[stitch]") {
  std::string one = "<body><div id=head>static</div><div id=list>", two = one;
  for (int i = 0; i < 8; ++i) {
    one += "<p><a href=/new" + std::to_string(i) + ">fresh " + std::to_string(i) + "</a></p>";
    two += "<p><a href=/old" + std::to_string(i) + ">stale " + std::to_string(i) + "</a></p>";
  }
  auto const page = parsed(one + "</div>"), other = parsed(two + "</div>");
  auto const found = templates::find_novelty(page, other);
  REQUIRE(found.area != no_node);
  CHECK(page.attribute_or_empty(found.area, "id") == "list");
}
