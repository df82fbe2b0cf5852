#include "tests/stitch/feed/support.hpp"

#include <catch2/catch.hpp>

using namespace cistern::tests;

TEST_CASE("a feed's language is its own, else Dublin Core's, else xml:lang", "[stitch]") {
  CHECK(read(rss("<language>en_US</language><dc:language>de</dc:language>")).language == "en-US");
  CHECK(read(rss("<dc:language>de</dc:language>")).language == "de");
  CHECK(read("<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='fr'><title>t</title></feed>").language == "fr");
  CHECK(read("<rss version='2.0'><channel xml:lang='it'><title>t</title></channel></rss>").language == "it");
  CHECK(read(rss("<title>t</title>")).language.empty());
  CHECK(read(rss("<language>not a_tag</language>")).language == "not a_tag");
}

TEST_CASE("what stands beside the channel counts for less than what it says", "[stitch]") {
  auto const beside = "<title>beside</title><link>http://beside.test/</link><description>beside</description>";
  auto const within = "<title>T</title><link>http://a.test/</link><description>D</description>";
  auto const wrapped = [](std::string const& inside) { return read("<rss version='2.0'>" + inside + "</rss>"); };
  auto const f = wrapped(beside + ("<channel>" + std::string{within}) + "</channel>" + beside);
  CHECK(f.title == "T");
  CHECK(f.link == "http://a.test/");
  CHECK(f.description == "D");
  CHECK(wrapped(beside + std::string{"<channel><ttl>5</ttl></channel>"}).title == "beside");
}

TEST_CASE("hints on when to visit are read and rubbish is ignored", "[stitch]") {
  auto const f = read(
      rss("<ttl> 60 "
          "</ttl><skipHours><hour>0</hour><hour>24</hour><hours>7</hours><foo>9</foo><hour>25</hour><hour>x</hour></"
          "skipHours>"
          "<skipDays><day>monday</day><foo/><day>SUNDAY</day><day>Someday</day></skipDays>"
          "<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</"
          "sy:updateFrequency><sy:updateBase>2000-01-01T12:00+00:00</sy:updateBase>"));
  CHECK(f.ttl_minutes == 60);
  CHECK(f.skip_hours == std::vector<int>{0, 7});
  CHECK(f.skip_days == std::vector<std::string>{"Monday", "Sunday"});
  CHECK(f.update_period == "hourly");
  CHECK(f.update_frequency == 2);
  CHECK(time_of(f.update_base) == "2000-01-01T12:00:00Z");
  for (auto const* bad : {"-5", "99999999999", "ten", "", "1.5"})
    CHECK_FALSE(read(rss("<ttl>" + std::string{bad} + "</ttl>")).ttl_minutes);
}

TEST_CASE("interval rules are read in any namespace", "[stitch]") {
  auto const f = read(rss(
      "<x:rules xmlns:x='http://x.test/'><x:interval starthour='8' endhour='18' startday='0' endday='4'>15</x:interval>"
      "<x:interval>240</x:interval></x:rules><interval starthour='1'>soon</interval>"));
  REQUIRE(f.intervals.size() == 2);
  CHECK(f.intervals[0].start_hour == 8);
  CHECK(f.intervals[0].end_day == 4);
  CHECK(f.intervals[0].interval == std::chrono::minutes{15});
  CHECK(f.intervals[1].end_hour == 24);
}

TEST_CASE("items come out one by one before the feed ends", "[stitch]") {
  int seen = 0;
  cistern::stitch::feed::reader_options options;
  options.base = "http://a.test/";
  cistern::stitch::feed::feed_reader reader{options, [&seen](item&& i) { seen += i.link == "http://a.test/x"; }};
  // The charset is decided on the first 16 KB.
  reader.push("<rss version='2.0'><channel><title>" + std::string(20000, 'x') + "</title><item><link>x</link></item>");
  CHECK(seen == 1);
  reader.push("<item><link>x</link></item>");
  CHECK(seen == 2);
}

TEST_CASE("a feed that only says when it was first published has that date", "[stitch]") {
  CHECK(time_of(read(rss("<dcterms:issued>2003-12-31</dcterms:issued>")).updated) == "2003-12-31T00:00:00Z");
  CHECK(time_of(read(rss("<dcterms:created>2003-12-31</dcterms:created>")).updated) == "2003-12-31T00:00:00Z");
  CHECK(time_of(read(atom("<published>2003-12-31T10:00:00Z</published>")).updated) == "2003-12-31T10:00:00Z");
  CHECK(time_of(read(rss("<dcterms:issued>2003-12-31</dcterms:issued><pubDate>1 Jan 2005</pubDate>")).updated) ==
        "2005-01-01T00:00:00Z");
}
