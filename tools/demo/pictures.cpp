#include "tools/demo/pictures.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

namespace cistern::demo {
namespace {

struct colour {
  double r = 0, g = 0, b = 0;
};

colour mix(colour a, colour b, double t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

/// Sky above and below, sun, far and near hills, water.
struct mood {
  colour high, low, sun, far, near, water;
};
constexpr std::array<mood, 6> moods{{
    {{96, 160, 205}, {222, 236, 240}, {255, 246, 214}, {122, 158, 170}, {64, 112, 92}, {84, 146, 176}},      // noon
    {{58, 74, 120}, {246, 178, 122}, {255, 222, 150}, {120, 96, 126}, {52, 60, 84}, {148, 116, 128}},        // evening
    {{132, 150, 164}, {204, 212, 216}, {232, 236, 238}, {142, 156, 164}, {86, 106, 104}, {128, 146, 156}},   // rain
    {{20, 32, 62}, {66, 88, 128}, {240, 240, 226}, {38, 54, 86}, {18, 28, 46}, {34, 54, 92}},                // night
    {{146, 190, 222}, {248, 236, 208}, {255, 250, 226}, {178, 178, 140}, {150, 134, 74}, {122, 168, 184}},   // harvest
    {{168, 200, 222}, {244, 246, 248}, {255, 255, 246}, {190, 206, 218}, {226, 234, 238}, {150, 184, 204}},  // frost
}};

void append_number(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

/// A PNG's parts: length, name, bytes, checksum (PNG specification §5.3).
void append_chunk(std::string& out, std::string_view name, std::string_view bytes) {
  append_number(out, static_cast<std::uint32_t>(bytes.size()));
  std::string checked{name};
  checked += bytes;
  out += checked;
  append_number(out, static_cast<std::uint32_t>(
                         crc32(0, reinterpret_cast<Bytef const*>(checked.data()), static_cast<uInt>(checked.size()))));
}

std::string packed(std::string const& rows) {
  auto size = compressBound(static_cast<uLong>(rows.size()));
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<Bytef const*>(rows.data()),
                static_cast<uLong>(rows.size()), 9) != Z_OK)
    throw std::runtime_error{"there is not enough memory to draw a picture"};
  out.resize(size);
  return out;
}

}  // namespace

std::string draw_landscape(std::uint32_t number, std::uint32_t width, std::uint32_t height) {
  auto const& m = moods[number % moods.size()];
  double const shift = static_cast<double>(number) * 1.7;
  auto const hills = [&](double x, double wide, double tall, double at) {
    return at - tall * (.6 * std::sin(x * wide + shift) + .3 * std::sin(x * wide * 2.3 + shift * 2) +
                        .1 * std::sin(x * wide * 5.1 + shift));
  };
  double const sun_x = .2 + .6 * std::fabs(std::sin(shift)), sun_y = .24 + .1 * std::cos(shift);
  double const shore = .8;
  std::string rows;
  rows.reserve((std::size_t{width} * 3 + 1) * height);
  for (std::uint32_t row = 0; row < height; ++row) {
    rows += '\2';  // each row as the difference to the one above: gradients become constants
    for (std::uint32_t column = 0; column < width; ++column) {
      double const x = static_cast<double>(column) / width, y = static_cast<double>(row) / height;
      auto c = mix(m.high, m.low, std::min(1.0, y / .62));
      double const from_sun = std::hypot((x - sun_x) * width / height, y - sun_y);
      if (from_sun < .075)
        c = m.sun;
      else if (from_sun < .3)
        c = mix(m.sun, c, .55 + .45 * (from_sun - .075) / .225);
      if (y > hills(x, 5, .09, .52)) c = m.far;
      if (y > hills(x + 3, 3.2, .1, .66)) c = m.near;
      if (y > shore) c = mix(m.water, m.low, .35 * (1 - (y - shore) / .2) * (.6 + .4 * std::sin(y * 160 + x * 9)));
      for (double const part : {c.r, c.g, c.b})
        rows += static_cast<char>(static_cast<unsigned char>(std::clamp(part, 0.0, 255.0)));
    }
  }
  std::size_t const line = std::size_t{width} * 3 + 1;
  for (std::size_t row = height; row-- > 1;)
    for (std::size_t i = 1; i < line; ++i)
      rows[row * line + i] = static_cast<char>(rows[row * line + i] - rows[(row - 1) * line + i]);
  std::string head;
  append_number(head, width);
  append_number(head, height);
  head += std::string_view{"\x08\x02\x00\x00\x00", 5};  // eight bits, red green blue, not interlaced
  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", head);
  append_chunk(out, "IDAT", packed(rows));
  append_chunk(out, "IEND", {});
  return out;
}

}  // namespace cistern::demo
