#include "sync/resume.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using sync::resume_step;

namespace {

constexpr std::uint64_t gib = 1ull << 30;

store::header_block fields(std::string const& lines) { return store::header_block::from_wire(lines); }

store::stored_object partial(std::string const& lines, std::uint64_t size, std::optional<std::uint64_t> total = {}) {
  store::stored_object out;
  out.url = "http://a.test/file";
  out.headers = fields(lines);
  out.size = size;
  out.expected_size = total;
  out.responded = std::chrono::sys_seconds{std::chrono::seconds{1'900'000'000}};
  return out;
}

std::string const tag = "ETag: \"v1\"\r\n";
std::string const modified = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
std::string const much_later = "Date: Sun, 06 Nov 1994 08:50:00 GMT\r\n";
std::string const same_second = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

}  // namespace

TEST_CASE("If-Range carries a strong tag, else a date that is a second older than the answer, else nothing", "[sync]") {
  auto const [lines, validator, from] = GENERATE(table<std::string, std::string, std::uint64_t>({
      {tag, "\"v1\"", 100'000},
      {tag + modified + much_later, "\"v1\"", 100'000},
      {modified + much_later, "Sun, 06 Nov 1994 08:49:37 GMT", 100'000},
      {modified + same_second, "", 100'000 - sync::resume_overlap},
      {modified, "", 100'000 - sync::resume_overlap},
      {"ETag: W/\"v1\"\r\n" + modified + much_later, "", 100'000 - sync::resume_overlap},
      {"", "", 100'000 - sync::resume_overlap},
  }));
  auto const plan = sync::plan_resume(partial(lines, 100'000, 500'000));
  REQUIRE(plan);
  CHECK(plan->validator == validator);
  CHECK(plan->from == from);
  store::header_block request;
  request.add("Accept-Encoding", "gzip, br");
  sync::add_resume_fields(request, *plan);
  CHECK(request.find("Range") == "bytes=" + std::to_string(from) + "-");
  CHECK(request.find("Accept-Encoding") == "identity");
  CHECK(request.has("If-Range") == !validator.empty());
}

TEST_CASE("offsets beyond 4 GiB are asked for and understood", "[sync]") {
  auto const have = partial(tag, 5 * gib + 7, 6 * gib);
  auto const plan = sync::plan_resume(have);
  store::header_block request;
  sync::add_resume_fields(request, *plan);
  CHECK(request.find("Range") == "bytes=5368709127-");
  auto const answer = fields(tag + "Content-Range: bytes 5368709127-6442450943/6442450944\r\n");
  auto const verdict = sync::judge_answer(have, plan, {206, answer, gib - 7}, true);
  CHECK(verdict.step == resume_step::proceed);
  CHECK(verdict.start == 5 * gib + 7);
  CHECK(verdict.total == 6 * gib);
}

TEST_CASE("a partial that was stored coded goes on in the same coding and with a strong tag only", "[sync]") {
  std::string const gzip = "Content-Encoding: gzip\r\n";
  auto const plan = sync::plan_resume(partial(tag + gzip, 100'000));
  REQUIRE(plan);
  CHECK(plan->coding == "gzip");
  CHECK(!sync::plan_resume(partial(gzip, 100'000)));
  CHECK(!sync::plan_resume(partial(modified + much_later + gzip, 100'000)));
  auto const plain = fields(tag + "Content-Range: bytes 100000-199999/200000\r\n");
  CHECK(sync::judge_answer(partial(tag + gzip, 100'000), plan, {206, plain, 100'000}, true).step ==
        resume_step::ask_whole);
}

TEST_CASE("what is complete, an error page or empty is not resumed", "[sync]") {
  auto whole = partial(tag, 10);
  whole.complete = true;
  CHECK(!sync::plan_resume(whole));
  auto error = partial(tag, 10);
  error.status = 404;
  CHECK(!sync::plan_resume(error));
  CHECK(!sync::plan_resume(partial(tag, 0)));
  CHECK(!sync::plan_resume(partial("", sync::resume_overlap)));
}

TEST_CASE("an answer to a resume means one thing each", "[sync]") {
  struct row {
    std::string what;
    std::string stored;
    unsigned status;
    std::string answer;
    std::optional<std::uint64_t> length;
    resume_step step;
    std::uint64_t start = 0;
  };
  std::uint64_t const size = 500'000;
  std::uint64_t const total = 1'000'000;
  auto const r = GENERATE_COPY(values<row>({
      {"206 as asked", tag, 206, tag + "Content-Range: bytes 500000-999999/1000000\r\n", 500'000, resume_step::proceed,
       size},
      {"206 from a little before", tag, 206, tag + "Content-Range: bytes 499000-999999/1000000\r\n", 501'000,
       resume_step::proceed, 499'000},
      {"206 from far before", tag, 206, tag + "Content-Range: bytes 0-999999/1000000\r\n", 1'000'000,
       resume_step::ask_again},
      {"206 from behind", tag, 206, tag + "Content-Range: bytes 500001-999999/1000000\r\n", 499'999,
       resume_step::ask_whole},
      {"206 that lies about its length", tag, 206, tag + "Content-Range: bytes 500000-999999/1000000\r\n", 499'999,
       resume_step::ask_whole},
      {"206 without Content-Range", tag, 206, tag, 500'000, resume_step::ask_whole},
      {"206 in several parts",
       tag,
       206,
       tag + "Content-Type: multipart/byteranges; boundary=x\r\n",
       {},
       resume_step::ask_whole},
      {"206 of another entity", tag, 206, "ETag: \"v2\"\r\nContent-Range: bytes 500000-999999/1000000\r\n", 500'000,
       resume_step::ask_whole},
      {"206 of another size", tag, 206, tag + "Content-Range: bytes 500000-1999999/2000000\r\n", 1'500'000,
       resume_step::ask_whole},
      {"206 whose tag became weak", tag, 206, "ETag: W/\"v1\"\r\nContent-Range: bytes 500000-999999/1000000\r\n",
       500'000, resume_step::doubt},
      {"206 that says nothing of itself", tag, 206, "Content-Range: bytes 500000-999999/1000000\r\n", 500'000,
       resume_step::doubt},
      {"206 of a newer date", modified + much_later, 206,
       "Last-Modified: Sun, 06 Nov 1994 08:49:38 GMT\r\nContent-Range: bytes 500000-999999/1000000\r\n", 500'000,
       resume_step::ask_whole},
      {"206 with an overlap where nothing vouches", "", 206, "Content-Range: bytes 483616-999999/1000000\r\n", 516'384,
       resume_step::proceed, 483'616},
      {"206 without the overlap where nothing vouches", "", 206, "Content-Range: bytes 500000-999999/1000000\r\n",
       500'000, resume_step::ask_whole},
      {"206 of unknown size", tag, 206, tag + "Content-Range: bytes 500000-999999/*\r\n", 500'000, resume_step::proceed,
       size},
      {"200 with a Content-Range that it honours", tag, 200, tag + "Content-Range: bytes 500000-999999/1000000\r\n",
       500'000, resume_step::proceed, size},
      {"200 with a stray Content-Range", tag, 200, tag + "Content-Range: bytes 500000-999999/1000000\r\n", 1'000'000,
       resume_step::ask_whole},
      {"200 of the same entity", tag, 200, tag, 1'000'000, resume_step::ask_again},
      {"200 of an origin that never does ranges", tag, 200, tag + "Accept-Ranges: none\r\n", 1'000'000,
       resume_step::shadow},
      {"200 of another entity", tag, 200, "ETag: \"v2\"\r\n", 1'000'000, resume_step::replace},
      {"200 of another size", tag, 200, "", 999'999, resume_step::replace},
      {"200 that is shorter than what we have", "", 200, "", 400'000, resume_step::replace},
      {"200 in another coding", tag, 200, tag + "Content-Encoding: gzip\r\n", {}, resume_step::replace},
      {"416 with another size", tag, 416, "Content-Range: bytes */400000\r\n", 0, resume_step::ask_whole},
      {"416 with our size, though more was announced", tag, 416, "Content-Range: bytes */500000\r\n", 0,
       resume_step::ask_whole},
      {"416 without a size", tag, 416, "", 0, resume_step::ask_whole},
      {"a redirect", tag, 302, "Location: /x\r\n", 0, resume_step::unrelated},
      {"an error", tag, 503, "", 0, resume_step::unrelated},
  }));
  INFO(r.what);
  auto const have = partial(r.stored, size, total);
  auto const answer = fields(r.answer);
  auto const verdict = sync::judge_answer(have, sync::plan_resume(have), {r.status, answer, r.length}, true);
  CHECK(static_cast<int>(verdict.step) == static_cast<int>(r.step));
  CHECK(verdict.start == r.start);
}

TEST_CASE("416 with our own size means that nothing is missing", "[sync]") {
  auto const have = partial(tag, 500'000);
  auto const plan = sync::plan_resume(have);
  auto const ours = fields("Content-Range: bytes */500000\r\n");
  CHECK(sync::judge_answer(have, plan, {416, ours, 0}, true).step == resume_step::complete);
  auto const others = fields("ETag: \"v2\"\r\nContent-Range: bytes */500000\r\n");
  CHECK(sync::judge_answer(have, plan, {416, others, 0}, true).step == resume_step::ask_whole);
}

TEST_CASE("without patience, or without having asked for a range, the whole is compared instead of asked away",
          "[sync]") {
  auto const have = partial(tag, 500'000, 1'000'000);
  auto const answer = fields(tag);
  CHECK(sync::judge_answer(have, sync::plan_resume(have), {200, answer, 1'000'000}, false).step == resume_step::shadow);
  CHECK(sync::judge_answer(have, std::nullopt, {200, answer, 1'000'000}, true).step == resume_step::shadow);
  CHECK(sync::judge_answer(have, std::nullopt, {206, answer, 1'000'000}, true).step == resume_step::unrelated);
}

TEST_CASE("all bytes there and only the fact missing: a byte that exists is asked for", "[sync]") {
  auto const plan = sync::plan_resume(partial(tag, 1'000, 1'000));
  REQUIRE(plan);
  CHECK(plan->from == 999);
}
