#include "tools/demo/recording.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace cistern::demo {
namespace {

constexpr std::uint32_t rate = 22'050, seconds = 60;

void append_little(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

/// A drop: a tone that rises a little and dies away.
double drop(double age, double pitch) {
  if (age < 0 || age > .9) return 0;
  return std::exp(-7 * age) * std::sin(2 * std::numbers::pi * pitch * age * (1 + .35 * age));
}

std::string make() {
  std::uint32_t const bytes = rate * seconds * 2;
  std::string out{"RIFF"};
  append_little(out, 36 + bytes, 4);
  out += "WAVEfmt ";
  append_little(out, 16, 4);
  append_little(out, 1, 2);  // plain samples
  append_little(out, 1, 2);  // one channel
  append_little(out, rate, 4);
  append_little(out, rate * 2, 4);
  append_little(out, 2, 2);
  append_little(out, 16, 2);
  out += "data";
  append_little(out, bytes, 4);
  constexpr double tones[] = {523.25, 659.25, 783.99, 440.0, 587.33};
  for (std::uint32_t i = 0; i < rate * seconds; ++i) {
    double const t = static_cast<double>(i) / rate;
    double sound = 0;
    for (int back = 0; back < 3; ++back) {
      auto const n = static_cast<int>(t / .45) - back;
      if (n < 0) continue;
      sound += .4 * drop(t - n * .45 - .11 * std::sin(n * 2.1), tones[n * 7 % 5] * (n % 3 == 0 ? 2 : 1));
    }
    append_little(out, static_cast<std::uint32_t>(static_cast<std::int32_t>(sound * 15'000)), 2);
  }
  return out;
}

}  // namespace

std::string const& recording() {
  static std::string const made = make();
  return made;
}

}  // namespace cistern::demo
