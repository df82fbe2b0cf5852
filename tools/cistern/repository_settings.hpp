#pragma once

#include "store/repository.hpp"
#include "tools/cistern/config.hpp"

namespace cistern::tools {

/// For the daemon and the commands that do its work.
[[nodiscard]] inline store::repository_options repository_options_from(config const& settings);

/// For every command that opens the repository.
[[nodiscard]] inline store::repository_options repository_options_from(store_config const& settings) {
  return {.path = settings.path,
          .quota = settings.quota.count,
          .map_reserve = settings.map_reserve.count,
          .resident_limit = settings.resident_limit.count};
}

store::repository_options repository_options_from(config const& settings) {
  auto out = repository_options_from(settings.store);
  out.search_marks = settings.search.enabled;
  return out;
}

}  // namespace cistern::tools
