#include "tests/stitch/feed/support.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;

TEST_CASE("a date is read however it was written", "[stitch]") {
  auto const [text, expected] = GENERATE(table<std::string, std::string>({
      {"Thu, 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z"},
      {"Thu, 01 Jan 04 19:48:21 GMT", "2004-01-01T19:48:21Z"},
      {"Thu, 01 Jan 04 19 : 48 : 21 GMT", "2004-01-01T19:48:21Z"},
      {"Thu(rsday), 01 (first) Jan 04 19 (hours) : (minutes) 48 (then) :21 GMT", "2004-01-01T19:48:21Z"},
      {"Mon, 30 Mar 2020: 19:53", "2020-03-30T19:53:00Z"},
      {"Thursday, 1 January 2004 19:48 EST", "2004-01-02T00:48:00Z"},
      {"Thu, 5 Apr 2012 10:00:00 GMT+1", "2012-04-05T09:00:00Z"},
      {"Thu, 5 Apr 2012 10:00:00 UTC+02:00", "2012-04-05T08:00:00Z"},
      {"Mon, May 25 2020 04:45:26 +0000", "2020-05-25T04:45:26Z"},
      {"Sep 23, 2024", "2024-09-23T00:00:00Z"},
      {"16 Sept 2011 17:00:00 Z", "2011-09-16T17:00:00Z"},
      {"Sun Jan  4 16:29:06 2004", "2004-01-04T16:29:06Z"},
      {"Sun Jul 15 01:16:00 +0000 2012", "2012-07-15T01:16:00Z"},
      {"Wed Feb 01 10:00:00 EST 2012", "2012-02-01T15:00:00Z"},
      {"Fri, 2006/09/15 08:19:53 EDT", "2006-09-15T12:19:53Z"},
      {"2004-07-08 23:56:58.0", "2004-07-08T23:56:58Z"},
      {"2004-július-13T9:15-05:00", "2004-07-13T14:15:00Z"},
      {"Κυρ, 11 Ιούλ 2004 12:00:00 EST", "2004-07-11T17:00:00Z"},
      {"Wed, 19 Aug 2009 18:28:00 Etc/GMT", "2009-08-19T18:28:00Z"},
      {"2003-12-31T10:14:55-08:00", "2003-12-31T18:14:55Z"},
      {"2003-12-31T10:14:55.7Z", "2003-12-31T10:14:55Z"},
      {"2003-12-31t10:14:55z", "2003-12-31T10:14:55Z"},
      {"2003-12-31 10:14", "2003-12-31T10:14:00Z"},
      {"2003", "2003-01-01T00:00:00Z"},
      {"2003-12", "2003-12-01T00:00:00Z"},
      {"2003-335", "2003-12-01T00:00:00Z"},
      {"2003335", "2003-12-01T00:00:00Z"},
      {"20031231", "2003-12-31T00:00:00Z"},
      {"20031231T101455Z", "2003-12-31T10:14:55Z"},
      {"03-12-31", "2003-12-31T00:00:00Z"},
      {"031231", "2003-12-31T00:00:00Z"},
      {"2003-W52-3", "2003-12-24T00:00:00Z"},
      {"2003-012-31", "2003-12-31T00:00:00Z"},
      {"1089000000", "2004-07-05T04:00:00Z"},
      {"31.12.2003 10:00", "2003-12-31T10:00:00Z"},
      {"12/31/2003 1:05:06 PM", "2003-12-31T13:05:06Z"},
      {"Sat, 31 Dec 2012 24:00:00 GMT", "2013-01-01T00:00:00Z"},
      {"5 Jun 2017 24:05 PDT", "2017-06-05T07:05:00Z"},
      {"ke, 14 loka 2009 10:00:00 +0300", "2009-10-14T07:00:00Z"},
      {"14. lokakuuta 2009", "2009-10-14T00:00:00Z"},
      {"Pzt, 14 Eki 2009 10:00:00 +0300", "2009-10-14T07:00:00Z"},
      {"чт, 14 гру 2017 10:00:00 +0200", "2017-12-14T08:00:00Z"},
      {"út, 14 čvn 2011", "2011-06-14T00:00:00Z"},
      {"Rab, 14 Agu 2019 10:00:00 +0700", "2019-08-14T03:00:00Z"},
      {"joi, 14 noi 2019 10:00:00 +0200", "2019-11-14T08:00:00Z"},
      {"Thu, 31 Jun 2004 19:48:21 GMT", ""},
      {"Wed, 16th Aug 2012 10:00 am PST", "2012-08-16T18:00:00Z"},
      {"bogus", ""},
      {"Thu, 01 Abc 2004 00:00:00 GMT", ""},
      {"Fri, 17 Oct 2003 10:00:00 -0500 (EST)", "2003-10-17T15:00:00Z"},
      {"Mi, 12 März 2014 11:00:00 +0100", "2014-03-12T10:00:00Z"},
      {"Tue, 01-Apr-2014 10:00:00 A", "2014-04-01T10:00:00Z"},  // RFC 5322 4.3: nobody knows what a letter means
      {"Tue, 01-Apr-2014 10:00:00 Y", "2014-04-01T10:00:00Z"},
      {"2014-05-05T10:00:00-05:00Z", "2014-05-05T15:00:00Z"},
      {"Jan 2, '06", "2006-01-02T00:00:00Z"},
      {"January 2, 2006, 3:04 pm", "2006-01-02T15:04:00Z"},
      {"20040528 01:31", "2004-05-28T01:31:00Z"},
      {"Thu, 01 Jan 2004 23:59:60 GMT", "2004-01-02T00:00:00Z"},
      {"2003-12-31T10:14:55,7+0530", "2003-12-31T04:44:55Z"},
      {"2004/05/06 10:11:12", "2004-05-06T10:11:12Z"},
      {"2004.05.06", "2004-05-06T00:00:00Z"},
      {"Mon, 01 Jan 0001 00:00:00 GMT", "0001-01-01T00:00:00Z"},
      {" 2 January 2006 15:04:05 Europe/Berlin", "2006-01-02T14:04:05Z"},
      {"2 July 2006 15:04:05 Europe/Berlin", "2006-07-02T13:04:05Z"},
      {"12 Mar 2023 01:59:00 America/Los_Angeles", "2023-03-12T09:59:00Z"},
      {"12 Mar 2023 03:00:00 America/Los_Angeles", "2023-03-12T10:00:00Z"},
      {"Mon, 3 Apr 2006 12:00:00 US/Eastern", "2006-04-03T16:00:00Z"},
      {"1 Jan 2020 12:00:00 Australia/Sydney", "2020-01-01T01:00:00Z"},
      {"1 Jul 2020 12:00:00 Australia/Sydney", "2020-07-01T02:00:00Z"},
      {"1 Jul 2020 12:00:00 Asia/Tokyo", "2020-07-01T03:00:00Z"},
      {"1 Jul 2020 12:00:00 Mars/Olympus", "2020-07-01T12:00:00Z"},
      {"Tue, 5 Oct 2010 08:00:00 Pacific Daylight Time", "2010-10-05T15:00:00Z"},
      {"Tue, 5 Oct 2010 08:00:00 (EST)", "2010-10-05T13:00:00Z"},
      {"Tue, 5 Oct 2010 08:00:00 --0500", "2010-10-05T13:00:00Z"},
      {"Tue, 5 Oct 2010 08.30.15 GMT", "2010-10-05T08:30:15Z"},
      {"Tue, 5 Oct 2010 083015 GMT", "2010-10-05T08:30:15Z"},
      {"Tue, 5 Oct 2010 8 -0500", "2010-10-05T13:00:00Z"},
      {"08:30 05.10.2010 -0500", "2010-10-05T13:30:00Z"},
      {"Tue, 05 10 2010 08:30:00 GMT", "2010-10-05T08:30:00Z"},  // the weekday says which is the month
      {"Mon, 05 10 2010 08:30:00 GMT", "2010-05-10T08:30:00Z"},
      {"Tue, 05/10/2010", "2010-10-05T00:00:00Z"},
      {"05/10/2010", "2010-05-10T00:00:00Z"},
      {"mar., 05 oct. 2010 08:30:00 GMT", "2010-10-05T08:30:00Z"},  // mardi, not March
      {"2010-10-05T08:30:00:-0500", "2010-10-05T13:30:00Z"},
      {"2010-10-05T08:30:00+01:00[Europe/Paris]", "2010-10-05T07:30:00Z"},
      {"2010-10-05-05:00", "2010-10-05T05:00:00Z"},
      {"Tue, 5 Oct 2010 1:2:3:4 GMT", ""},
      {"Tue, Oct x 2010 08:30:00 GMT", ""},
      {"Tue, 5 Oct 2010 08:30:00 +zz:00", ""},
      {"Tue, 5 Oct 2010 08:30:00 +00:zz", ""},
      {"9999-12-31T23:59:59-99:99", ""},
      {"2010-10-05T08:30:61Z", ""},
      {"2010-10-05T08:xx:00Z", ""},
      {"2010-10-05T08:30:00+01:00Tea", ""},
      {"2010-10-05-08", ""},
      {"Thu, 01 Jan 2004 19:48:21 Foo", "2004-01-01T19:48:21Z"},
      {"2011-02-30", ""},
      {"-03-12", "2003-12-01T00:00:00Z"},
      {"-0312", "2003-12-01T00:00:00Z"},
      {"14 juillet 2019 10h30", "2019-07-14T10:30:00Z"},
      {"2004-05-28T10:11:12 GMT", "2004-05-28T10:11:12Z"},
      {"2004-05-28T10:11:12 +02:00", "2004-05-28T08:11:12Z"},
      {"Sat, 3 Nov 2012 10:00 pm", "2012-11-03T22:00:00Z"},
      {"Wednesday, 02-Oct-02 08:00:00 EST", "2002-10-02T13:00:00Z"},
      {"2012-05-01T24:00:00Z", "2012-05-02T00:00:00Z"},
      {"Mon, 06 Sep 2021 00:01:00 -0000", "2021-09-06T00:01:00Z"},
      {"2003-12-31T10:14:55+1", "2003-12-31T09:14:55Z"},
      {"Tue, 3 Feb 2015 07:00:00 MSK", "2015-02-03T04:00:00Z"},
      {"Sun, 5 Apr 2015 09:30:00 AEST", "2015-04-04T23:30:00Z"},
      {"Sun, 5 Apr 2015 09:30:00 BST", "2015-04-05T08:30:00Z"},
      {"2015-04-05T09:30:00.123456789-03:30", "2015-04-05T13:00:00Z"},
      {"2004-W01", "2003-12-29T00:00:00Z"},
      {"Mon, 1. Dezember 2014 10:00:00 +0100", "2014-12-01T09:00:00Z"},
      {"1735689600000", "2025-01-01T00:00:00Z"},
      {"20031231101455", "2003-12-31T10:14:55Z"},
      {"03335", "2003-12-01T00:00:00Z"},
      {"2004년 05월 28일  01:31:15", "2004-05-27T16:31:15Z"},
      {"2004-05-25 오후 11:23:17", "2004-05-25T14:23:17Z"},
  }));
  INFO(text);
  CHECK(time_of(stitch::feed::parse_date(text)) == expected);
}

TEST_CASE("a date that cannot be read is left out and the item stays", "[stitch]") {
  auto const i = rss_item("<title>t</title><pubDate>yesterday</pubDate><dc:date>2020-01-01</dc:date>");
  CHECK(i.title == "t");
  CHECK(time_of(i.published) == "2020-01-01T00:00:00Z");
  CHECK_FALSE(rss_item("<title>t</title><pubDate>soon</pubDate>").published);
  CHECK_FALSE(stitch::feed::parse_date(std::string(100000, '1')));
  CHECK_FALSE(stitch::feed::parse_date("99999-01-01"));
}

TEST_CASE("published and updated come from their own elements and neither is invented", "[stitch]") {
  auto const i = rss_item("<pubDate>Mon, 06 Sep 2021 00:00:00 GMT</pubDate><dc:date>2020-01-01</dc:date>");
  CHECK(time_of(i.published) == "2021-09-06T00:00:00Z");
  CHECK_FALSE(i.updated);
  CHECK_FALSE(atom_entry("<updated>2021-01-01T00:00:00Z</updated>").published);
  CHECK(time_of(rss_item("<dcterms:modified>2021-01-01</dcterms:modified>").updated) == "2021-01-01T00:00:00Z");
  CHECK(time_of(rss_item("<dcterms:created>2020-01-01</dcterms:created><dcterms:issued>2021-01-01</dcterms:issued>")
                    .published) == "2021-01-01T00:00:00Z");
  CHECK(time_of(read(rss("<pubDate>Mon, 06 Sep 2021 00:00:00 GMT</pubDate><lastBuildDate>Tue, 07 Sep 2021 00:00:00 "
                         "GMT</lastBuildDate>"))
                    .updated) == "2021-09-07T00:00:00Z");
}

TEST_CASE("of two dates in the same element the last that can be read counts", "[stitch]") {
  auto const i = atom_entry(
      "<updated>2010-12-01T10:14:55Z</updated><updated>2003-12-31T10:14:55Z</updated><updated>soon</updated>");
  CHECK(time_of(i.updated) == "2003-12-31T10:14:55Z");
}

TEST_CASE("the offset that a date ends with is the writer's clock", "[stitch]") {
  using cistern::stitch::feed::stated_offset;
  using namespace std::chrono_literals;
  CHECK(stated_offset("2018-07-15T15:52:27+05:30") == 330min);
  CHECK(stated_offset("Tue, 17 Jan 2017 10:26:00 -0500 ") == -300min);
  CHECK_FALSE(stated_offset("2018-07-15"));
  CHECK_FALSE(stated_offset("2018-07-15T15:52:27Z"));
  CHECK_FALSE(stated_offset("Tue, 17 Jan 2017 10:26:00 GMT"));
}
