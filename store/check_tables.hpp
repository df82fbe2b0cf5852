#pragma once

/// The part of the check that looks at the typed tables. Only store/*.cpp includes this file.

#include "store/lmdb.hpp"
#include "store/schema.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cistern::store {

struct table_findings {
  std::uint64_t records = 0;
  std::vector<std::pair<table_index, std::string>> bad{};       // keys of records that cannot be read
  std::vector<std::pair<std::string, std::string>> job_urls{};  // the indexes as they should be
  std::vector<std::string> item_times{};
};

/// Decodes every record and compares the two indexes with what they are made from.
[[nodiscard]] table_findings look_at_tables(lmdb::transaction const& txn, table_handles const& tables,
                                            std::uint64_t seed, std::function<void(std::string)> const& problem);
/// Removes what cannot be read and writes the indexes anew.
void repair_tables(lmdb::write_transaction& txn, table_handles const& tables, table_findings const& found);

}  // namespace cistern::store
