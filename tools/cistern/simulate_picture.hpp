#pragma once

/// The lab's picture: mean delay and missing items against the budget, one line a policy, as an SVG that stands alone.

#include "sync/schedule/score.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace cistern::tools {

struct lab_row {
  std::string policy;
  double interval_hours = 0.0;
  double visits_a_feed_a_day = 0.0;
  sync::schedule::score result;
};

[[nodiscard]] std::string draw_picture(std::vector<lab_row> const& rows);
void write_picture(std::filesystem::path const& file, std::vector<lab_row> const& rows);

}  // namespace cistern::tools
