#pragma once

/// Traces of postings for the lab: `source,unix_time` lines under a header, plain or gzipped, with what is known about
/// them in `NAME.meta.json` beside `NAME.csv[.gz]`.

#include "sync/schedule/frozen_plan.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cistern::tools {

struct trace {
  std::vector<std::string> names;  // sorted, one per feed
  std::vector<sync::schedule::feed_history> feeds;
  std::chrono::sys_seconds from{}, until{};
};

/// Reads the trace and, where it exists, its meta file (`period_unix`, `S`). Without a period, whole days from the
/// first posting to the last. Throws with the file and line when something is wrong.
[[nodiscard]] trace read_trace(std::filesystem::path const& file);

/// `what`: a number for all sources, or a file: JSON (`{"source": S}`, or with an "S" inside) or lines `source,S`.
void set_capacities(trace& known, std::string const& what);

/// The sources with a posting before `score_from`.
[[nodiscard]] trace stable_panel(trace const& all, std::chrono::sys_seconds score_from);

/// Writes `source,unix_time` under a header, sorted by source and time, as traces are.
void write_visits(std::filesystem::path const& file, std::vector<std::string> const& names,
                  std::vector<std::vector<std::chrono::sys_seconds>> const& visits);

}  // namespace cistern::tools
