#include "tests/sync/fetch_fixture.hpp"

#include <catch2/catch.hpp>

#include <array>

using namespace fetch_test;
using sync::fetch_end;
using tests::noise;

namespace {

std::string const tagged = "ETag: \"v1\"\r\n";
constexpr std::size_t size = 1'000'000;

/// Answers the n-th request (from 1) with the n-th script, later ones with the last.
template <std::size_t N>
fake_origin::script in_turn(std::array<fake_origin::script, N> scripts) {
  return [scripts, count = std::make_shared<std::atomic<std::size_t>>(0)](fake_exchange& x) {
    scripts.at(std::min((*count)++, N - 1))(x);
  };
}

fake_origin::script serving(std::string const& body, std::string fields, std::size_t cut_after = SIZE_MAX) {
  return [&body, fields = std::move(fields), cut_after](fake_exchange& x) {
    serve_file(x, {.body = body, .fields = fields, .cut_after = cut_after});
  };
}

fake_origin::script saying(std::string raw, bool then_cut = false) {
  return [raw = std::move(raw), then_cut](fake_exchange& x) {
    x.send(raw);
    if (then_cut) x.cut();
  };
}

}  // namespace

TEST_CASE("a download that breaks goes on where it broke, and no byte comes twice", "[sync][resume]") {
  auto const body = noise(1, size);
  fake_origin origin{serving(body, tagged, 300'000)};
  bench b;
  auto meter = std::make_shared<sync::traffic>();
  std::size_t attempts = 0;
  for (auto done = false; !done && attempts < 10; ++attempts) {
    auto what = bench::wish_for(origin.url());
    what.meter = meter;
    auto const out = b.attempt(std::move(what));
    done = out.how == fetch_end::complete;
    CHECK(out.gained > 0);
    CHECK((b.store.body_of(origin.url()) == (done ? body : "(absent)")));
  }
  CHECK(attempts == 4);
  auto const seen = origin.requests();
  CHECK(seen[0].field("Range") == "");
  CHECK(seen[1].field("Range") == "bytes=300000-");
  CHECK(seen[1].field("If-Range") == "\"v1\"");
  CHECK(seen[1].field("Accept-Encoding") == "identity");
  CHECK(seen[3].field("Range") == "bytes=900000-");
  CHECK(b.objects(origin.url()) == 1);
  CHECK(meter->received > size);
  CHECK(meter->received < size + 4 * 400);
}

TEST_CASE("what was stored outlives a restart of the program", "[sync][resume]") {
  auto const body = noise(2, size);
  fake_origin origin{in_turn<2>({serving(body, tagged, 400'000), serving(body, tagged)})};
  bench b;
  CHECK(b.attempt(origin.url()).how == fetch_end::broken);
  b.restart();
  CHECK(b.partial_size(origin.url()) == 400'000);
  CHECK(b.attempt(origin.url()).how == fetch_end::complete);
  CHECK(origin.requests().back().field("Range") == "bytes=400000-");
  CHECK((b.store.body_of(origin.url()) == body));
}

TEST_CASE("a last change more than a second before the answer will do as a validator", "[sync][resume]") {
  auto const body = noise(3, size);
  std::string const dated = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
  fake_origin origin{in_turn<2>({serving(body, dated, 400'000), serving(body, dated)})};
  bench b;
  b.attempt(origin.url());
  CHECK(b.attempt(origin.url()).how == fetch_end::complete);
  CHECK(origin.requests().back().field("If-Range") == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK((b.store.body_of(origin.url()) == body));
}

TEST_CASE("without validators an overlap must agree byte for byte", "[sync][resume]") {
  auto const body = noise(4, size);
  auto const other = noise(5, size);
  auto const fields = GENERATE(as<std::string>{}, "", "ETag: W/\"v1\"\r\n");
  bench b;
  SECTION("it does: the download goes on") {
    fake_origin origin{in_turn<2>({serving(body, fields, 400'000), serving(body, fields)})};
    b.attempt(origin.url());
    CHECK(b.attempt(origin.url()).how == fetch_end::complete);
    CHECK(origin.requests().size() == 2);
    CHECK(origin.requests().back().field("Range") == "bytes=" + std::to_string(400'000 - sync::resume_overlap) + "-");
    CHECK(origin.requests().back().field("If-Range") == "");
    CHECK((b.store.body_of(origin.url()) == body));
  }
  SECTION("it does not: the download starts anew") {
    fake_origin origin{in_turn<2>({serving(body, fields, 400'000), serving(other, fields)})};
    b.attempt(origin.url());
    CHECK(b.attempt(origin.url()).how == fetch_end::complete);
    CHECK(origin.requests().back().field("Range") == "");
    CHECK((b.store.body_of(origin.url()) == other));
    CHECK(b.objects(origin.url()) == 1);
  }
}

TEST_CASE("two versions of a file are never joined", "[sync][resume]") {
  auto const body = noise(6, size);
  auto const next = noise(7, size);
  auto const longer = noise(8, size + 5);
  bench b;
  std::string const* expected = &next;
  fake_origin::script second;
  SECTION("the origin minds If-Range and sends the new one") { second = serving(next, "ETag: \"v2\"\r\n"); }
  SECTION("the origin does not mind If-Range and sends the end of the new one") {
    second = [&](fake_exchange& x) {
      if (x.request.field("Range").empty()) return serve_file(x, {.body = next, .fields = "ETag: \"v2\"\r\n"});
      x.answer(206, "ETag: \"v2\"\r\nContent-Range: bytes 400000-999999/1000000\r\n", next.substr(400'000));
    };
  }
  SECTION("the origin sends the end of the new one and does not say so") {
    second = [&](fake_exchange& x) {
      auto const from = asked_from(x.request);
      if (x.request.field("Range").empty()) return x.answer(200, "", next);
      x.answer(206, "Content-Range: bytes " + std::to_string(from) + "-999999/1000000\r\n", next.substr(from));
    };
  }
  SECTION("the size has changed") {
    expected = &longer;
    second = [&](fake_exchange& x) {
      if (x.request.field("Range").empty()) return serve_file(x, {.body = longer, .fields = tagged});
      x.answer(206, tagged + "Content-Range: bytes 400000-1000004/1000005\r\n", longer.substr(400'000));
    };
  }
  SECTION("the whole of a new one comes under the old tag") {
    second = [&](fake_exchange& x) { serve_file(x, {.body = next, .fields = tagged, .ranges = false}); };
  }
  fake_origin origin{in_turn<2>({serving(body, tagged, 400'000), second})};
  b.attempt(origin.url());
  CHECK(b.partial_size(origin.url()) == 400'000);
  auto const out = b.attempt(origin.url());
  INFO(described(out));
  CHECK(out.how == fetch_end::complete);
  CHECK((b.store.body_of(origin.url()) == *expected));
  CHECK(b.objects(origin.url()) == 1);
}

TEST_CASE("a file that changes keeps its common beginning when the whole comes anyway", "[sync][resume]") {
  auto const body = noise(9, size);
  auto const edited = body.substr(0, 350'000) + noise(10, size - 350'000);
  fake_origin origin{[&](fake_exchange& x) {
    bool const first = x.request.connection == 1;
    serve_file(x, {.body = first ? body : edited, .cut_after = first ? 400'000 : SIZE_MAX, .ranges = false});
  }};
  bench b;
  b.attempt(origin.url());
  CHECK(b.attempt(origin.url()).how == fetch_end::complete);
  CHECK((b.store.body_of(origin.url()) == edited));
}

TEST_CASE("an origin that ignores a Range is asked again before the whole is taken", "[sync][resume]") {
  auto const body = noise(11, size);
  bench b;
  SECTION("it honours the next one: nothing comes twice but what was on its way") {
    fake_origin origin{[&](fake_exchange& x) {
      auto const number = x.request.connection;
      serve_file(
          x, {.body = body, .fields = tagged, .cut_after = number == 1 ? 600'000 : SIZE_MAX, .ranges = number != 2});
    }};
    b.attempt(origin.url());
    CHECK(b.attempt(origin.url()).how == fetch_end::complete);
    CHECK(origin.requests().size() == 3);
    CHECK((b.store.body_of(origin.url()) == body));
  }
  SECTION("it never does: the whole is taken, compared with what is there, and the host is remembered") {
    fake_origin origin{[&](fake_exchange& x) {
      serve_file(x, {.body = body,
                     .fields = tagged,
                     .cut_after = x.request.connection == 1 ? 600'000u : SIZE_MAX,
                     .ranges = false});
    }};
    b.attempt(origin.url());
    CHECK(b.attempt(origin.url()).how == fetch_end::complete);
    CHECK((b.store.body_of(origin.url()) == body));
    auto const so_far = origin.requests().size();
    CHECK(so_far == 6);
  }
  SECTION("a body that breaks again in its known part costs nothing that was there") {
    fake_origin origin{[&](fake_exchange& x) {
      auto const first = x.request.connection == 1;
      serve_file(x, {.body = body, .fields = tagged, .cut_after = first ? 600'000u : 200'000u, .ranges = false});
    }};
    b.attempt(origin.url());
    auto const out = b.attempt(origin.url());
    CHECK(out.how == fetch_end::broken);
    CHECK(out.gained == 0);
    CHECK(b.partial_size(origin.url()) == 600'000);
  }
}

TEST_CASE("a range that starts elsewhere is used where it can be and never misplaced", "[sync][resume]") {
  auto const body = noise(12, size);
  bench b;
  fake_origin::script second;
  SECTION("before what was asked for") {
    second = saying("HTTP/1.1 206 x\r\n" + tagged + "Content-Range: bytes 390000-999999/1000000\r\n" +
                    "Content-Length: 610000\r\n\r\n" + body.substr(390'000));
  }
  SECTION("behind it") {
    second = saying("HTTP/1.1 206 x\r\n" + tagged + "Content-Range: bytes 400001-999999/1000000\r\n" +
                    "Content-Length: 599999\r\n\r\n" + body.substr(400'001));
  }
  SECTION("200 with a Content-Range that it honours") {
    second = saying("HTTP/1.1 200 x\r\n" + tagged + "Content-Range: bytes 400000-999999/1000000\r\n" +
                    "Content-Length: 600000\r\n\r\n" + body.substr(400'000));
  }
  SECTION("in several parts") {
    second = saying("HTTP/1.1 206 x\r\nContent-Type: multipart/byteranges; boundary=x\r\nContent-Length: 3\r\n\r\n--x");
  }
  fake_origin origin{in_turn<3>({serving(body, tagged, 400'000), second, serving(body, tagged)})};
  b.attempt(origin.url());
  auto const out = b.attempt(origin.url());
  INFO(described(out));
  CHECK(out.how == fetch_end::complete);
  CHECK((b.store.body_of(origin.url()) == body));
}

TEST_CASE("an origin that gives out a part at a time is asked until all is there", "[sync][resume]") {
  auto const body = noise(13, size);
  auto const size_text = GENERATE(as<std::string>{}, "1000000", "*");
  fake_origin origin{[&](fake_exchange& x) {
    if (x.request.field("Range").empty()) {
      x.send("HTTP/1.1 200 OK\r\n" + tagged + "Transfer-Encoding: chunked\r\n\r\n493e0\r\n" + body.substr(0, 300'000));
      return x.cut();
    }
    auto const from = asked_from(x.request);
    if (from == size) return x.answer(416, "Content-Range: bytes */1000000\r\n", "");
    auto const part = body.substr(from, 300'000);
    x.answer(206,
             tagged + "Content-Range: bytes " + std::to_string(from) + "-" + std::to_string(from + part.size() - 1) +
                 "/" + size_text + "\r\n",
             part);
  }};
  bench b;
  int attempts = 0;
  for (auto done = false; !done && attempts < 8; ++attempts) done = b.attempt(origin.url()).how == fetch_end::complete;
  CHECK(attempts == (size_text == "*" ? 5 : 4));
  CHECK((b.store.body_of(origin.url()) == body));
}

TEST_CASE("416 completes what is all there, and restarts what is not", "[sync][resume]") {
  auto const body = noise(14, 500'000);
  auto const shorter = noise(15, 300'000);
  bench b;
  auto const first = [&](fake_exchange& x) {  // no length, no last chunk: all of it, and nobody said so
    x.send("HTTP/1.1 200 OK\r\n" + tagged + "Transfer-Encoding: chunked\r\n\r\n7a120\r\n" + body + "\r\n");
    x.cut();
  };
  SECTION("our size") {
    fake_origin origin{in_turn<2>({first, serving(body, tagged)})};
    CHECK(b.attempt(origin.url()).how == fetch_end::broken);
    CHECK((b.store.body_of(origin.url()) == "(absent)"));
    auto const out = b.attempt(origin.url());
    CHECK(out.how == fetch_end::complete);
    CHECK(origin.requests().size() == 2);
    CHECK((b.store.body_of(origin.url()) == body));
  }
  SECTION("another size") {
    auto const second = [&](fake_exchange& x) {
      if (asked_from(x.request) > 0) return x.answer(416, "Content-Range: bytes */300000\r\n", "");
      x.answer(200, "", shorter);
    };
    fake_origin origin{in_turn<2>({first, second})};
    b.attempt(origin.url());
    CHECK(b.attempt(origin.url()).how == fetch_end::complete);
    CHECK((b.store.body_of(origin.url()) == shorter));
  }
  SECTION("always, whatever is asked for: no endless loop") {
    fake_origin origin{in_turn<2>({first, saying("HTTP/1.1 416 x\r\nContent-Length: 0\r\n\r\n")})};
    b.attempt(origin.url());
    auto const out = b.attempt(origin.url());
    CHECK(out.how == fetch_end::refused);
    CHECK(origin.requests().size() == 3);
    CHECK(b.partial_size(origin.url()) == 500'000);
  }
}

TEST_CASE("over TLS an end without close_notify is a break, with it too when bytes are missing", "[sync][resume]") {
  auto const body = noise(16, size);
  test_ca const ca;
  auto const polite = GENERATE(true, false);
  fake_origin origin{
      [&](fake_exchange& x) {
        if (!x.request.field("Range").empty()) return serve_file(x, {.body = body, .fields = tagged});
        x.send("HTTP/1.1 200 OK\r\n" + tagged + "Content-Length: 1000000\r\n\r\n" + body.substr(0, 400'000));
        if (polite) return x.end();
        x.cut();
      },
      ca.server({})};
  sync::client_options options;
  options.ca_file = ca.file();
  bench b{options};
  CHECK(b.attempt(origin.url()).how == fetch_end::broken);
  CHECK((b.store.body_of(origin.url()) == "(absent)"));
  CHECK(b.attempt(origin.url()).how == fetch_end::complete);
  CHECK((b.store.body_of(origin.url()) == body));
}

TEST_CASE("a body that ends with its connection is whole only when it ends there twice", "[sync][resume]") {
  auto const body = noise(17, size);
  fake_origin origin{[&](fake_exchange& x) {
    x.send("HTTP/1.0 200 OK\r\n\r\n" + body);
    x.end();
  }};
  bench b;
  CHECK(b.attempt(origin.url()).how == fetch_end::broken);
  CHECK((b.store.body_of(origin.url()) == "(absent)"));
  auto out = b.attempt(origin.url());
  for (int i = 0; i < 3 && out.how != fetch_end::complete; ++i) out = b.attempt(origin.url());
  CHECK(out.how == fetch_end::complete);
  CHECK((b.store.body_of(origin.url()) == body));
}

TEST_CASE("a transfer that stands still is given up in time and goes on later", "[sync][resume]") {
  auto const body = noise(18, size);
  fake_origin origin{in_turn<2>({[&](fake_exchange& x) {
                                   x.send("HTTP/1.1 200 OK\r\n" + tagged + "Content-Length: 1000000\r\n\r\n" +
                                          body.substr(0, 400'000));
                                   x.stall();
                                 },
                                 serving(body, tagged)})};
  sync::download_settings settings;
  settings.limits.between_bytes = 100ms;
  bench b{{}, settings};
  auto const out = b.attempt(origin.url());
  CHECK(out.how == fetch_end::broken);
  CHECK(out.error == sync::errc::stalled);
  CHECK(out.gained == 400'000);
  CHECK(b.attempt(origin.url()).how == fetch_end::complete);
  CHECK((b.store.body_of(origin.url()) == body));
}

TEST_CASE("errors and redirects leave what was downloaded alone", "[sync][resume]") {
  auto const body = noise(19, size);
  auto const status = GENERATE(403, 404, 500, 503);
  fake_origin origin{in_turn<3>({serving(body, tagged, 400'000),
                                 [=](fake_exchange& x) { x.answer(status, "", "not now"); }, serving(body, tagged)})};
  bench b;
  b.attempt(origin.url());
  CHECK(b.attempt(origin.url()).how == fetch_end::refused);
  CHECK(b.partial_size(origin.url()) == 400'000);
  auto const out = b.attempt(origin.url());
  INFO(described(out));
  CHECK(out.how == fetch_end::complete);
  CHECK(origin.requests().back().field("Range") == "bytes=400000-");
  CHECK((b.store.body_of(origin.url()) == body));
}

TEST_CASE("feeds are fetched whole, never resumed", "[sync][resume]") {
  auto const body = noise(20, size);
  fake_origin origin{in_turn<2>({serving(body, tagged, 400'000), serving(body, tagged)})};
  bench b;
  for (int i = 0; i < 2; ++i) {
    auto what = bench::wish_for(origin.url());
    what.kind = store::object_kind::feed;
    b.attempt(std::move(what));
  }
  CHECK(origin.requests().back().field("Range") == "");
  CHECK((b.store.body_of(origin.url()) == body));
  CHECK(b.objects(origin.url()) == 1);
}

TEST_CASE("an older complete copy is validated and a newer unfinished one resumed by the same request",
          "[sync][resume]") {
  auto const old_body = noise(21, 1'000);
  auto const body = noise(22, size);
  std::string const v2 = "ETag: \"v2\"\r\n";
  fake_origin origin{in_turn<3>({serving(old_body, tagged), serving(body, v2, 400'000), serving(body, v2)})};
  bench b;
  b.attempt(origin.url());
  for (int i = 0; i < 2; ++i) {
    auto what = bench::wish_for(origin.url());
    what.held.push_back(*b.store->find(origin.url()).value());
    b.attempt(std::move(what));
    CHECK((b.store.body_of(origin.url()) == (i == 0 ? old_body : body)));
  }
  CHECK(origin.requests().back().field("If-None-Match") == "\"v1\"");
  CHECK(origin.requests().back().field("If-Range") == "\"v2\"");
  CHECK(b.objects(origin.url()) == 1);
}

TEST_CASE("a reader gets the stored beginning and then what arrives", "[sync][resume]") {
  auto const body = noise(23, size);
  fake_origin origin{in_turn<2>({serving(body, tagged, 400'000), serving(body, tagged)})};
  bench b;
  b.attempt(origin.url());
  auto const read_all = [](bench& of, std::string url) -> boost::asio::awaitable<std::string> {
    auto what = bench::wish_for(std::move(url));
    auto begun = of.fetching->get(std::move(what), *of.client, of.io.get_executor());
    auto const news = co_await begun.from->wait_for_head(0ms);
    std::string out = std::to_string(news->head.status) + " " + std::to_string(*news->head.content_length) + " ";
    std::string piece(10'000, '\0');
    for (;;) {
      auto const got = co_await begun.reader.read_some(piece);
      if (!got || *got == 0) break;
      out.append(piece, 0, *got);
    }
    co_return out;
  };
  CHECK((run_task(b.io, read_all(b, origin.url())) == "200 1000000 " + body));
}
