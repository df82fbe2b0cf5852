#pragma once

#include "store/tables.hpp"
#include "sync/local_time.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::sync {

inline constexpr std::size_t job_classes = 6;
/// By store::job_class.
template <class T>
using per_class = std::array<T, job_classes>;
constexpr std::size_t index_of(store::job_class purpose) { return static_cast<std::size_t>(purpose); }

/// "people", "feeds", "pages", "requisites", "homepages", "enclosures".
[[nodiscard]] std::string_view class_name(store::job_class purpose);
[[nodiscard]] std::optional<store::job_class> class_named(std::string_view name);

/// Bytes in both directions; 0 is no limit.
struct byte_limits {
  std::uint64_t day = 0;
  std::uint64_t month = 0;
};

/// What may be spent when, in the box's own time.
struct budget_rules {
  byte_limits all{};
  per_class<byte_limits> of_class{};
  per_class<std::vector<day_hours>> hours{};  // empty: at any time
  per_class<bool> not_metered{};              // waits while the link is metered
  bool no_metered_images = false;
  unsigned month_starts = 1;  // the day on which the month's bytes are new, as data plans have it: 1 to 28
};

/// What bytes are wanted for.
struct expense {
  store::job_class purpose = store::job_class::page;
  std::uint64_t subscription = 0;
  std::optional<std::uint64_t> daily_limit{};  // the subscription's own (carry_rules)
  bool image = false;
  std::string url{};  // what a grant may name
};

/// The days that `now` belongs to.
struct budget_period {
  std::chrono::local_days day{};
  std::chrono::local_days month{};  // its first day
  bool operator==(budget_period const&) const = default;
};
[[nodiscard]] budget_period period_at(std::chrono::local_seconds time, unsigned month_starts);

/// What was spent in a period.
struct spent_sums {
  struct sums {
    std::uint64_t day = 0;
    std::uint64_t month = 0;
  };
  sums all{};
  per_class<sums> of_class{};
  std::map<std::uint64_t, std::uint64_t> of_subscription{};  // today

  void add(expense const& what, std::uint64_t bytes);
};

struct verdict {
  bool allowed = false;
  std::uint64_t left = 0;  // by the tightest limit; UINT64_MAX without one
  std::string why{};       // when not: a sentence for people
  std::optional<std::chrono::sys_seconds> until{};
};

/// Whether at least `least` bytes may be spent on that. Pure: `spent` is that of now's period.
[[nodiscard]] verdict judge(budget_rules const& rules, spent_sums const& spent, expense const& what,
                            std::chrono::sys_seconds now, local_zone const& zone, bool metered, std::uint64_t least);

/// Whether anything could ever be refused to that.
[[nodiscard]] bool is_limited(budget_rules const& rules, expense const& what);

}  // namespace cistern::sync
