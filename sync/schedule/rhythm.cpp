#include "sync/schedule/rhythm.hpp"

#include "sync/schedule/bytes.hpp"
#include "sync/schedule/tuning.hpp"

#include <numeric>

namespace cistern::sync::schedule {
namespace {

constexpr std::uint8_t version = 1;

}  // namespace

shared_rhythm::shared_rhythm() {
  week_.fill(1.0F);
  minute_.fill(1.0F);
}

void shared_rhythm::learn(std::span<double const> postings, double rate, double now) {
  // Fading and smoothing 168 bins for each of 10,000 feeds would cost more than it teaches: once an hour is enough.
  if (!started_ || now > refreshed_ + 1.0) {
    auto const keep = started_ ? static_cast<float>(std::exp((refreshed_ - now) / tuning::rhythm_memory)) : 1.0F;
    for (float& x : week_counts_) x *= keep;
    for (float& x : minute_counts_) x *= keep;
    refreshed_ = now;
    started_ = true;
    refresh();
  }
  auto const weight = static_cast<float>(1.0 / (1.0 + rate * hours_a_week));
  for (double const t : postings) {
    week_counts_[static_cast<std::size_t>(hour_of_week(t))] += weight;
    minute_counts_[static_cast<std::size_t>(minute_bin(t))] += weight;
  }
}

void shared_rhythm::refresh() {
  float const total = std::accumulate(week_counts_.begin(), week_counts_.end(), 0.0F);
  float const floor = 0.1F * total / hours_a_week + 1e-6F;  // no hour is ever thought impossible
  float sum = 0.0F;
  for (std::size_t i = 0; i < hours_a_week; ++i) {
    float const before = week_counts_[(i + hours_a_week - 1) % hours_a_week];
    float const after = week_counts_[(i + 1) % hours_a_week];
    week_[i] = 0.25F * before + 0.5F * week_counts_[i] + 0.25F * after + floor;
    sum += week_[i];
  }
  for (float& x : week_) x *= static_cast<float>(hours_a_week) / sum;
  float const minutes = std::accumulate(minute_counts_.begin(), minute_counts_.end(), 0.0F);
  for (std::size_t i = 0; i < minute_bins; ++i)
    minute_[i] = (minute_counts_[i] + 0.01F) / (minutes / minute_bins + 0.01F);
}

std::string shared_rhythm::state() const {
  byte_writer out{version};
  out.put(refreshed_);
  for (float const x : week_counts_) out.put(x);
  for (float const x : minute_counts_) out.put(x);
  return std::move(out).bytes();
}

bool shared_rhythm::restore(std::string_view bytes) {
  byte_reader in{bytes, version};
  shared_rhythm other;
  in.get(other.refreshed_);
  for (float& x : other.week_counts_) in.get_count(x);
  for (float& x : other.minute_counts_) in.get_count(x);
  if (!in.complete()) return false;
  other.started_ = true;
  other.refresh();
  *this = other;
  return true;
}

}  // namespace cistern::sync::schedule
