#include "sync/schedule/posting_pattern.hpp"

#include "sync/schedule/bytes.hpp"

#include <algorithm>
#include <numeric>

namespace cistern::sync::schedule {
namespace {

constexpr std::uint8_t version = 1;
constexpr float trace_of = 1e-6F;  // keeps a ratio defined where nothing was counted

template <class Array>
auto sum(Array const& values) {
  return std::accumulate(values.begin(), values.end(), typename Array::value_type{0});
}

/// Calls `visit(hour of week, hours)` for each piece of [from, to) that lies within one hour.
template <class Visit>
void each_hour(double from, double to, Visit visit) {
  for (double t = from; t < to - 1e-9;) {
    double const next = std::min(to, std::floor(t + 1e-9) + 1.0);
    visit(hour_of_week(t + 1e-9), next - t);
    t = next;
  }
}

double fade(double hours, double memory) { return std::exp(-hours / memory); }

/// Gives each shape credit for a posting by what it contributed to expecting it.
template <std::size_t N>
void credit(std::array<double, N>& credits, std::array<double, N> const& share, std::array<float, N> const& said) {
  double expected = 0.0;
  for (std::size_t k = 0; k < N; ++k) expected += share[k] * said[k];
  if (expected <= 0.0) return;
  for (std::size_t k = 0; k < N; ++k) credits[k] += share[k] * said[k] / expected;
}

template <std::size_t N>
std::array<double, N> shares(std::array<double, N> credits) {
  double const total = sum(credits);
  for (double& x : credits) x /= total;
  return credits;
}

template <std::size_t N>
void fade_to(std::array<double, N>& credits, std::array<double, N> const& belief, double keep) {
  for (std::size_t k = 0; k < N; ++k) credits[k] = belief[k] + (credits[k] - belief[k]) * keep;
}

}  // namespace

posting_pattern::posting_pattern(double now) {
  static posting_pattern const unknown{nothing_known{}};  // worked out once: it is the same for all
  *this = unknown;
  at_ = now;
}

posting_pattern::posting_pattern(nothing_known) {
  set_levels();
  reshape(shared_rhythm{});
  reshape_minutes(shared_rhythm{});
}

void posting_pattern::learn(std::span<double const> postings, double from, double now, shared_rhythm const& shared) {
  from = std::clamp(from, std::min(at_, now), now);
  judge_burst(postings, from, now);
  judge_shapes(postings, now - at_, shared);
  follow_level(postings, std::max(from, at_), now);
  count(postings, from, now);
  at_ = std::max(at_, now);
  set_levels();
  // A few silent hours do not change a shape that weeks have formed.
  if (postings.empty() && at_ < reshaped_ + 12.0) return;
  reshaped_ = at_;
  reshape(shared);
  reshape_minutes(shared);
}

void posting_pattern::judge_shapes(std::span<double const> postings, double gap, shared_rhythm const& shared) {
  gap = std::max(0.0, gap);
  fade_to(shape_credit_, tuning::shape_belief, fade(gap, tuning::blend_memory));
  fade_to(minute_credit_, tuning::minute_belief, fade(gap, tuning::minute_memory));
  auto const share = shares(shape_credit_);
  auto const minute_share = shares(minute_credit_);
  for (double const t : postings) {
    credit(shape_credit_, share, shapes_at(hour_of_week(t), shared));
    credit(minute_credit_, minute_share, minute_shapes_at(minute_bin(t), shared));
  }
}

void posting_pattern::judge_burst(std::span<double const> postings, double from, double now) {
  double expected = 0.0;
  each_hour(from, now, [&](int hour, double hours) {
    expected += level_[1] * static_cast<double>(week_[static_cast<std::size_t>(hour)]) * hours;
  });
  double const off = static_cast<double>(postings.size()) - expected;
  double const keep = fade(std::max(0.0, now - at_), tuning::week_memory);
  // A single huge surprise (an archive imported in one go) must not speak for months.
  double const scale = std::min(expected * expected, 100.0);
  double const excess = std::min(off * off - expected, 4.0 * (scale + 1.0));
  burst_excess_ = burst_excess_ * keep + excess;
  burst_scale_ = burst_scale_ * keep + scale;
}

double posting_pattern::burst() const {
  constexpr double belief = 10.0;
  return std::clamp((burst_excess_ + belief * tuning::first_burst) / (burst_scale_ + belief), 0.05, 3.0);
}

void posting_pattern::follow_level(std::span<double const> postings, double from, double now) {
  for (std::size_t k = 0; k < levels; ++k) {
    double const memory = tuning::level_memory[k];
    seen_[k] *= fade(now - at_, memory);
    exposed_[k] *= fade(from - at_, memory);
    for (double const t : postings) seen_[k] += fade(now - t, memory);
    double const hourly = fade(1.0, memory);
    each_hour(from, now, [&](int hour, double hours) {
      double const keep = hours >= 1.0 ? hourly : fade(hours, memory);
      // The mean of exp(-age / memory) over a piece that ends now.
      double const mean = (1.0 - keep) * memory;
      exposed_[k] = exposed_[k] * keep + static_cast<double>(week_[static_cast<std::size_t>(hour)]) * mean;
    });
  }
}

void posting_pattern::set_levels() {
  double slower = tuning::first_rate;
  for (std::size_t k = 0; k < levels; ++k) {
    double const belief = tuning::level_belief[k];
    level_[k] = (belief + seen_[k]) / (belief / slower + exposed_[k]);
    slower = level_[k];
  }
}

void posting_pattern::count(std::span<double const> postings, double from, double now) {
  auto const keep = static_cast<float>(fade(std::max(0.0, now - at_), tuning::week_memory));
  for (float& x : counts_) x *= keep;
  for (float& x : watched_) x *= keep;
  auto const keep_minutes = static_cast<float>(fade(std::max(0.0, now - at_), tuning::minute_memory));
  for (float& x : minute_counts_) x *= keep_minutes;
  for (double const t : postings) {
    counts_[static_cast<std::size_t>(hour_of_week(t))] += 1.0F;
    minute_counts_[static_cast<std::size_t>(minute_bin(t))] += 1.0F;
  }
  each_hour(from, now,
            [&](int hour, double hours) { watched_[static_cast<std::size_t>(hour)] += static_cast<float>(hours); });
}

std::array<float, posting_pattern::shapes> posting_pattern::shapes_at(int hour, shared_rhythm const& shared) const {
  auto const h = static_cast<std::size_t>(hour);
  float const day = day_[h / hours_a_day];
  return {shared.week(hour), 1.0F, smooth_[h % hours_a_day] * day, sharp_[h % hours_a_day] * day, own_week_[h]};
}

std::array<float, posting_pattern::minute_shapes> posting_pattern::minute_shapes_at(int bin,
                                                                                    shared_rhythm const& shared) const {
  return {shared.minute(bin), 1.0F, own_minute_[static_cast<std::size_t>(bin)]};
}

void posting_pattern::reshape(shared_rhythm const& shared) {
  float const watched = sum(watched_);
  float const mean = (sum(counts_) + trace_of) / (watched + 1e-3F);
  float const weeks = watched / hours_a_week;
  constexpr auto unseen = static_cast<float>(tuning::unseen_hours);

  std::array<float, hours_a_week> evened;  // what would have been counted had every hour been watched alike
  std::array<float, hours_a_day> hours{};
  std::array<float, 7> days{}, shared_days{};
  for (std::size_t i = 0; i < hours_a_week; ++i)
    evened[i] = weeks * (counts_[i] + unseen * mean) / (watched_[i] + unseen);
  for (std::size_t i = 0, d = 0; d < 7; ++d)
    for (std::size_t h = 0; h < hours_a_day; ++h, ++i) {
      hours[h] += evened[i];
      days[d] += evened[i];
      shared_days[d] += shared.week(static_cast<int>(i)) / hours_a_week;
    }
  float const total = sum(days);

  constexpr auto belief = static_cast<float>(tuning::day_belief);
  for (std::size_t d = 0; d < 7; ++d) day_[d] = (days[d] + belief * shared_days[d]) * 7.0F / (total + belief);

  float const an_hour = total / hours_a_day + trace_of;
  constexpr auto near = static_cast<float>(tuning::smooth_hours);
  for (std::size_t h = 0; h < hours_a_day; ++h) {
    auto const at = [&](std::size_t ahead) { return hours[(h + ahead) % hours_a_day]; };
    float const blurred = (at(0) + near * (at(1) + at(23)) + 0.5F * near * (at(2) + at(22))) / (1.0F + 3.0F * near);
    smooth_[h] = (blurred + trace_of) / an_hour;
    sharp_[h] = (hours[h] + trace_of) / an_hour;
  }

  constexpr auto beside = static_cast<float>(tuning::smooth_week);
  float const a_bin = total / hours_a_week + trace_of;
  auto const share = shares(shape_credit_);
  for (std::size_t i = 0; i < hours_a_week; ++i) {
    float const both = evened[i + 1 < hours_a_week ? i + 1 : 0] + evened[i > 0 ? i - 1 : hours_a_week - 1];
    own_week_[i] = ((evened[i] + 0.5F * beside * both) / (1.0F + beside) + trace_of) / a_bin;
  }
  for (std::size_t i = 0, d = 0; d < 7; ++d)
    for (std::size_t h = 0; h < hours_a_day; ++h, ++i) {
      std::array<float, shapes> const said{shared.week(static_cast<int>(i)), 1.0F, smooth_[h] * day_[d],
                                           sharp_[h] * day_[d], own_week_[i]};
      double blend = 0.0;
      for (std::size_t k = 0; k < shapes; ++k) blend += share[k] * static_cast<double>(said[k]);
      week_[i] = static_cast<float>(blend);
    }
}

void posting_pattern::reshape_minutes(shared_rhythm const& shared) {
  float const a_bin = sum(minute_counts_) / minute_bins + 1e-5F;
  auto const share = shares(minute_credit_);
  for (std::size_t i = 0; i < minute_bins; ++i) {
    own_minute_[i] = (minute_counts_[i] + 1e-5F) / a_bin;
    auto const said = minute_shapes_at(static_cast<int>(i), shared);
    double blend = 0.0;
    for (std::size_t k = 0; k < minute_shapes; ++k) blend += share[k] * static_cast<double>(said[k]);
    minute_[i] = static_cast<float>(blend);
  }
}

double posting_pattern::hourly_shape(double from, double to) const {
  double shape = 0.0;
  each_hour(from, to, [&](int hour, double hours) {
    shape += static_cast<double>(week_[static_cast<std::size_t>(hour)]) * hours;
  });
  return shape;
}

/// Five-minute bins, counted in whole numbers: this is the innermost loop of planning.
double posting_pattern::fine_shape(double from, double to) const {
  if (to <= from) return 0.0;
  auto const bin_of = [](double t) { return static_cast<std::int64_t>(std::floor(t * minute_bins + 1e-6)); };
  auto const value = [&](std::int64_t bin) {
    auto const hour = static_cast<std::size_t>(bin / minute_bins % hours_a_week);
    return static_cast<double>(week_[hour]) * static_cast<double>(minute_[static_cast<std::size_t>(bin % minute_bins)]);
  };
  std::int64_t const first = bin_of(from);
  std::int64_t const last = bin_of(to);
  if (first == last) return value(first) * (to - from);
  double shape = value(first) * (static_cast<double>(first + 1) - from * minute_bins);
  for (std::int64_t bin = first + 1; bin < last; ++bin) shape += value(bin);
  shape += value(last) * std::max(0.0, to * minute_bins - static_cast<double>(last));
  return shape / minute_bins;
}

void posting_pattern::expect(double from, double first_edge, double step, std::span<float> cells) const {
  std::array<double, levels> above{}, keep{};
  for (std::size_t k = 1; k < levels; ++k) {
    keep[k] = fade(step, tuning::level_memory[k]);
    above[k] = (level_[k] - level_[k - 1]) * fade(std::max(0.0, from - at_), tuning::level_memory[k]);
  }
  bool const whole_hours = step >= 1.0 - 1e-9;
  double start = from;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    double level = level_[0];
    for (std::size_t k = 1; k < levels; ++k) {
      level += above[k];
      above[k] *= keep[k];
    }
    double const end = first_edge + static_cast<double>(j) * step;
    double const shape = whole_hours && j > 0 ? hourly_shape(start, end) : fine_shape(start, end);
    cells[j] = static_cast<float>(std::max(1e-6, level) * shape);
    start = end;
  }
}

std::string posting_pattern::state() const {
  byte_writer out{version};
  out.put(at_);
  for (float const x : counts_) out.put(x);
  for (float const x : watched_) out.put(x);
  for (float const x : minute_counts_) out.put(x);
  for (double const x : shape_credit_) out.put(x);
  for (double const x : minute_credit_) out.put(x);
  for (double const x : seen_) out.put(x);
  for (double const x : exposed_) out.put(x);
  out.put(burst_excess_);
  out.put(burst_scale_);
  return std::move(out).bytes();
}

bool posting_pattern::restore(std::string_view bytes, shared_rhythm const& shared) {
  byte_reader in{bytes, version};
  posting_pattern other;
  in.get(other.at_);
  for (float& x : other.counts_) in.get_count(x);
  for (float& x : other.watched_) in.get_count(x);
  for (float& x : other.minute_counts_) in.get_count(x);
  for (double& x : other.shape_credit_) in.get_count(x);
  for (double& x : other.minute_credit_) in.get_count(x);
  for (double& x : other.seen_) in.get_count(x);
  for (double& x : other.exposed_) in.get_count(x);
  in.get(other.burst_excess_);
  in.get_count(other.burst_scale_);
  if (!in.complete() || sum(other.shape_credit_) <= 0.0 || sum(other.minute_credit_) <= 0.0) return false;
  other.set_levels();
  other.reshape(shared);
  other.reshape_minutes(shared);
  *this = other;
  return true;
}

}  // namespace cistern::sync::schedule
