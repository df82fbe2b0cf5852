#include "sync/schedule/visit_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cistern::sync::schedule {
namespace {

std::vector<double> even_times(double period, std::size_t visits, double phase) {
  std::vector<double> times(visits);
  for (std::size_t j = 0; j < visits; ++j)
    times[j] = std::fmod((static_cast<double>(j) + phase) * period / static_cast<double>(visits), period);
  std::sort(times.begin(), times.end());
  return times;
}

std::vector<double> within_period(std::vector<double> times, double period) {
  for (double& t : times) t -= std::floor(t / period) * period;
  std::sort(times.begin(), times.end());
  return times;
}

std::vector<double> best_single(periodic_rate const& rate, double step) {
  double best = 0.0;
  double least = std::numeric_limits<double>::infinity();
  auto const steps = static_cast<int>(std::lround(rate.period() / step));
  for (int k = 0; k < steps; ++k) {
    double const cost = rate.delay(k * step - rate.period(), k * step);
    if (cost < least - 1e-12) {
      least = cost;
      best = k * step;
    }
  }
  return {best};
}

/// Moves the middle of three points to the grid point with the least delay; true when it moved by more than nothing.
bool settle(periodic_rate const& rate, double before, double& point, double after, double step) {
  double const from = rate.delay(before, point) + rate.delay(point, after);
  double least = from - 1e-9;
  double best = point;
  for (double t = std::ceil(before / step) * step; t <= after; t += step) {
    double const cost = rate.delay(before, t) + rate.delay(t, after);
    if (cost < least) {
      least = cost;
      best = t;
    }
  }
  bool const moved = best != point;
  point = best;
  return moved;
}

}  // namespace

periodic_rate::periodic_rate(std::span<double const> per_bin, double bin_hours)
    : bin_hours_(bin_hours), rates_(per_bin.size()), postings_(per_bin.size() + 1), area_(per_bin.size() + 1) {
  for (std::size_t i = 0; i < per_bin.size(); ++i) {
    double const postings = std::max(0.0, per_bin[i]);
    rates_[i] = postings / bin_hours;
    postings_[i + 1] = postings_[i] + postings;
    area_[i + 1] = area_[i] + postings_[i] * bin_hours + rates_[i] * bin_hours * bin_hours / 2.0;
  }
}

double periodic_rate::at(double t) const {
  double const inside = t - std::floor(t / period()) * period();
  return rates_[std::min(rates_.size() - 1, static_cast<std::size_t>(inside / bin_hours_))];
}

double periodic_rate::integral(double t) const {
  double const turns = std::floor(t / period());
  double const inside = t - turns * period();
  auto const bin = std::min(rates_.size() - 1, static_cast<std::size_t>(inside / bin_hours_));
  double const rest = inside - static_cast<double>(bin) * bin_hours_;
  return turns * total() + postings_[bin] + rates_[bin] * rest;
}

double periodic_rate::double_integral(double t) const {
  double const turns = std::floor(t / period());
  double const inside = t - turns * period();
  auto const bin = std::min(rates_.size() - 1, static_cast<std::size_t>(inside / bin_hours_));
  double const rest = inside - static_cast<double>(bin) * bin_hours_;
  double const whole = turns * area_.back() + period() * total() * turns * (turns - 1.0) / 2.0;
  return whole + turns * total() * inside + area_[bin] + postings_[bin] * rest + rates_[bin] * rest * rest / 2.0;
}

double periodic_rate::delay(double a, double b) const {
  return double_integral(b) - double_integral(a) - integral(a) * (b - a);
}

double periodic_delay(periodic_rate const& rate, std::span<double const> times) {
  if (times.empty()) return std::numeric_limits<double>::infinity();
  double sum = rate.delay(times.back() - rate.period(), times.front());
  for (std::size_t j = 1; j < times.size(); ++j) sum += rate.delay(times[j - 1], times[j]);
  return sum;
}

std::vector<double> search_visit_times(periodic_rate const& rate, std::size_t visits, double step) {
  if (visits == 0) return {};
  if (rate.total() <= 0.0) return even_times(rate.period(), visits, 0.5);
  if (visits == 1) return best_single(rate, step);
  double const period = rate.period();
  auto const steps = static_cast<int>(std::lround(period / step));
  std::vector<double> best = even_times(period, visits, 0.5);
  double least = periodic_delay(rate, best);
  std::vector<double> times(visits);
  for (int first = 0; first < steps; ++first) {
    for (int second = first + 1; second < first + steps; ++second) {
      times[0] = first * step;
      times[1] = second * step;
      double cost = rate.delay(times[0], times[1]);
      std::size_t j = 2;
      for (; j < visits && cost < least; ++j) {
        double const here = rate.at(times[j - 1]);
        if (here <= 0.0) break;
        times[j] = times[j - 1] + rate.postings(times[j - 2], times[j - 1]) / here;
        if (times[j] >= times[0] + period) break;
        cost += rate.delay(times[j - 1], times[j]);
      }
      if (j < visits || cost >= least) continue;
      cost += rate.delay(times.back(), times[0] + period);
      if (cost < least) {
        least = cost;
        best = times;
      }
    }
  }
  return within_period(std::move(best), period);
}

std::vector<double> refine_visit_times(periodic_rate const& rate, std::size_t visits, double step) {
  if (visits == 0) return {};
  double const period = rate.period();
  if (rate.total() <= 0.0) return even_times(period, visits, 0.5);
  if (visits == 1) return best_single(rate, step);
  std::vector<double> best;
  double least = std::numeric_limits<double>::infinity();
  for (double const phase : {0.125, 0.375, 0.625, 0.875}) {
    auto times = even_times(period, visits, phase);
    bool moved = true;
    for (int sweep = 0; moved && sweep < 50; ++sweep) {
      moved = false;
      for (std::size_t j = 0; j < visits; ++j) {
        double const before = j == 0 ? times.back() - period : times[j - 1];
        double const after = j + 1 == visits ? times.front() + period : times[j + 1];
        moved |= settle(rate, before, times[j], after, step);
      }
    }
    if (double const cost = periodic_delay(rate, times); cost < least) {
      least = cost;
      best = times;
    }
  }
  return within_period(std::move(best), period);
}

}  // namespace cistern::sync::schedule
