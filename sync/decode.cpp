#include "sync/decode.hpp"

#include "store/header_block.hpp"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace cistern::sync {

/// One step of one library.
struct decoder::engine {
  virtual ~engine() = default;
  /// nullopt: the data is malformed.
  virtual std::optional<progress> step(std::string_view in, std::span<char> out) = 0;
};

namespace {

struct identity_engine final : decoder::engine {
  std::optional<decoder::progress> step(std::string_view in, std::span<char> out) override {
    auto const n = std::min(in.size(), out.size());
    std::copy_n(in.data(), n, out.data());
    return decoder::progress{n, n, false};
  }
};

/// gzip, of one or more members, and deflate, which half of the world sends without the zlib wrapper it should have.
class zlib_engine final : public decoder::engine {
public:
  explicit zlib_engine(bool gzip) : gzip_{gzip}, begun_{gzip} {
    if (inflateInit2(&stream_, gzip ? 16 + MAX_WBITS : MAX_WBITS) != Z_OK) throw std::bad_alloc{};
  }
  ~zlib_engine() override { inflateEnd(&stream_); }

  std::optional<decoder::progress> step(std::string_view in, std::span<char> out) override {
    if (!std::exchange(begun_, begun_ || !in.empty()) && !in.empty() && !has_zlib_header(in[0]))
      inflateReset2(&stream_, -MAX_WBITS);
    if (between_members_ && in.empty()) return decoder::progress{0, 0, true};
    if (between_members_) {
      // Another member may follow; anything else is padding, which gzip ignores too.
      if (in[0] != '\x1f') return decoder::progress{in.size(), 0, true};
      inflateReset(&stream_);
      between_members_ = false;
    }
    auto const given = static_cast<uInt>(std::min<std::size_t>(in.size(), 1u << 30));
    auto const room = static_cast<uInt>(std::min<std::size_t>(out.size(), 1u << 30));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    auto const status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return std::nullopt;
    auto const ended = status == Z_STREAM_END;
    between_members_ = ended && gzip_;
    return decoder::progress{given - stream_.avail_in, room - stream_.avail_out, ended};
  }

private:
  /// RFC 1950's first byte: method 8, window of at most 32 KiB. A raw deflate block rarely begins so.
  static bool has_zlib_header(char c) { return (c & 0x0f) == 8 && (static_cast<unsigned char>(c) >> 4) <= 7; }

  z_stream stream_{};
  bool gzip_;
  bool begun_;
  bool between_members_{};
};

class brotli_engine final : public decoder::engine {
public:
  brotli_engine() : state_{BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), BrotliDecoderDestroyInstance} {
    if (!state_) throw std::bad_alloc{};
  }
  std::optional<decoder::progress> step(std::string_view in, std::span<char> out) override {
    auto left = in.size();
    auto room = out.size();
    auto const* from = reinterpret_cast<std::uint8_t const*>(in.data());
    auto* to = reinterpret_cast<std::uint8_t*>(out.data());
    auto const status = BrotliDecoderDecompressStream(state_.get(), &left, &from, &room, &to, nullptr);
    if (status == BROTLI_DECODER_RESULT_ERROR) return std::nullopt;
    return decoder::progress{in.size() - left, out.size() - room, status == BROTLI_DECODER_RESULT_SUCCESS};
  }

private:
  std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state_;
};

class zstd_engine final : public decoder::engine {
public:
  zstd_engine() : state_{ZSTD_createDStream(), ZSTD_freeDStream} {
    if (!state_) throw std::bad_alloc{};
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, 23);  // RFC 9659: 8 MB is what a server may demand
  }
  std::optional<decoder::progress> step(std::string_view in, std::span<char> out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    auto const status = ZSTD_decompressStream(state_.get(), &to, &from);
    if (ZSTD_isError(status)) return std::nullopt;
    return decoder::progress{from.pos, to.pos, status == 0};
  }

private:
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> state_;
};

std::unique_ptr<decoder::engine> make_engine(coding what) {
  switch (what) {
    case coding::gzip:
      return std::make_unique<zlib_engine>(true);
    case coding::deflate:
      return std::make_unique<zlib_engine>(false);
    case coding::brotli:
      return std::make_unique<brotli_engine>();
    case coding::zstd:
      return std::make_unique<zstd_engine>();
    case coding::identity:
      break;
  }
  return std::make_unique<identity_engine>();
}

}  // namespace

std::optional<coding> coding_of(std::string_view content_encoding) {
  using store::same_token;
  if (content_encoding.empty() || same_token(content_encoding, "identity")) return coding::identity;
  if (same_token(content_encoding, "gzip") || same_token(content_encoding, "x-gzip")) return coding::gzip;
  if (same_token(content_encoding, "deflate")) return coding::deflate;
  if (same_token(content_encoding, "br")) return coding::brotli;
  if (same_token(content_encoding, "zstd")) return coding::zstd;
  return std::nullopt;
}

std::string_view accepted_codings() { return "gzip, deflate, br, zstd"; }

decoder::decoder(coding what, decode_limits limits) : engine_{make_engine(what)}, coding_{what}, limits_{limits} {}
decoder::~decoder() = default;
decoder::decoder(decoder&&) noexcept = default;
decoder& decoder::operator=(decoder&&) noexcept = default;

result<decoder::progress> decoder::decode(std::string_view in, std::span<char> out) {
  // These end once; gzip and zstd may begin anew.
  if (done_ && (coding_ == coding::deflate || coding_ == coding::brotli)) return progress{in.size(), 0, true};
  auto const step = engine_->step(in, out);
  if (!step) return errc::bad_encoding;
  in_ += step->consumed;
  out_ += step->produced;
  if (out_ > limits_.max_size) return errc::decoded_too_large;
  if (out_ > limits_.free_size && out_ / limits_.max_ratio > in_) return errc::decoded_too_large;
  // A second member (or frame) that has begun must end as well.
  if (step->consumed != 0 || step->produced != 0 || step->done) done_ = step->done;
  return *step;
}

bool decoder::complete() const { return done_ || in_ == 0 || coding_ == coding::identity; }

result<std::string> decode_all(coding what, std::string_view in, decode_limits limits) {
  decoder d{what, limits};
  std::string out;
  for (;;) {
    auto const had = out.size();
    out.resize(had + std::clamp<std::size_t>(in.size() * 4, 4096, 1 << 20));
    auto const step = d.decode(in, std::span{out}.subspan(had));
    if (!step) return step.error();
    auto const full = had + step->produced == out.size();
    out.resize(had + step->produced);
    in.remove_prefix(step->consumed);
    if (in.empty() && !full) break;
    // Neither side moved: nothing ever will.
    if (step->consumed == 0 && step->produced == 0) return errc::bad_encoding;
  }
  if (!d.complete()) return errc::truncated;
  return out;
}

}  // namespace cistern::sync
