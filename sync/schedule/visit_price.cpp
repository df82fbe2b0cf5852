#include "sync/schedule/visit_price.hpp"

#include "sync/schedule/bytes.hpp"

#include <algorithm>
#include <cmath>

namespace cistern::sync::schedule {
namespace {

constexpr std::uint8_t version = 1;
constexpr double review_every = 24.0;
constexpr double catch_up = 72.0;     // hours within which spending returns to its path
constexpr double spare = 3.0;         // hours of allowance kept in hand
constexpr double first_ratio = 0.85;  // rhythms make real plans a little cheaper than evenly spaced ones
constexpr double most_saved = 72.0;   // hours of allowance that a long outage leaves to spend

double units_an_hour(double price, std::span<demand const> feeds) {
  double sum = 0.0;
  for (auto const& feed : feeds) {
    double const gap = std::sqrt(2.0 * price * feed.units / std::max(feed.value, 1e-9));
    double const shortest = std::max(feed.shortest_gap, 1e-3);
    sum += feed.units / std::clamp(gap, shortest, std::max(feed.longest_gap, shortest));
  }
  return sum;
}

double price_for(double target, std::span<demand const> feeds) {
  double low = 1e-12;  // a visit may cost millions of bytes
  double high = 1e6;
  for (int i = 0; i < 60; ++i) {
    double const middle = std::sqrt(low * high);
    (units_an_hour(middle, feeds) > target ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

double visit_price::accrued(double now) const {
  return accrued_before_ + granted_ + std::max(0.0, now - from_) * an_hour_;
}

void visit_price::set_allowance(double units_an_hour, double now) {
  accrued_before_ += std::max(0.0, now - from_) * an_hour_;
  from_ = std::max(from_, now);
  an_hour_ = units_an_hour;
}

void visit_price::expect_week(std::span<float const, hours_a_week> shape) {
  std::copy(shape.begin(), shape.end(), expected_.begin());
}

void visit_price::spend(double units, double wanted_at) {
  spent_ += units;
  week_[static_cast<std::size_t>(hour_of_week(wanted_at))] += units;
}

double visit_price::affordable_at(double units) const {
  double const short_of = spent_ + units - accrued_before_ - granted_;
  return an_hour_ > 0.0 ? from_ + std::max(0.0, short_of) / an_hour_ - slack_.borrowed : from_;
}

/// What is usually in hand at this time of the week. At the time of the week at which it began, that is `spare`.
double visit_price::usual_balance(double now) const {
  // An hour of experience beside an hour as expected. Hours not lived through yet must not count as hours of thrift, or
  // the first days would look like the dear ones of every week.
  auto const usual = [&](std::size_t h) {
    return (week_[h] + an_hour_ * static_cast<double>(expected_[h])) / (lived_[h] + 1.0);
  };
  double whole = 0.0;
  for (std::size_t h = 0; h < hours_a_week; ++h) whole += usual(h);
  double in_hand = spare * an_hour_;
  if (whole <= 0.0) return in_hand;
  int const now_hour = hour_of_week(now);
  for (int h = hour_of_week(start_); h != now_hour; h = (h + 1) % hours_a_week)
    in_hand += an_hour_ * (1.0 - usual(static_cast<std::size_t>(h)) * hours_a_week / whole);
  return in_hand;
}

void visit_price::review_soon() {
  waited_ = true;
  next_review_ = std::min(next_review_, last_review_ + review_every / 4.0);
}

void visit_price::review(double now, std::span<demand const> feeds, bool afresh) {
  if (priced_) {
    double const hours = std::max(0.0, now - std::max(last_review_, start_));
    double const keep = std::exp(-hours / hours_a_week);
    recent_spent_ = recent_spent_ * keep + (spent_ - spent_at_review_);
    recent_promised_ = recent_promised_ * keep + promised_ * hours;
    double const fade = std::exp(-hours / (4.0 * hours_a_week));
    for (double& units : week_) units *= fade;
    for (double& hour : lived_) hour *= fade;
    // A gap of more than a week (a machine that was off) says nothing about spending.
    for (double t = now - std::min(hours, 1.0 * hours_a_week); t < now; t += 1.0)
      lived_[static_cast<std::size_t>(hour_of_week(t))] += std::min(1.0, now - t);
  }
  if (double const spare_units = accrued(now) - spent_ - slack_.saved * an_hour_; spare_units > 0.0)
    accrued_before_ -= spare_units;
  double const balance = std::min(accrued(now) - spent_, most_saved * an_hour_) - usual_balance(now);
  double const target = std::max(0.2 * an_hour_, an_hour_ + balance / catch_up);
  double const belief = 16.0 * an_hour_;
  // Visits that wait for the allowance look like visits nobody wanted: then the ratio says nothing.
  double const least = waited_ ? 0.6 : 0.02;
  double const ratio = std::clamp((recent_spent_ + belief * first_ratio) / (recent_promised_ + belief), least, 1.2);
  waited_ = false;
  double const wanted = price_for(target / ratio, feeds);
  // Half way, in proportion: yesterday's surprise is not tomorrow's.
  price_ = priced_ && !afresh ? std::sqrt(price_ * wanted) : wanted;
  promised_ = units_an_hour(price_, feeds);
  priced_ = true;
  last_review_ = now;
  next_review_ = now + review_every;
  spent_at_review_ = spent_;
}

std::string visit_price::state() const {
  byte_writer out{version};
  for (double const x : {an_hour_, from_, start_, accrued_before_ + granted_ - spent_, spent_ - spent_at_review_,
                         price_, next_review_, last_review_, promised_, recent_spent_, recent_promised_})
    out.put(priced_ ? x : 0.0);
  for (double const x : week_) out.put(x);
  for (double const x : lived_) out.put(x);
  for (float const x : expected_) out.put(x);
  return std::move(out).bytes();
}

bool visit_price::restore(std::string_view bytes) {
  byte_reader in{bytes, version};
  visit_price other{0.0, 0.0, slack_};
  double since_review = 0.0;
  for (double* const x :
       {&other.an_hour_, &other.from_, &other.start_, &other.accrued_before_, &since_review, &other.price_,
        &other.next_review_, &other.last_review_, &other.promised_, &other.recent_spent_, &other.recent_promised_})
    in.get(*x);
  // Bytes a day are counted too, so these may be large; what cannot be is less than nothing.
  for (double& x : other.week_) in.get(x);
  for (double& x : other.lived_) in.get_count(x);
  for (float& x : other.expected_) in.get_count(x);
  bool const sound = other.an_hour_ >= 0.0 && other.price_ > 0.0 && other.promised_ >= 0.0 &&
                     other.recent_spent_ >= 0.0 && other.recent_promised_ >= 0.0 &&
                     std::all_of(other.week_.begin(), other.week_.end(), [](double x) { return x >= 0.0; });
  if (!in.complete() || !sound) return false;
  if (an_hour_ > 0.0) other.an_hour_ = an_hour_;
  other.spent_at_review_ = -since_review;
  other.priced_ = true;
  *this = other;
  return true;
}

}  // namespace cistern::sync::schedule
