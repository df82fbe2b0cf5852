#include "store/hop_by_hop.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::store::test;

TEST_CASE("fields for the next peer go no further, nor what Connection names", "[store]") {
  auto const out = end_to_end(fields({{"Connection", "close, A"},
                                      {"connection", "b"},
                                      {"a", "1"},
                                      {"B", "2"},
                                      {"C", "3"},
                                      {"Keep-Alive", "x"},
                                      {"Proxy-Connection", "x"},
                                      {"Proxy-Authenticate", "x"},
                                      {"Proxy-Authorization", "x"},
                                      {"Proxy-Authentication-Info", "x"},
                                      {"TE", "trailers"},
                                      {"Trailer", "x"},
                                      {"Transfer-Encoding", "chunked"},
                                      {"Upgrade", "h2c"},
                                      {"ETag", "\"e\""}}));
  CHECK(out.wire() == "C: 3\r\nETag: \"e\"\r\n");
}

TEST_CASE("Connection cannot make a proxy forget what framing and privacy rest on", "[store]") {
  auto const out = end_to_end(fields({{"Connection", "Cache-Control, Content-Length, Host, Authorization"},
                                      {"Cache-Control", "private"},
                                      {"Content-Length", "5"},
                                      {"Host", "a"},
                                      {"Authorization", "x"}}));
  CHECK(out.wire() == "Cache-Control: private\r\nContent-Length: 5\r\nHost: a\r\nAuthorization: x\r\n");
}
