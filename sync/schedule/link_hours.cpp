#include "sync/schedule/link_hours.hpp"

#include "sync/schedule/bytes.hpp"

#include <algorithm>

namespace cistern::sync::schedule {
namespace {

constexpr std::uint8_t version = 1;
constexpr double memory = 14.0 * hours_a_day;
constexpr double quarter = 0.25;

std::size_t quarter_of(double at) {
  double const inside = at - std::floor(at / hours_a_day) * hours_a_day;
  return std::min<std::size_t>(95, static_cast<std::size_t>(inside / quarter));
}

}  // namespace

void link_hours::learn(double from, double to, bool up) {
  from = std::max(from, to - 60.0 * hours_a_day);  // older than that has faded anyway
  if (to <= from) return;
  auto const keep = static_cast<float>(std::exp(-std::max(0.0, to - std::max(at_, from)) / memory));
  for (float& x : up_) x *= keep;
  for (float& x : watched_) x *= keep;
  for (double t = from; t < to - 1e-9;) {
    double const next = std::min(to, (std::floor(t / quarter + 1e-9) + 1.0) * quarter);
    auto const q = quarter_of(t + 1e-9);
    watched_[q] += static_cast<float>(next - t);
    if (up) up_[q] += static_cast<float>(next - t);
    t = next;
  }
  at_ = to;
  refresh();
}

void link_hours::refresh() {
  comes_and_goes_ = false;
  for (int q = 0; q < quarters && !comes_and_goes_; ++q) comes_and_goes_ = !usually_up(q * quarter);
}

double link_hours::chance_up(double at) const {
  constexpr double belief = quarter;  // one quarter of an hour of it being up
  auto const q = quarter_of(at);
  return (static_cast<double>(up_[q]) + belief) / (static_cast<double>(watched_[q]) + belief);
}

double link_hours::usual_end(double at) const {
  double t = at;
  while (t < at + hours_a_day && usually_up(t)) t = (std::floor(t / quarter + 1e-9) + 1.0) * quarter;
  return t;
}

double link_hours::usual_start(double at) const {
  double t = at;
  while (t < at + hours_a_day && !usually_up(t)) t = (std::floor(t / quarter + 1e-9) + 1.0) * quarter;
  return t;
}

std::string link_hours::state() const {
  byte_writer out{version};
  out.put(at_);
  for (float const x : up_) out.put(x);
  for (float const x : watched_) out.put(x);
  return std::move(out).bytes();
}

bool link_hours::restore(std::string_view bytes) {
  byte_reader in{bytes, version};
  link_hours other;
  in.get(other.at_);
  for (float& x : other.up_) in.get_count(x);
  for (float& x : other.watched_) in.get_count(x);
  if (!in.complete()) return false;
  other.refresh();
  *this = other;
  return true;
}

}  // namespace cistern::sync::schedule
