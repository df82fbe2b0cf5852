#pragma once

/// Homepages at sync time: when one is downloaded for learning, what is kept of it, and how the news of its feeds are
/// stitched into it. Nothing of this ever happens on a hit.
///
/// A stitched page is stored under a name of its own (`stitched_name`), never as the origin's copy, and is never a
/// snapshot. What is learned is not kept but the evidence is: which stored versions of the page belong with which
/// items, so that a better method learns more from the same.

#include "stitch/template/stitch.hpp"
#include "store/repository.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace cistern::sync {

struct homepage_settings {
  std::uint32_t versions = 8;                                // kept of each
  std::size_t snapshots = 3;                                 // learned from
  std::chrono::seconds second_look = std::chrono::hours{1};  // after the first, once there is news
  std::chrono::seconds daily = std::chrono::hours{24};       // while stitching is not good enough
  std::chrono::seconds seldom = std::chrono::hours{24 * 5};
  std::chrono::seconds rarely = std::chrono::hours{24 * 14};  // while it is as good as the page
  double threshold = 0.5;                                     // of confidence, below which it declines
};

/// The name under which the page of that URL lies once the news are stitched in.
[[nodiscard]] std::string stitched_name(std::string_view homepage);

/// What a homepage is stitched from: the stored versions that are learned from, with the feeds of their times.
struct homepage_material {
  std::optional<store::page_template> learned{};
  std::vector<std::chrono::sys_seconds> measured{};      // when the last accuracies were, oldest first
  std::vector<stitch::templates::snapshot> snapshots{};  // oldest first
  std::vector<stitch::feed::feed> feeds{};               // as they stand now
  std::optional<store::stored_object> newest{};          // the last snapshot's page
};
[[nodiscard]] homepage_material material_for(store::repository& kept, std::string const& homepage);

/// How surely a page must be known to be stitched. Nothing: somebody who carries it wants it as it is served.
[[nodiscard]] std::optional<double> stitching_threshold(store::repository& kept, std::string const& homepage,
                                                        homepage_settings const& settings);

/// Who wants a homepage that is to be learned anew.
[[nodiscard]] std::string relearning_owner(std::uint64_t subscription);
[[nodiscard]] bool is_relearning(store::job const& job);

/// Whether the homepage is worth a download now: it is new, it has changed by more than stitching knows, or its
/// template is due for a check.
[[nodiscard]] bool homepage_due(store::repository& kept, store::subscription const& feed, bool has_news,
                                std::chrono::sys_seconds now, homepage_settings const& settings);

/// A homepage was downloaded (`page`): how far the stitched one was off, and the evidence with this version added.
/// Reads only; `write_homepage` puts it down. `afresh`: earlier versions are no evidence any more.
struct homepage_news {
  store::page_template learned{};
  std::vector<std::uint64_t> subscriptions{};  // that have this homepage
  std::optional<double> accuracy{};            // of the page that was stitched before
};
[[nodiscard]] homepage_news learn_homepage(store::repository& kept, store::stored_object const& page,
                                           std::chrono::sys_seconds now, homepage_settings const& settings,
                                           bool afresh = false);
void write_homepage(store::write_batch& batch, homepage_news const& news, std::string const& url, std::uint64_t bytes,
                    std::chrono::sys_seconds now);

/// The homepage with all news of its feeds in it; nothing when it declines, with the reason in `why`.
struct stitched_page {
  store::object_head head{};
  std::string body{};
  double confidence = 0;
  std::uint64_t full_bytes = 0;  // what a download of the page cost the last time
};
[[nodiscard]] std::optional<stitched_page> stitch_homepage(store::repository& kept, store::subscription const& feed,
                                                           std::chrono::sys_seconds now,
                                                           homepage_settings const& settings, std::string& why);

}  // namespace cistern::sync
