#include "sync/framing.hpp"

#include "sync/chunk_decoder.hpp"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <catch2/catch.hpp>

#include <random>
#include <string>
#include <vector>

using namespace cistern::sync;
using namespace std::string_literals;

namespace {

framing_fault request_fault(std::string const& head) {
  head_view view;
  return parse_request_head(head, view);
}

framing_fault response_fault(std::string const& fields) {
  head_view view;
  return parse_response_head("HTTP/1.1 200 OK\r\n" + fields + "\r\n", view);
}

struct decoded {
  framing_fault fault{};
  std::string body;
  bool done{};
  std::size_t left{};
};

/// Feeds `wire` in pieces of `piece` bytes.
decoded decode(std::string const& wire, std::size_t piece) {
  chunk_decoder decoder;
  decoded out;
  std::string pending;
  for (std::size_t at = 0; at < wire.size() && !out.done; at += piece) {
    pending += wire.substr(at, piece);
    while (!pending.empty() && !decoder.done()) {
      auto const step = decoder.next(pending);
      out.body += step.data;
      if (step.fault != framing_fault::none) return {step.fault, out.body, false, 0};
      pending.erase(0, step.consumed);
    }
    out.done = decoder.done();
    out.left = pending.size() + wire.size() - std::min(wire.size(), at + piece);
  }
  return out;
}

}  // namespace

TEST_CASE("an ordinary request head is read whole", "[sync][framing]") {
  std::string const head =
      "GET http://a.test/x?y HTTP/1.1\r\nHost: a.test\r\nAccept:  text/html,\t*/* \r\nConnection: Upgrade , close\r\n"
      "Content-Length: 17\r\nEmpty:\r\n\r\nrest";
  head_view view;
  REQUIRE(parse_request_head(head, view) == framing_fault::none);
  CHECK(view.method == "GET");
  CHECK(view.target == "http://a.test/x?y");
  CHECK(view.minor == 1);
  CHECK(view.host == "a.test");
  CHECK(view.content_length == 17u);
  CHECK(view.close);
  CHECK(view.upgrade);
  CHECK_FALSE(view.persistent());
  CHECK(view.find("accept") == "text/html,\t*/*");
  CHECK(view.find("empty") == "");
  CHECK(head.substr(view.size) == "rest");
  CHECK(std::distance(view.begin(), view.end()) == 5);
}

TEST_CASE("an ordinary response head is read whole", "[sync][framing]") {
  std::string const head = "HTTP/1.0 404 Not  Found\r\nServer: x\xe9\r\nConnection: keep-alive\r\n\r\n";
  head_view view;
  REQUIRE(parse_response_head(head, view) == framing_fault::none);
  CHECK(view.status == 404);
  CHECK(view.reason == "Not  Found");
  CHECK(view.minor == 0);
  CHECK(view.persistent());
  CHECK(view.fields == "Server: x\xe9\r\nConnection: keep-alive\r\n");
  CHECK(view.size == head.size());
  CHECK(parse_response_head("HTTP/1.1 204\r\n\r\n", view) == framing_fault::none);
  CHECK(view.fields.empty());
}

TEST_CASE("every way to hide where a request ends is refused by name", "[sync][framing]") {
  using f = framing_fault;
  auto const [fields, fault] = GENERATE(table<std::string, framing_fault>({
      {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", f::length_with_coding},
      {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", f::length_with_coding},
      {"Content-Length: 5\r\nContent-Length: 6\r\n", f::conflicting_content_length},
      {"Content-Length: 5, 6\r\n", f::conflicting_content_length},
      {"Content-Length: 5,\r\n", f::bad_content_length},
      {"Content-Length: ,5\r\n", f::bad_content_length},
      {"Content-Length:\r\n", f::bad_content_length},
      {"Content-Length: +5\r\n", f::bad_content_length},
      {"Content-Length: -5\r\n", f::bad_content_length},
      {"Content-Length: 0x5\r\n", f::bad_content_length},
      {"Content-Length: 5 5\r\n", f::bad_content_length},
      {"Content-Length: 18446744073709551621\r\n", f::bad_content_length},
      {"Content-Length: 9223372036854775808\r\n", f::bad_content_length},
      {"Transfer-Encoding: gzip\r\n", f::bad_transfer_encoding},
      {"Transfer-Encoding: chunked, gzip\r\n", f::bad_transfer_encoding},
      {"Transfer-Encoding: gzip, chunked\r\n", f::bad_transfer_encoding},
      {"Transfer-Encoding: xchunked\r\n", f::bad_transfer_encoding},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", f::bad_transfer_encoding},
      {"Transfer-Encoding: \"chunked\"\r\n", f::bad_transfer_encoding},
      {"Transfer-Encoding:\r\n", f::bad_transfer_encoding},
      {"Transfer-Encoding : chunked\r\n", f::bad_name},
      {"Transfer Encoding: chunked\r\n", f::bad_name},
      {" X: y\r\n", f::bad_name},
      {"X\t: y\r\n", f::bad_name},
      {": y\r\n", f::bad_name},
      {"X\r\n", f::bare_cr},
      {"X: y\r\n folded\r\n", f::obs_fold},
      {"X: y\r\n\tfolded\r\n", f::obs_fold},
      {"X: y\n", f::bare_lf},
      {"X: y\rZ: z\r\n", f::bare_cr},
      {"X: y\r\r\n", f::bare_cr},
      {"X: "s + '\0' + "y\r\n", f::bad_value},
      {"X"s + '\0' + ": y\r\n", f::bad_name},
      {"X: a long enough value \x01 to be read in words\r\n", f::bad_value},
      {"X: \x7f\r\n", f::bad_value},
      {"X\xc3\xa9: y\r\n", f::bad_name},
  }));
  INFO(fields);
  CHECK(response_fault(fields) == fault);
  // A blank before the first field is refused as a name, elsewhere as a fold.
  auto const later = fields.front() == ' ' ? f::obs_fold : fault;
  CHECK(request_fault("POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n") == later);
}

TEST_CASE(
    "a transfer coding that names nothing leaves an answer to end with its connection, and a request without an end",
    "[sync][framing]") {
  auto const [value, fine] = GENERATE(table<std::string, bool>({{"identity", true},
                                                                {"AKUEOYISCMWGQAK", true},
                                                                {"x-mine", true},
                                                                {"GZip", false},
                                                                {"x-compress", false},
                                                                {"deflate", false},
                                                                {"unChunkEd2", false},
                                                                {"a, b", false},
                                                                {"a b", false},
                                                                {"a;b=c", false}}));
  INFO(value);
  auto const field = "Transfer-Encoding: " + value + "\r\n";
  CHECK((response_fault(field) == framing_fault::none) == fine);
  CHECK(request_fault("POST / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n") == framing_fault::bad_transfer_encoding);
  CHECK(response_fault(field + field) == framing_fault::bad_transfer_encoding);
  CHECK(response_fault(field + "Transfer-Encoding: chunked\r\n") == framing_fault::bad_transfer_encoding);
  if (fine) CHECK(response_fault(field + "Content-Length: 5\r\n") == framing_fault::length_with_coding);
}

TEST_CASE("the same length said twice is one length", "[sync][framing]") {
  CHECK(response_fault("Content-Length: 5\r\nContent-Length: 5\r\n") == framing_fault::none);
  CHECK(response_fault("Content-Length: 5, 5\r\n") == framing_fault::none);
  CHECK(response_fault("Content-Length: 9223372036854775807\r\n") == framing_fault::none);
}

TEST_CASE("request lines are read strictly", "[sync][framing]") {
  using f = framing_fault;
  auto const [head, fault] = GENERATE(table<std::string, framing_fault>({
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", f::none},
      {"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", f::none},
      {"GET / HTTP/1.0\r\n\r\n", f::none},
      {"GET / HTTP/1.1\r\nHost:\r\n\r\n", f::none},
      {"GET / HTTP/1.1\r\n\r\n", f::missing_host},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", f::repeated_host},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", f::bad_host},
      {"GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", f::bad_host},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", f::bad_host},
      {"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", f::bad_transfer_encoding},
      {"GET /\r\n\r\n", f::bare_cr},
      {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", f::bad_request_line},
      {"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", f::bad_request_line},
      {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", f::bad_request_line},
      {"GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", f::bad_request_line},
      {" GET / HTTP/1.1\r\nHost: a\r\n\r\n", f::bad_request_line},
      {"G(T / HTTP/1.1\r\nHost: a\r\n\r\n", f::bad_request_line},
      {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", f::unsupported_version},
      {"GET / HTTP/1.9\r\nHost: a\r\n\r\n", f::unsupported_version},
      {"GET / http/1.1\r\nHost: a\r\n\r\n", f::bad_request_line},
      {"GET / HTTP/1.1\nHost: a\n\n", f::bare_lf},
      {"\r\n\r\n\r\nGET / HTTP/1.1\r\n", f::bare_cr},
  }));
  INFO(head);
  CHECK(request_fault(head) == fault);
}

TEST_CASE("status lines are read strictly", "[sync][framing]") {
  using f = framing_fault;
  auto const [line, fault] = GENERATE(table<std::string, framing_fault>({
      {"HTTP/1.1 200\r\n\r\n", f::none},
      {"HTTP/1.1 200 \r\n\r\n", f::none},
      {"HTTP/1.1 099 x\r\n\r\n", f::bad_status_line},
      {"HTTP/1.1 20 x\r\n\r\n", f::bad_status_line},
      {"HTTP/1.1 2000 x\r\n\r\n", f::bad_status_line},
      {"HTTP/1.1  200 x\r\n\r\n", f::bad_status_line},
      {"HTTP/1.1 200 a\x02\r\n\r\n", f::bad_status_line},
      {"HTTP/3 200 x\r\n\r\n", f::unsupported_version},
      {"ICY 200 OK\r\n\r\n", f::bad_status_line},
      {"<html>", f::bad_status_line},
  }));
  INFO(line);
  head_view view;
  CHECK(parse_response_head(line, view) == fault);
}

TEST_CASE("a head cut anywhere is incomplete and never wrong", "[sync][framing]") {
  std::string const request = "GET /p HTTP/1.1\r\nHost: a\r\nX: some longer value here\r\nContent-Length: 5\r\n\r\n";
  std::string const response = "HTTP/1.1 200 OK\r\nX: some longer value here\r\nContent-Length: 5\r\n\r\n";
  head_view view;
  for (std::size_t n = 0; n < request.size(); ++n) {
    INFO(n);
    CHECK(parse_request_head(request.substr(0, n), view) == framing_fault::incomplete);
    CHECK(find_head_end(request.substr(0, n)) == 0);
  }
  for (std::size_t n = 0; n < response.size(); ++n)
    CHECK(parse_response_head(response.substr(0, n), view) == framing_fault::incomplete);
  for (std::size_t from = 0; from < request.size(); ++from) CHECK(find_head_end(request + "x", from) == request.size());
  CHECK(find_head_end("a\n\nb") == 3);
}

TEST_CASE("what is accepted here Beast frames alike", "[sync][framing]") {
  std::mt19937 random{20240229};
  std::vector<std::string> const pieces = {
      "Content-Length",
      "Transfer-Encoding",
      "Connection",
      "Host",
      "X",
      ": ",
      ":",
      " ",
      "\t",
      "\r\n",
      "\r",
      "\n",
      "chunked",
      "gzip",
      ", ",
      "5",
      "6",
      "close",
      "\x7f",
      "a",
  };
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string head = "HTTP/1.1 200 OK\r\n";
    for (auto lines = random() % 3; lines-- > 0;) {
      auto const noise = [&] { return random() % 8 == 0 ? pieces[random() % pieces.size()] : ""s; };
      head += pieces[random() % 5] + noise() + ": " + pieces[12 + random() % 8] + noise() + "\r\n";
    }
    head += "\r\n";
    head_view view;
    if (parse_response_head(head, view) != framing_fault::none) continue;
    ++accepted;
    INFO(head);
    boost::beast::http::response_parser<boost::beast::http::empty_body> beast;
    boost::system::error_code error;
    beast.put(boost::asio::buffer(head), error);
    // Beast is asked about length and coding only: it takes offence at odd Connection values, which do not matter here.
    if (error == boost::beast::http::error::bad_value) continue;
    REQUIRE(beast.is_header_done());
    CHECK(beast.chunked() == view.chunked);
    auto const length = beast.content_length();
    CHECK(length.has_value() == view.content_length.has_value());
    if (length && view.content_length) CHECK(*length == *view.content_length);
  }
  CHECK(accepted > 2000);
}

TEST_CASE("a chunked body is decoded the same however it is cut", "[sync][framing]") {
  std::string const wire =
      "5\r\nhello\r\n006;a=\"b c\" \r\n world\r\n1 ;x\r\n!\r\n0\r\nTrailer: 1\r\nOther: 2\r\n\r\nNEXT";
  for (std::size_t piece = 1; piece <= wire.size(); ++piece) {
    INFO(piece);
    auto const out = decode(wire, piece);
    CHECK(out.fault == framing_fault::none);
    CHECK(out.body == "hello world!");
    CHECK(out.done);
    CHECK(out.left == 4);
  }
  CHECK_FALSE(decode("5\r\nhello\r\n0\r\n", 4).done);
  CHECK_FALSE(decode("5\r\nhello\r\n", 4).done);
}

TEST_CASE("chunks that lie are refused by name", "[sync][framing]") {
  using f = framing_fault;
  auto const [wire, fault] = GENERATE(table<std::string, framing_fault>({
      {"\r\n", f::bad_chunk_size},
      {"g\r\n", f::bad_chunk_size},
      {"-5\r\nhello\r\n", f::bad_chunk_size},
      {"0x5\r\nhello\r\n", f::bad_chunk_size},
      {" 5\r\nhello\r\n", f::bad_chunk_size},
      {"5 \r\nhello\r\n", f::bad_chunk_size},
      {"5 5\r\nhello\r\n", f::bad_chunk_size},
      {"ffffffffffffffff\r\n", f::bad_chunk_size},
      {"10000000000000005\r\nhello\r\n", f::bad_chunk_size},
      {"5\nhello\r\n", f::bad_chunk_size},
      {"5\rhello\r\n", f::bad_chunk_line},
      {"5;a\nhello\r\n", f::bad_chunk_line},
      {"5;a=\x01\r\nhello\r\n", f::bad_chunk_line},
      {"5\r\nhelloworld\r\n", f::bad_chunk_line},
      {"5\r\nhello\n0\r\n\r\n", f::bad_chunk_line},
      {"0\r\nX: y\n\r\n", f::bad_trailer},
      {"0\r\n folded\r\n\r\n", f::bad_trailer},
      {"0\r\n: nameless\r\n\r\n", f::bad_trailer},
      {"5;" + std::string(2000, 'a'), f::long_chunk_line},
      {"0\r\nX: " + std::string(20000, 'a'), f::long_trailer},
  }));
  INFO(wire.substr(0, 40));
  CHECK(decode(wire, wire.size()).fault == fault);
  CHECK(decode(wire, 1).fault == fault);
}

TEST_CASE("many small chunks with long extensions are refused in the end", "[sync][framing]") {
  std::string wire;
  for (int i = 0; i < 100; ++i) wire += "1;" + std::string(1000, 'e') + "\r\nx\r\n";
  CHECK(decode(wire, wire.size()).fault == framing_fault::long_chunk_line);
}
