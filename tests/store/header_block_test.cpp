#include "store/header_block.hpp"

#include <catch2/catch.hpp>

using cistern::store::header_block;

TEST_CASE("header fields keep their order and their spelling", "[store]") {
  header_block h;
  h.add("Content-Type", "text/html");
  h.add("ETag", "\"a\"");
  h.add("content-type", "again");
  CHECK(h.wire() == "Content-Type: text/html\r\nETag: \"a\"\r\ncontent-type: again\r\n");
  CHECK(h.find("etag") == "\"a\"");
  CHECK(h.count("CONTENT-TYPE") == 2);
  CHECK(h.joined("content-type") == "text/html, again");
  CHECK_FALSE(h.find("age"));
}

TEST_CASE("setting a field replaces all of that name at the first one's place", "[store]") {
  header_block h;
  h.add("A", "1");
  h.add("B", "2");
  h.add("a", "3");
  h.set("a", "4");
  CHECK(h.wire() == "a: 4\r\nB: 2\r\n");
  CHECK(h.erase("A") == 1);
  CHECK(h.wire() == "B: 2\r\n");
}

TEST_CASE("a line end in a value cannot start a new field", "[store]") {
  header_block h;
  h.add("X", "a\r\nSet-Cookie: b");
  CHECK(h.count("Set-Cookie") == 0);
  CHECK(h.find("X") == "a  Set-Cookie: b");
}
