#include "stitch/feed/gunzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

namespace cistern::stitch::feed {

struct gunzip::state {
  z_stream stream{};
  bool ended = false;
};

gunzip::gunzip() : state_{std::make_unique<state>()} {
  constexpr int with_gzip_header = 16;
  if (inflateInit2(&state_->stream, MAX_WBITS + with_gzip_header) != Z_OK) throw std::bad_alloc{};
}

gunzip::~gunzip() { inflateEnd(&state_->stream); }

bool gunzip::push(std::string_view bytes, std::size_t most, std::string& out) {
  auto& stream = state_->stream;
  std::array<char, 64 * 1024> block;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib's signature predates const
  stream.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(std::min(block.size(), most));
    auto const room = stream.avail_out;
    auto const outcome = state_->ended ? Z_STREAM_END : inflate(&stream, Z_NO_FLUSH);
    auto const got = room - stream.avail_out;
    out.append(block.data(), got);
    most -= got;
    state_->ended = outcome == Z_STREAM_END;
    if (outcome != Z_OK && outcome != Z_BUF_ERROR) return false;
  } while (most > 0 && (stream.avail_in > 0 || stream.avail_out == 0));
  return true;
}

}  // namespace cistern::stitch::feed
