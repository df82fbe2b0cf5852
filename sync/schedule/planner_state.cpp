/// What the planner keeps from one run to the next.

#include "sync/schedule/bytes.hpp"
#include "sync/schedule/planner.hpp"

#include <array>

namespace cistern::sync::schedule {
namespace {

constexpr std::uint8_t version = 1;

/// Parts with their lengths in front, all behind one version byte.
template <std::size_t N>
std::string bundled(std::array<std::string, N> const& parts) {
  byte_writer head{version};
  for (auto const& part : parts) head.put(static_cast<std::uint32_t>(part.size()));
  std::string all = std::move(head).bytes();
  for (auto const& part : parts) all += part;
  return all;
}

template <std::size_t N>
std::optional<std::array<std::string_view, N>> unbundled(std::string_view bytes) {
  constexpr std::size_t head = 1 + 4 * N;
  if (bytes.size() < head) return std::nullopt;
  byte_reader in{bytes.substr(0, head), version};
  std::array<std::uint32_t, N> sizes{};
  for (auto& size : sizes) in.get(size);
  if (!in.complete()) return std::nullopt;
  bytes.remove_prefix(head);
  std::array<std::string_view, N> parts;
  for (std::size_t i = 0; i < N; ++i) {
    if (sizes[i] > bytes.size()) return std::nullopt;
    parts[i] = bytes.substr(0, sizes[i]);
    bytes.remove_prefix(sizes[i]);
  }
  if (!bytes.empty()) return std::nullopt;
  return parts;
}

}  // namespace

std::string planner::state(feed_id feed) const {
  auto const& entry = feeds_[feed];
  byte_writer facts{version};
  for (double const x : {entry.changed_bytes, entry.unchanged_bytes, entry.hit_share, entry.window, entry.shown,
                         entry.not_before, static_cast<double>(entry.failures)})
    facts.put(x);
  return bundled<2>({entry.pattern.state(), std::move(facts).bytes()});
}

bool planner::restore_feed(feed_entry& feed, std::string_view bytes) const {
  auto const parts = unbundled<2>(bytes);
  if (!parts) return false;
  byte_reader in{(*parts)[1], version};
  auto read = feed;
  double failures = 0.0;
  for (double* const x :
       {&read.changed_bytes, &read.unchanged_bytes, &read.hit_share, &read.window, &read.shown, &read.not_before})
    in.get_count(*x);
  in.get_count(failures);
  if (!in.complete() || read.hit_share > 1.0 || !read.pattern.restore((*parts)[0], rhythm_)) return false;
  read.failures = static_cast<std::uint32_t>(failures);
  feed = std::move(read);
  return true;
}

std::string planner::shared_state() const { return bundled<3>({rhythm_.state(), link_.state(), price_.state()}); }

bool planner::restore_shared(std::string_view bytes) {
  auto const parts = unbundled<3>(bytes);
  if (!parts) return false;
  auto rhythm = rhythm_;
  auto link = link_;
  auto price = price_;
  if (!rhythm.restore((*parts)[0]) || !link.restore((*parts)[1])) return false;
  // A planner that never planned has no price to hand on.
  if (price.restore((*parts)[2])) price_ = price;
  rhythm_ = rhythm;
  link_ = link;
  return true;
}

}  // namespace cistern::sync::schedule
