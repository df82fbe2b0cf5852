#include "store/vary.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace cistern::store;
using namespace cistern::store::test;

namespace {

/// A stored response as the repository keeps it.
struct kept {
  std::string names, key, language;
  std::chrono::sys_seconds date = noon;
  kept(header_block const& response, header_block const& request, std::chrono::sys_seconds when = noon)
      : names{vary_names(response)},
        key{vary_key(names, request)},
        language{response.find("Content-Language").value_or("")},
        date{when} {}
  [[nodiscard]] variant view() const { return {names, key, language, date}; }
};

bool reused(header_block const& response, header_block const& first, header_block const& second) {
  kept const k{response, first};
  std::vector<variant> const all{k.view()};
  return choose_variant(all, second, false).has_value();
}

}  // namespace

TEST_CASE("the names in Vary are one sorted list, and one star is enough", "[store]") {
  CHECK(vary_names(fields({})).empty());
  CHECK(vary_names(fields({{"Vary", "Foo , bar"}, {"vary", "BAR,, abc"}})) == "abc,bar,foo");
  for (auto const* star : {"*", "*, *", ", *", "Foo, *", "*, Foo"}) CHECK(vary_names(fields({{"Vary", star}})) == "*");
  CHECK(vary_names(fields({{"Vary", ""}, {"Vary", "*"}})) == "*");
  CHECK(vary_names(fields({{"Vary", ""}})).empty());
}

TEST_CASE("a response is reused when the fields it was chosen by are the same", "[store]") {
  auto const foo = fields({{"Vary", "Foo"}});
  CHECK(reused(foo, fields({{"Foo", "1"}}), fields({{"foo", "1"}, {"Other", "3"}})));
  CHECK_FALSE(reused(foo, fields({{"Foo", "1"}}), fields({{"Foo", "2"}})));
  CHECK_FALSE(reused(foo, fields({{"Foo", "1"}}), fields({})));
  CHECK_FALSE(reused(foo, fields({}), fields({{"Foo", "1"}})));
  CHECK_FALSE(reused(foo, fields({}), fields({{"Foo", ""}})));
  CHECK(reused(foo, fields({}), fields({})));
  CHECK_FALSE(reused(fields({{"Vary", "*"}}), fields({}), fields({})));

  auto const three = fields({{"Vary", "Foo, Bar"}, {"Vary", "Baz"}});
  auto const request = fields({{"Foo", "1"}, {"Bar", "abc"}, {"Baz", "789"}});
  CHECK(reused(three, request, fields({{"Baz", "789"}, {"Bar", "abc"}, {"Foo", "1"}})));
  CHECK_FALSE(reused(three, request, fields({{"Foo", "1"}, {"Baz", "789"}, {"Bar", "abcde"}})));
  CHECK_FALSE(reused(three, request, fields({{"Foo", "1"}, {"Baz", "789"}})));
  CHECK(reused(three, fields({{"Foo", "1"}, {"Baz", "7"}}), fields({{"Foo", "1"}, {"Baz", "7"}})));
}

TEST_CASE("the values of two fields cannot run into each other", "[store]") {
  auto const both = fields({{"Vary", "A, B"}});
  CHECK_FALSE(reused(both, fields({{"A", "1"}, {"B", "2"}}), fields({{"A", "12"}, {"B", ""}})));
  CHECK_FALSE(reused(both, fields({{"A", "1"}}), fields({{"B", "1"}})));
}

TEST_CASE("values that mean the same are the same", "[store]") {
  struct row {
    std::string_view name, first, second;
    bool same;
  };
  constexpr row rows[] = {
      {"Foo", "1, 2", "1,2", true},
      {"Foo", "1,2", " 1 ,  2 ", true},
      {"Foo", "1, 2", "2, 1", false},
      {"Foo", "a", "A", false},
      {"Foo", "\"a , b\"", "\"a,b\"", false},
      {"Accept-Language", "en, de", "de, en", true},
      {"Accept-Language", "en, de", "eN, De", true},
      {"Accept-Language", "en, de", " en ,   de", true},
      {"Accept-Language", "en, de;q=0.5", "de; Q=0.50, en;q=1.0", true},
      {"Accept-Language", "en, de;q=0.5", "de, en;q=0.5", false},
      {"Accept-Language", "en;q=x", "en", false},
      {"Accept-Encoding", "gzip, br", "br,x-gzip", true},
      {"Accept-Encoding", "gzip, br", "gzip", false},
      {"Accept-Encoding", "gzip, br;q=0", "gzip", false},
      {"Accept", "text/html, */*;q=0.8", "*/*;q=0.8,text/HTML", true},
      {"Accept", "text/html;level=1", "text/html", false},
  };
  for (auto const& r : rows) {
    INFO(r.name << ": " << r.first << " | " << r.second);
    CHECK(reused(fields({{"Vary", r.name}}), fields({{r.name, r.first}}), fields({{r.name, r.second}})) == r.same);
  }
  CHECK(reused(fields({{"Vary", "Foo"}}), fields({{"Foo", "1, 2"}}), fields({{"Foo", "1"}, {"Foo", "2"}})));
  CHECK(normal_form("Accept-Language", "de;q=0.05, EN") == "en,de;q=0.050");
}

TEST_CASE("a page in the language that is liked best answers, whatever else was asked for", "[store]") {
  auto const german = fields({{"Vary", "Accept-Language, Foo"}, {"Content-Language", "de"}});
  auto const first = fields({{"Accept-Language", "en, de"}, {"Foo", "1"}});
  CHECK(reused(german, first, fields({{"Accept-Language", "fr;q=0.5, DE;q=1.0"}, {"Foo", "1"}})));
  CHECK_FALSE(reused(german, first, fields({{"Accept-Language", "fr;q=0.5, de;q=1.0"}, {"Foo", "2"}})));
  CHECK_FALSE(reused(german, first, fields({{"Accept-Language", "fr, de"}, {"Foo", "1"}})));
  CHECK_FALSE(reused(german, first, fields({{"Accept-Language", "fr, de;q=0.5"}, {"Foo", "1"}})));
  CHECK_FALSE(reused(german, first, fields({{"Accept-Language", "de;q=0"}, {"Foo", "1"}})));
  CHECK_FALSE(reused(fields({{"Vary", "Accept-Language"}, {"Content-Language", "de, en"}}), first,
                     fields({{"Accept-Language", "de"}})));
}

TEST_CASE("of several that match the newest is chosen, one that varies before one that forgot to", "[store]") {
  auto const foo = fields({{"Vary", "Foo"}});
  auto const request = fields({{"Foo", "1"}});
  kept const old{foo, request, noon - 2h}, newer{foo, request, noon - 1h}, other{foo, fields({{"Foo", "2"}}), noon};
  kept const forgot{fields({}), fields({}), noon};
  std::vector<variant> const all{old.view(), newer.view(), other.view(), forgot.view()};
  CHECK(choose_variant(all, request, false)->index == 1);
  CHECK(choose_variant(all, fields({{"Foo", "3"}}), false)->index == 3);
}

TEST_CASE("when the link is down and nothing matches, the newest is given and marked", "[store]") {
  auto const foo = fields({{"Vary", "Foo"}});
  kept const old{foo, fields({{"Foo", "1"}}), noon - 2h}, newer{foo, fields({{"Foo", "2"}}), noon};
  kept const star{fields({{"Vary", "*"}}), fields({}), noon - 1h};
  std::vector<variant> const all{old.view(), newer.view(), star.view()};
  auto const nothing_fits = fields({{"Foo", "3"}});
  CHECK_FALSE(choose_variant(all, nothing_fits, false));
  CHECK(choose_variant(all, nothing_fits, true)->index == 1);
  CHECK_FALSE(choose_variant(all, nothing_fits, true)->matches);
  CHECK(choose_variant(all, fields({{"Foo", "1"}}), true)->index == 0);
  CHECK(choose_variant(all, fields({{"Foo", "1"}}), true)->matches);
  CHECK_FALSE(choose_variant({}, nothing_fits, true));
}
