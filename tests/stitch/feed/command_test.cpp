#include <catch2/catch.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace {

struct outcome {
  int code;
  std::string out, err;
};

std::string contents(std::string const& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// Runs `cistern ARGUMENTS` with `input` on standard input.
outcome run(std::string const& arguments, std::string const& input) {
  char folder[] = "/tmp/cistern-test-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  auto const base = std::string{folder} + "/run";
  std::ofstream{base + ".in", std::ios::binary} << input;
  auto const command =
      std::string{CISTERN_PROGRAM} + ' ' + arguments + " <" + base + ".in >" + base + ".out 2>" + base + ".err";
  auto const status = std::system(command.c_str());
  outcome done{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(base + ".out"), contents(base + ".err")};
  for (auto const* end : {".in", ".out", ".err"}) std::remove((base + end).c_str());
  std::remove(folder);
  return done;
}

}  // namespace

TEST_CASE("feed parse prints one JSON object with the contract's members", "[stitch]") {
  auto const done = run(
      "feed parse - --base http://a.test/f",
      "<rss version='2.0'><channel><title>T \"q\"</title><link>/</link><ttl>5</ttl><item><title>i</title><guid>g</guid>"
      "<pubDate>Mon, 06 Sep 2021 02:00:00 +0200</pubDate><category>c</category><enclosure url='e' type='a/b' "
      "length='1'/></item></channel></rss>");
  CHECK(done.code == 0);
  CHECK(done.err.empty());
  CHECK(done.out ==
        "{\"format\":\"rss 2.0\",\"title\":\"T "
        "\\\"q\\\"\",\"link\":\"http://a.test/\",\"ttl_minutes\":5,\"items\":[{\"id\":\"g\",\"title\":\"i\","
        "\"published\":\"2021-09-06T00:00:00Z\",\"categories\":[\"c\"],\"enclosures\":[{\"url\":\"http://a.test/"
        "e\",\"type\":\"a/b\",\"length\":1}]}]}\n");
}

TEST_CASE("what is no feed gives exit code 1 and one line", "[stitch]") {
  for (auto const* text : {"", "<html><body>x</body></html>", "{\"a\":1}", "<opml><body/></opml>"}) {
    auto const done = run("feed parse -", text);
    CHECK(done.code == 1);
    CHECK(done.out.empty());
    CHECK(std::count(done.err.begin(), done.err.end(), '\n') == 1);
  }
  CHECK(run("feed parse /no/such/file", "").code == 1);
  CHECK(run("feed parse", "").code == 2);
}

TEST_CASE("a large feed is printed as it is read and is still one object", "[stitch]") {
  std::string text = "<rss version='2.0'><channel>";
  for (int i = 0; i < 6000; ++i)
    text +=
        "<item><guid>" + std::to_string(i) + "</guid><description>" + std::string(1000, 'x') + "</description></item>";
  auto const done = run("feed parse -", text + "<title>last</title></channel></rss>");
  CHECK(done.code == 0);
  CHECK(done.out.starts_with("{\"items\":[{\"id\":\"0\","));
  CHECK(done.out.ends_with("],\"format\":\"rss 2.0\",\"title\":\"last\"}\n"));
}

TEST_CASE("with --sanitize the texts are as a page gets them", "[stitch]") {
  auto const done = run("feed parse - --sanitize",
                        "<rss "
                        "version='2.0'><channel><item><description>a&lt;script&gt;x&lt;/script&gt;b</description></"
                        "item></channel></rss>");
  CHECK(done.out.find("\"summary\":\"ab\"") != std::string::npos);
}

TEST_CASE("discover and opml check list what they find, one a line", "[stitch]") {
  CHECK(run("feed discover - --base http://a.test/", "<link rel=alternate type=application/rss+xml title=T href=/f>")
            .out == "http://a.test/f\tapplication/rss+xml\tT\n");
  auto const list =
      run("opml check -",
          "<opml><body><outline text='F'><outline text='A' xmlUrl='http://a.test/f'/></outline></body></opml>");
  CHECK(list.code == 0);
  CHECK(list.out == "http://a.test/f\tF/\tA\n1 feeds, 1 places\n");
  CHECK(run("opml check -", "<html/>").code == 1);
}
