#include "store/search_index.hpp"

#include "store/errc.hpp"
#include "store/search_query.hpp"
#include "tests/support/temp_dir.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace cistern::store;
using namespace cistern::tests;
using namespace std::chrono_literals;

namespace {

/// An index in a folder of its own.
struct small_index {
  temp_dir folder;
  search_index index{{.folder = folder.path()}};

  small_index() { index.open().value(); }

  void put(std::string name, std::string title, std::string text, std::chrono::sys_seconds when = {}) {
    search_document const document{
        .name = name, .url = name, .host = "paper.test", .title = title, .text = text, .when = when, .page = true};
    index.write([&](search_batch& b) { b.put(document); }).value();
  }
  std::set<std::string> names(search_question const& question) {
    std::set<std::string> out;
    for (auto const& hit : index.find(question).value().hits) out.insert(hit.url);
    return out;
  }
  std::set<std::string> find(std::string words) { return names({.words = std::move(words)}); }
};

using names = std::set<std::string>;

std::string marked(std::vector<text_piece> const& pieces) {
  std::string out;
  for (auto const& piece : pieces) out += piece.match ? '[' + piece.text + ']' : piece.text;
  return out;
}

}  // namespace

TEST_CASE("words are found in any language, whatever the case and the accents", "[store]") {
  small_index i;
  i.put("english", "Rain at last", "The Wells are full again after eleven weeks.");
  i.put("german", "Über die Straße", "Frau Müller grüßt die Nachbarn.");
  i.put("chinese", "北京大学的图书馆", "我们在图书馆里读书。");
  i.put("japanese", "東京タワーの夜", "カメラを持って、写真を撮りました。");
  i.put("korean", "한국은행의 소식", "서울에서 만나요.");
  i.put("thai", "ข่าวน้ำ", "ฉันดื่มน้ำทุกวันในกรุงเทพมหานคร");
  i.put("arabic", "مُحَمَّد في المكتبة", "الأخبار من القاهرة اليوم");
  i.put("hindi", "हिन्दी समाचार", "पानी की टंकी भर गई");
  i.put("russian", "Ёлка в лесу", "Дождь ПРОШЁЛ вчера.");
  i.put("french", "Le café d'été", "L’œuvre du cœur");

  auto const [words, name] = GENERATE(table<std::string, std::string>({
      {"wells full", "english"},  {"WELLS", "english"}, {"strasse", "german"},     {"Straße", "german"},
      {"uber", "german"},         {"ueber", "german"},  {"muller", "german"},      {"Mueller", "german"},
      {"MÜLLER", "german"},       {"北京", "chinese"},  {"大学", "chinese"},       {"图书馆", "chinese"},
      {"图书馆 读书", "chinese"}, {"馆", "chinese"},    {"東京", "japanese"},      {"タワー", "japanese"},
      {"写真", "japanese"},       {"은행", "korean"},   {"서울", "korean"},        {"น้ำ", "thai"},
      {"กรุงเทพ", "thai"},         {"محمد", "arabic"},   {"القاهره", "arabic"},     {"الاخبار", "arabic"},
      {"हिन्दी", "hindi"},         {"टंकी", "hindi"},     {"дождь", "russian"},      {"прошел", "russian"},
      {"cafe ete", "french"},     {"oeuvre", "french"}, {"ＷＥＬＬＳ", "english"},
  }));
  INFO(words);
  CHECK(i.find(words) == names{name});
}

TEST_CASE("what is not there in that order is not found in a script without blanks", "[store]") {
  small_index i;
  i.put("a", "上海", "北京大学");
  CHECK(i.find("京北").empty());
  CHECK(i.find("大北京").empty());
  CHECK(i.find("海北").empty());
  CHECK(i.find("上") == names{"a"});
}

TEST_CASE("all words must be there, phrases stand together, and a minus leaves out", "[store]") {
  small_index i;
  i.put("one", "The lower cistern", "is full of rain water");
  i.put("two", "Water from the rain", "fills the barrel");
  i.put("three", "A barrel of apples", "and nothing else");
  CHECK(i.find("rain water") == names{"one", "two"});
  CHECK(i.find("\"rain water\"") == names{"one"});
  CHECK(i.find("“rain water”") == names{"one"});
  CHECK(i.find("rain -cistern") == names{"two"});
  CHECK(i.find("barrel -\"of apples\"") == names{"two"});
  CHECK(i.find("rain apples").empty());
  CHECK(i.find("-rain").empty());
}

TEST_CASE("the last word may be unfinished, unless a blank or a quote ends it", "[store]") {
  small_index i;
  i.put("one", "Stitching", "homepages");
  CHECK(i.find("stit") == names{"one"});
  CHECK(i.find("homepages stit") == names{"one"});
  CHECK(i.find("stit ").empty());
  CHECK(i.find("stit homepages").empty());
  CHECK(i.find("\"stit\"").empty());
  CHECK(i.find("s").empty());
}

TEST_CASE("nothing that is typed is a mistake", "[store]") {
  small_index i;
  i.put("one", "Rain", "NEAR the well AND the OR gate; title:Rain * ^");
  for (auto const* const typed : {"",
                                  " ",
                                  "\"",
                                  "\"\"",
                                  "-",
                                  "--",
                                  "*",
                                  "^",
                                  "()",
                                  "(((",
                                  "AND",
                                  "NOT",
                                  "a AND",
                                  "NEAR(",
                                  "title:",
                                  "{a b}:c",
                                  "'; DROP TABLE words;--",
                                  "\"unclosed",
                                  "-\"",
                                  "\xff\xfe",
                                  "a\"b",
                                  "+rain",
                                  "rain*",
                                  "%",
                                  "col : x",
                                  "\x01\x02\x03",
                                  "…",
                                  "-\"\"",
                                  "\"-\"",
                                  "rain -",
                                  "0x0"}) {
    INFO(typed);
    CHECK(i.index.find({.words = typed}).has_value());
  }
  CHECK(i.find("title:rain") == names{"one"});
  CHECK(i.find("rain*") == names{"one"});
  CHECK(i.find("and the or") == names{"one"});
  CHECK(i.find(std::string(100'000, 'x') + " rain").empty());
  std::string many;
  for (int n = 0; n < 1000; ++n) many += "the ";
  CHECK(i.find(many) == names{"one"});
}

TEST_CASE("a search that takes too long is given up", "[store]") {
  small_index i;
  for (int n = 0; n < 2000; ++n)
    i.put("page " + std::to_string(n), "rain", "rain and wind and rain " + std::to_string(n));
  auto const end = i.index.find({.words = "rain wind", .patience = 0ms});
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error() == errc::took_too_long);
  CHECK(i.index.find({.words = "rain wind"}).value().hits.size() == 20);
}

TEST_CASE("what matches is marked in title and snippet, and text cannot pretend to be a mark", "[store]") {
  small_index i;
  i.put("one", "Rain \x02<b>at</b>\x03 last", "Before. The <script>alert(1)</script> rain came in the night.");
  i.put("two", "东京的春天", "春天来了");
  auto const hit = i.index.find({.words = "rain"}).value().hits.at(0);
  CHECK(marked(hit.title) == "[Rain]  <b>at</b>  last");
  CHECK(marked(hit.snippet) == "Before. The <script>alert(1)</script> [rain] came in the night.");
  CHECK(marked(i.index.find({.words = "春天"}).value().hits.at(0).title) == "东京的[春天]");
}

TEST_CASE("a title counts more than a text, and newest first is newest first", "[store]") {
  small_index i;
  auto const day = [](int n) { return std::chrono::sys_seconds{std::chrono::days{20000 + n}}; };
  i.put("text", "Something", "about rain", day(3));
  i.put("title", "Rain", "about something", day(1));
  auto const best = i.index.find({.words = "rain"}).value();
  CHECK(best.hits.at(0).url == "title");
  auto const newest = i.index.find({.words = "rain", .order = search_order::newest}).value();
  CHECK(newest.hits.at(0).url == "text");
}

TEST_CASE("results come page by page, each once, in either order", "[store]") {
  small_index i;
  for (int n = 0; n < 57; ++n)
    i.put("page " + std::to_string(n), n % 3 == 0 ? "Rain" : "Wind",
          "rain " + std::string(static_cast<std::size_t>(n % 7) * 5, 'x'),
          std::chrono::sys_seconds{std::chrono::days{n / 2}});
  for (auto const order : {search_order::best, search_order::newest}) {
    search_question question{.words = "rain", .order = order, .limit = 10};
    std::vector<std::string> seen;
    for (;;) {
      auto const page = i.index.find(question).value();
      for (auto const& hit : page.hits) seen.push_back(hit.url);
      if (!page.next) break;
      question.after = search_cursor::read(page.next->text());
      REQUIRE(question.after);
      REQUIRE(seen.size() < 100);
    }
    CHECK(seen.size() == 57);
    CHECK(names{seen.begin(), seen.end()}.size() == 57);
  }
  CHECK_FALSE(search_cursor::read("12"));
  CHECK_FALSE(search_cursor::read("x.y"));
}

TEST_CASE("a search can be kept to a site with the hosts below it, and to a time", "[store]") {
  small_index i;
  auto const put = [&](std::string host, int day) {
    search_document const document{.name = host,
                                   .url = host,
                                   .host = host,
                                   .title = "Rain",
                                   .when = std::chrono::sys_seconds{std::chrono::days{day}}};
    i.index.write([&](search_batch& b) { b.put(document); }).value();
  };
  put("example.org", 1);
  put("www.example.org", 2);
  put("notexample.org", 3);
  put("planet.test", 4);
  i.index.write([](search_batch& b) { b.put_item({.item = "k", .document = "planet.test", .subscription = 7}); })
      .value();
  CHECK(i.names({.words = "rain", .host = "example.org"}) == names{"example.org", "www.example.org"});
  CHECK(i.names({.words = "rain", .host = "example.org", .subscriptions = {7}}).contains("planet.test"));
  auto const day = [](int n) { return std::chrono::sys_seconds{std::chrono::days{n}}; };
  CHECK(i.names({.words = "rain", .since = day(3)}) == names{"notexample.org", "planet.test"});
  CHECK(i.names({.words = "rain", .since = day(2), .before = day(4)}) == names{"www.example.org", "notexample.org"});
}

TEST_CASE("what was changed is found by its new words only, what was erased not at all", "[store]") {
  small_index i;
  i.put("one", "Rain", "old words");
  i.put("one", "Rain", "new words");
  CHECK(i.find("old").empty());
  CHECK(i.find("new") == names{"one"});
  i.index.write([](search_batch& b) { b.erase("one"); }).value();
  CHECK(i.find("rain").empty());
  CHECK(i.index.documents().value() == 0);
}

TEST_CASE("a file that is no index, or is damaged, is made anew", "[store]") {
  temp_dir folder;
  folder.write("search.db", std::string(8192, 'x'));
  search_index index{{.folder = folder.path()}};
  REQUIRE(index.open().has_value());
  for (int n = 0; n < 500; ++n)
    index
        .write([&](search_batch& b) {
          b.put({.name = std::to_string(n), .title = "Rain", .text = std::string(300, 'a') + std::to_string(n)});
        })
        .value();
  REQUIRE(index.check({}).has_value());
  index.close();
  auto bytes = read_file(folder / "search.db");
  REQUIRE(bytes.size() > 100'000);
  for (std::size_t at = 40'000; at < 80'000; ++at) bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
  folder.write("search.db", bytes);
  auto const opened = index.open();
  auto const whole = opened ? index.check({}) : opened;
  REQUIRE_FALSE(whole.has_value());
  CHECK(whole.error() == errc::damaged);
  REQUIRE(index.start_anew().has_value());
  CHECK(index.check({}).has_value());
  CHECK(index.documents().value() == 0);
}

TEST_CASE("only the owner may read the index", "[store]") {
  small_index i;
  i.put("one", "Rain", "words");
  for (auto const* const name : {"search.db", "search.db-wal"}) {
    auto const rights = std::filesystem::status(i.folder / name).permissions();
    CHECK((rights & std::filesystem::perms::others_all) == std::filesystem::perms::none);
    CHECK((rights & std::filesystem::perms::group_all) == std::filesystem::perms::none);
  }
}
