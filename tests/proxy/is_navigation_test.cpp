#include "proxy/is_navigation.hpp"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <utility>

using namespace cistern::proxy;

namespace {
visitor asks(std::initializer_list<std::pair<std::string_view, std::string_view>> fields,
             std::string_view method = "GET") {
  visit_hints h{.method = method};
  for (auto const& [name, value] : fields) h.note(name, value);
  return who_asks(h);
}
constexpr std::string_view chrome_page =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
}  // namespace

TEST_CASE("a person who goes to a page is recognised with and without fetch metadata", "[proxy]") {
  CHECK(asks({{"Sec-Fetch-Dest", "document"}, {"Sec-Fetch-Mode", "navigate"}, {"Accept", chrome_page}}) ==
        visitor::person);
  CHECK(asks({{"accept", chrome_page}, {"upgrade-insecure-requests", "1"}}) == visitor::person);
  CHECK(asks({{"Accept", "text/html, */*"}}) == visitor::person);
  CHECK(asks({{"Accept", "application/xml, text/html;q=0.9"}, {"Upgrade-Insecure-Requests", "1"}}) == visitor::person);
}

TEST_CASE("parts of a page, beacons and programs never queue anything", "[proxy]") {
  for (auto const* dest :
       {"image", "style", "script", "font", "empty", "iframe", "frame", "embed", "object", "report", "serviceworker"})
    CHECK(asks({{"Sec-Fetch-Dest", dest}, {"Sec-Fetch-Mode", "no-cors"}, {"Accept", chrome_page}}) == visitor::page);
  CHECK(asks({{"Sec-Fetch-Dest", "document"}, {"Sec-Fetch-Mode", "cors"}}) == visitor::page);
  CHECK(asks({{"Accept", "image/avif,image/webp,*/*;q=0.8"}}) == visitor::page);
  CHECK(asks({{"Accept", "text/css,*/*;q=0.1"}}) == visitor::page);
  CHECK(asks({{"Accept", "*/*"}}) == visitor::page);
  CHECK(asks({}) == visitor::page);
  CHECK(asks({{"Accept", chrome_page}, {"X-Requested-With", "XMLHttpRequest"}}) == visitor::page);
  CHECK(asks({{"Accept", chrome_page}}, "POST") == visitor::page);
  CHECK(asks({{"Accept", chrome_page}}, "HEAD") == visitor::page);
}

TEST_CASE("prefetch and prerender are guesses, not visits", "[proxy]") {
  for (auto const& [name, value] : {std::pair{"Purpose", "prefetch"},
                                    {"Sec-Purpose", "prefetch;prerender"},
                                    {"X-Moz", "prefetch"},
                                    {"X-Purpose", "preview"},
                                    {"Sec-Purpose", "prefetch;anonymous-client-ip"}})
    CHECK(
        asks(
            {{"Sec-Fetch-Dest", "document"}, {"Sec-Fetch-Mode", "navigate"}, {"Accept", chrome_page}, {name, value}}) ==
        visitor::guess);
}
