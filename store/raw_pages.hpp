#pragma once

/// LMDB's file, read without LMDB: for a file so damaged that LMDB would refuse it or crash on it. Only store/*.cpp
/// includes this file.
///
/// Every number found in the file is taken for a lie until it has been compared with the file's real length, so
/// nothing in it can make this code fail; it only finds less. The layout (LMDB 0.9, data version 1, 64 bits, little
/// endian, the only one Debian's library writes on the machines we run on):
///
///   page      number 8, pad 2, flags 2, lower 2, upper 2 (overflow: pages 4), then node offsets 2 each
///   node      low 2, high 2, flags 2, key size 2, key, data; a branch's low, high, flags are its child's page number
///   big data  the node's data is a page number 8: the bytes follow that page's header without a break
///   meta      after the header: magic 4, version 4, address 8, map size 8, two tables 48 each, last page 8, txn 8
///   table     pad 4 (first one: page size), flags 2, depth 2, branch 8, leaf 8, overflow 8, entries 8, root 8

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace cistern::store {

class raw_pages {
public:
  /// `key` and `value` live for the call.
  using visitor = std::function<void(std::string_view key, std::string_view value)>;

  /// Throws std::system_error when the file cannot be read at all.
  explicit raw_pages(std::filesystem::path const& file);
  ~raw_pages();
  raw_pages(raw_pages const&) = delete;
  raw_pages& operator=(raw_pages const&) = delete;

  /// Whether there is an intact meta page: it is, or was, a file of LMDB's.
  [[nodiscard]] bool has_meta() const { return main_root() != ~0ull; }
  /// The entries of a named table that can be reached from the newest intact meta page, in key order. False when part
  /// of the tree could not be followed.
  bool table(std::string_view name, visitor const& visit);
  /// The entries of every leaf page that `table` did not come by, of whatever table, current or long replaced.
  void strays(visitor const& visit);

private:
  [[nodiscard]] bool load(std::uint64_t number, std::string& into, std::size_t size) const;
  [[nodiscard]] std::uint64_t main_root() const;
  bool tree(std::uint64_t number, int depth, visitor const& visit);
  bool leaf(std::string const& page, visitor const& visit, bool tables_only = false);

  int fd_ = -1;
  std::uint64_t pages_ = 0;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace cistern::store
