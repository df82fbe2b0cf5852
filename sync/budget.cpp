#include "sync/budget.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

// A secure connection and an answer's head cost about this much: with less nothing useful can come.
constexpr std::uint64_t least_useful = 4096;
constexpr std::size_t max_grants = 64;

/// Takes back what did not move; sums that began anew in between never had it.
void subtract(std::uint64_t& from, std::uint64_t bytes) { from -= std::min(from, bytes); }

}  // namespace

/// What one transfer may still move.
class budget::purse final : public allowance {
public:
  purse(budget& from, expense what, std::optional<std::uint64_t> granted)
      : from_{from}, what_{std::move(what)}, granted_{granted} {}
  ~purse() override {
    std::lock_guard const lock{from_.mutex_};
    --from_.open_;
  }
  purse(purse const&) = delete;
  purse& operator=(purse const&) = delete;

  [[nodiscard]] std::size_t take(std::size_t wanted) override {
    std::lock_guard const lock{from_.mutex_};
    auto const bytes = std::min<std::uint64_t>(wanted, left_now());
    if (granted_) *granted_ -= bytes;
    from_.enter_period();
    from_.spent_.add(what_, bytes);
    period_ = *from_.period_;
    return static_cast<std::size_t>(bytes);
  }

  void give_back(std::size_t unused) override {
    std::lock_guard const lock{from_.mutex_};
    if (granted_) *granted_ += unused;
    auto& spent = from_.spent_;
    auto& of_class = spent.of_class[index_of(what_.purpose)];
    if (period_.month == from_.period_->month) {
      subtract(spent.all.month, unused);
      subtract(of_class.month, unused);
    }
    if (period_.day != from_.period_->day) return;
    subtract(spent.all.day, unused);
    subtract(of_class.day, unused);
    if (what_.subscription != 0) subtract(spent.of_subscription[what_.subscription], unused);
  }

  /// Others have an equal claim to what is left.
  [[nodiscard]] std::uint64_t left() const override {
    std::lock_guard const lock{from_.mutex_};
    return granted_ ? *granted_ : left_now() / std::max<std::size_t>(from_.open_, 1);
  }

private:
  [[nodiscard]] std::uint64_t left_now() const {
    if (granted_) return *granted_;
    auto const now = from_.judge_now(what_, 1);
    return now.allowed ? now.left : 0;
  }

  budget& from_;
  expense const what_;
  std::optional<std::uint64_t> granted_;
  budget_period period_{};
};

budget::budget(budget_rules rules, clock const& wall, std::function<bool()> metered, spending_history history,
               local_zone zone)
    : rules_{std::move(rules)},
      wall_{wall},
      metered_{std::move(metered)},
      history_{std::move(history)},
      zone_{std::move(zone)} {}

void budget::enter_period() {
  auto const now = period_at(zone_(wall_.now()), rules_.month_starts);
  if (period_ == now) return;
  // What is under way may not be written down yet: a month that goes on never shrinks.
  auto const before = period_ && period_->month == now.month ? spent_ : spent_sums{};
  spent_ = history_ ? history_(now) : spent_sums{};
  spent_.all.month = std::max(spent_.all.month, before.all.month);
  for (std::size_t i = 0; i < job_classes; ++i)
    spent_.of_class[i].month = std::max(spent_.of_class[i].month, before.of_class[i].month);
  period_ = now;
}

verdict budget::judge_now(expense const& what, std::uint64_t least) {
  enter_period();
  return judge(rules_, spent_, what, wall_.now(), zone_, metered_ && metered_(), least);
}

verdict budget::may_spend(expense const& what) {
  std::lock_guard const lock{mutex_};
  if (auto const found = grant_for(what); found != grants_.end()) return {.allowed = true, .left = found->second};
  return judge_now(what, least_useful);
}

std::shared_ptr<allowance> budget::open(expense what) {
  std::lock_guard const lock{mutex_};
  if (!is_limited(rules_, what)) return nullptr;
  std::optional<std::uint64_t> granted;
  if (auto const found = grant_for(what); found != grants_.end()) {
    granted = found->second;
    grants_.erase(found);
  }
  ++open_;
  return std::make_shared<purse>(*this, std::move(what), granted);
}

budget::grant_map::iterator budget::grant_for(expense const& what) {
  auto const found = what.url.empty() ? grants_.end() : grants_.find(what.url);
  if (found != grants_.end() || what.purpose != store::job_class::person) return found;
  return grants_.find("");
}

void budget::spent(expense const& what, std::uint64_t bytes) {
  std::lock_guard const lock{mutex_};
  enter_period();
  spent_.add(what, bytes);
}

void budget::grant(std::string url, std::uint64_t bytes) {
  std::lock_guard const lock{mutex_};
  if (grants_.size() >= max_grants && !grants_.contains(url)) grants_.erase(grants_.begin());
  grants_[std::move(url)] = bytes;
}

spent_sums budget::sums() {
  std::lock_guard const lock{mutex_};
  enter_period();
  return spent_;
}

budget_period budget::period() {
  std::lock_guard const lock{mutex_};
  enter_period();
  return *period_;
}

}  // namespace cistern::sync
