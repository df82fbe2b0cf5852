#include "sync/decode.hpp"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>
#include <catch2/catch.hpp>

#include <random>

using namespace cistern::sync;

namespace {

std::string zlib_coded(std::string const& text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string coded(coding what, std::string const& text) {
  std::string out(text.size() + 65536, '\0');
  std::size_t size = out.size();
  switch (what) {
    case coding::identity:
      return text;
    case coding::gzip:
      return zlib_coded(text, 16 + MAX_WBITS);
    case coding::deflate:
      return zlib_coded(text, MAX_WBITS);
    case coding::brotli:
      BrotliEncoderCompress(9, 22, BROTLI_MODE_TEXT, text.size(), reinterpret_cast<std::uint8_t const*>(text.data()),
                            &size, reinterpret_cast<std::uint8_t*>(out.data()));
      break;
    case coding::zstd:
      size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
      break;
  }
  out.resize(size);
  return out;
}

std::string sample() {
  std::mt19937 random{7};
  std::string out;
  while (out.size() < 200'000) out += "line " + std::to_string(random() % 1000) + " of text\n";
  return out;
}

/// Through the streaming interface with small windows on both sides.
result<std::string> in_pieces(coding what, std::string_view in, std::size_t piece, std::size_t window) {
  decoder d{what};
  std::string out;
  std::vector<char> buffer(window);
  while (!in.empty()) {
    auto part = in.substr(0, piece);
    in.remove_prefix(part.size());
    for (;;) {
      auto const step = d.decode(part, buffer);
      if (!step) return step.error();
      out.append(buffer.data(), step->produced);
      part.remove_prefix(step->consumed);
      if (part.empty() && step->produced < window) break;
    }
  }
  if (!d.complete()) return errc::truncated;
  return out;
}

auto const all = {coding::identity, coding::gzip, coding::deflate, coding::brotli, coding::zstd};

}  // namespace

TEST_CASE("every coding is taken off, whole or in pieces", "[sync][decode]") {
  auto const text = sample();
  for (auto const what : all) {
    INFO(static_cast<int>(what));
    auto const wire = coded(what, text);
    CHECK(decode_all(what, wire).value() == text);
    CHECK(in_pieces(what, wire, 1, 4096).value() == text);
    CHECK(in_pieces(what, wire, 1000, 7).value() == text);
    CHECK(decode_all(what, coded(what, "")).value().empty());
    CHECK(decode_all(what, "").value().empty());
  }
}

TEST_CASE("deflate without its wrapper is understood too", "[sync][decode]") {
  auto const text = sample();
  CHECK(decode_all(coding::deflate, zlib_coded(text, -MAX_WBITS)).value() == text);
}

TEST_CASE("gzip of several members is one text, and padding behind it is ignored", "[sync][decode]") {
  auto const two = coded(coding::gzip, "one ") + coded(coding::gzip, "two");
  CHECK(decode_all(coding::gzip, two).value() == "one two");
  CHECK(decode_all(coding::gzip, two + std::string(10, '\0')).value() == "one two");
  CHECK(in_pieces(coding::gzip, two, 3, 2).value() == "one two");
  CHECK(decode_all(coding::zstd, coded(coding::zstd, "one ") + coded(coding::zstd, "two")).value() == "one two");
  CHECK(decode_all(coding::brotli, coded(coding::brotli, "one") + "junk").value() == "one");
}

TEST_CASE("cut or damaged data is never taken for whole", "[sync][decode]") {
  auto const text = sample();
  for (auto const what : {coding::gzip, coding::deflate, coding::brotli, coding::zstd}) {
    INFO(static_cast<int>(what));
    auto const wire = coded(what, text);
    for (auto const cut : {std::size_t{1}, std::size_t{20}, wire.size() / 2, wire.size() - 1})
      CHECK(decode_all(what, std::string_view{wire}.substr(0, cut)).has_error());
    std::mt19937 random{11};
    for (int i = 0; i < 200; ++i) {
      auto damaged = wire;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      auto const got = decode_all(what, damaged, {.max_size = 1 << 22});
      if (got && what == coding::gzip) CHECK(*got == text);  // only the checksum proves it; header bytes may differ
    }
  }
  CHECK(decode_all(coding::gzip, "<html>not gzip at all").error() == errc::bad_encoding);
}

TEST_CASE("a bomb is stopped by its ratio and by its size", "[sync][decode]") {
  std::string const zeros(32 << 20, '\0');
  for (auto const what : {coding::gzip, coding::deflate, coding::brotli, coding::zstd}) {
    INFO(static_cast<int>(what));
    auto const bomb = coded(what, zeros);
    CHECK(decode_all(what, bomb).error() == errc::decoded_too_large);
    CHECK(decode_all(what, coded(what, sample()), {.max_size = 100'000}).error() == errc::decoded_too_large);
  }
}

TEST_CASE("a zstd frame that wants a huge window is refused", "[sync][decode]") {
  std::string const text(1 << 20, 'x');
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> const context{ZSTD_createCCtx(), ZSTD_freeCCtx};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, 27);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 0);
  std::string wire(1 << 20, '\0');
  ZSTD_outBuffer out{wire.data(), wire.size(), 0};
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  while (ZSTD_compressStream2(context.get(), &out, &in, in.pos == in.size ? ZSTD_e_end : ZSTD_e_continue) != 0 ||
         in.pos != in.size) {
  }
  ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end);
  wire.resize(out.pos);
  CHECK(decode_all(coding::zstd, wire).error() == errc::bad_encoding);
}

TEST_CASE("content codings are known by name", "[sync][decode]") {
  CHECK(coding_of("") == coding::identity);
  CHECK(coding_of("GZip") == coding::gzip);
  CHECK(coding_of("x-gzip") == coding::gzip);
  CHECK(coding_of("br") == coding::brotli);
  CHECK_FALSE(coding_of("compress"));
  CHECK_FALSE(coding_of("gzip, br"));
}
