#include "fields.hpp"
#include "store/cache_control.hpp"
#include "store/field_list.hpp"
#include "store/freshness.hpp"
#include "store/http_date.hpp"
#include "store/partial_content.hpp"
#include "store/preconditions.hpp"
#include "store/ranges.hpp"
#include "store/reuse.hpp"
#include "store/storability.hpp"
#include "store/validation.hpp"
#include "store/vary.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <random>

using namespace cistern::store;
using namespace cistern::store::test;

namespace {

constexpr unsigned seed = 20301;

/// Field values put together from the pieces that matter, in an order nobody would send.
class noise {
public:
  std::string value() {
    std::string out;
    for (auto n = random_() % 7; n > 0; --n) out += pieces[random_() % pieces.size()];
    return out;
  }

  header_block fields() {
    header_block out;
    for (auto n = random_() % 9; n > 0; --n) out.add(names[random_() % names.size()], value());
    return out;
  }

  unsigned number(unsigned below) { return static_cast<unsigned>(random_() % below); }

private:
  static constexpr std::array<std::string_view, 30> pieces{",",
                                                           ";",
                                                           "=",
                                                           "\"",
                                                           "\\",
                                                           "max-age=",
                                                           "s-maxage=\"5\"",
                                                           "no-cache",
                                                           "60",
                                                           "-",
                                                           "bytes=",
                                                           "bytes ",
                                                           "/",
                                                           "*",
                                                           "W/\"a\"",
                                                           "\"a\"",
                                                           " ",
                                                           "\t",
                                                           "q=0.5",
                                                           "gzip",
                                                           "en",
                                                           "99999999999999999",
                                                           "no-store",
                                                           "private=\"a,b\"",
                                                           "0-1,2",
                                                           "stale-while-revalidate=9",
                                                           "must-revalidate",
                                                           "Tue, 01 Jan 2030 12:00:00 GMT",
                                                           "Tuesday, 01-Jan-30 12:00:00 GMT",
                                                           "\xFF"};
  static constexpr std::array<std::string_view, 20> names{"Cache-Control",
                                                          "Age",
                                                          "Date",
                                                          "Expires",
                                                          "Last-Modified",
                                                          "ETag",
                                                          "Vary",
                                                          "Range",
                                                          "A",
                                                          "If-None-Match",
                                                          "If-Modified-Since",
                                                          "If-Unmodified-Since",
                                                          "If-Range",
                                                          "Accept-Language",
                                                          "Connection",
                                                          "Pragma",
                                                          "Content-Range",
                                                          "Accept-Encoding",
                                                          "Content-Length",
                                                          "Set-Cookie"};
  std::mt19937 random_{seed};
};

}  // namespace

TEST_CASE("whatever is received, ages and lifetimes stay within their bounds", "[store]") {
  noise n;
  for (int i = 0; i < 20'000; ++i) {
    auto const response = n.fields();
    auto const request = n.fields();
    auto const policy = make_policy(100 + n.number(500), response, {noon, noon + 1s}, {});
    CHECK((policy.lifetime >= 0 && policy.lifetime <= longest_delta.count()));
    CHECK((policy.initial_age >= 0 && policy.initial_age <= longest_delta.count() + 1));
    auto const d = decide(policy, read_request_directives(request), {.down = n.number(2) == 0}, noon + 1h, {});
    CHECK((d.what != reuse::fresh || d.ttl.count() > 0));
    CHECK((d.what != reuse::fresh || !policy.is(stored_policy::always_validate)));
  }
}

TEST_CASE("whatever Range asks for, what is sent lies within the body and no byte is sent twice", "[store]") {
  noise n;
  for (int i = 0; i < 20'000; ++i) {
    auto const size = n.number(50);
    auto const answer = read_range("bytes=" + n.value(), size, {.most_ranges = 32, .worth_joining = n.number(3)});
    std::uint64_t total = 0;
    for (auto const& r : answer.ranges) {
      CHECK((r.first <= r.last && r.last < size));
      total += r.size();
    }
    CHECK(total <= size);
    CHECK((answer.what == range_answer::kind::partial) == !answer.ranges.empty());
  }
}

TEST_CASE("normalising twice equals once, and a request always matches its own key", "[store]") {
  noise n;
  for (int i = 0; i < 5'000; ++i) {
    auto const text = n.value();
    for (auto const* name : {"Foo", "Accept-Language", "Accept-Encoding"}) {
      auto const once = normal_form(name, text);
      CHECK(normal_form(name, once) == once);
    }
    auto const request = n.fields();
    std::string const names = "a,accept-language,etag";
    auto const key = vary_key(names, request);
    std::array const stored{variant{.names = names, .key = key}};
    CHECK(choose_variant(stored, request, false).has_value());
  }
}

TEST_CASE("an update applied twice changes nothing more, and never what describes the bytes", "[store]") {
  noise n;
  for (int i = 0; i < 5'000; ++i) {
    auto const stored = fields_to_store(n.fields(), noon, {});
    auto const news = n.fields();
    auto const once = update_stored(stored, news, noon);
    auto const twice = update_stored(once, news, noon);
    CHECK(twice.wire().size() == once.wire().size());
    for (auto const& f : once) CHECK(twice.joined(f.name) == once.joined(f.name));
    for (auto const* name : {"Content-Length", "Content-Range", "Vary"})
      CHECK(once.joined(name) == stored.joined(name));
    CHECK_FALSE(once.has("Set-Cookie"));
    CHECK_FALSE(once.has("Connection"));
  }
}

TEST_CASE("conditions and validators of any shape have an answer", "[store]") {
  noise n;
  for (int i = 0; i < 20'000; ++i) {
    auto const stored = n.fields();
    auto const request = n.fields();
    auto const conditions = read_conditions(request);
    auto const verdict = check(conditions, "GET", 200, stored, noon);
    CHECK((verdict != precondition::not_modified || !conditions.if_none_match.empty() ||
           !conditions.if_modified_since.empty()));
    if (!conditions.if_range.empty() && stored.empty()) CHECK_FALSE(range_applies(conditions, stored, noon));
    CHECK((interpret(304, request, stored, true) == validation_result::freshen ||
           interpret(304, request, stored, true) == validation_result::mismatch));
    if (may_combine(stored, request)) CHECK(!strong_validator(stored, noon).empty());
  }
}
