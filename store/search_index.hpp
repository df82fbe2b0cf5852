#pragma once

/// The full-text index: a file of its own beside the repository (search.db, SQLite with FTS5), made from what is stored
/// and made again from it whenever it is lost, damaged or of another version. Nothing is only here.
///
/// A document is what one search result shows: a stored page, an item, or both when the item's link leads to the page.

#include "store/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::store {

/// An item in the index: which document it belongs to, and by which address it came there.
struct indexed_item {
  std::string item{};      // its key in the repository
  std::string document{};  // the document's name
  std::string link{};      // normalised; a redirect stored there later may lead elsewhere
  std::uint64_t subscription = 0;
};

struct search_document {
  std::string name{};  // one for each: the address of the page, or one made from the item's key
  std::string url{};
  std::string host{};
  std::string title{};
  std::string text{};
  std::chrono::sys_seconds when{};
  bool page = false;   // it is stored as a page
  std::string item{};  // the key of the item that stands for it; empty when there is none
};

/// What may be done inside one transaction of the index. Failures leave as exceptions that `search_index::write`
/// catches.
class search_batch {
public:
  [[nodiscard]] std::optional<indexed_item> find_item(std::string_view item);
  [[nodiscard]] std::vector<indexed_item> items_of(std::string_view document);
  [[nodiscard]] std::vector<indexed_item> items_linking(std::string_view link);
  void put_item(indexed_item const& item);
  void erase_item(std::string_view item);
  void put(search_document const& document);
  void erase(std::string_view document);
  /// Facts of the indexer's own, in the same transaction.
  [[nodiscard]] std::string note(std::string_view name);
  void set_note(std::string_view name, std::string_view value);

private:
  friend class search_index;
  struct connection;
  explicit search_batch(connection& writing) : in_{writing} {}
  connection& in_;
};

/// Where a page of results ended.
struct search_cursor {
  double rank = 0;
  std::int64_t document = 0;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<search_cursor> read(std::string_view text);
};

enum class search_order : std::uint8_t { best, newest };

struct search_question {
  std::string words{};                         // as they were typed (store/search_query.hpp)
  std::string host{};                          // with its subdomains; empty: any
  std::vector<std::uint64_t> subscriptions{};  // whose items belong to `host` too
  std::optional<std::chrono::sys_seconds> since{};
  std::optional<std::chrono::sys_seconds> before{};
  search_order order = search_order::best;
  std::optional<search_cursor> after{};
  std::size_t limit = 20;
  std::chrono::milliseconds patience{2000};
};

/// Text in pieces: those that were looked for, and what stands between.
struct text_piece {
  std::string text{};
  bool match = false;
};

struct search_hit {
  std::string url{};
  std::string host{};
  std::vector<text_piece> title{};
  std::vector<text_piece> snippet{};
  std::chrono::sys_seconds when{};
  bool page = false;
  std::string item{};
};

struct search_results {
  std::vector<search_hit> hits{};
  std::optional<search_cursor> next{};
};

struct search_index_options {
  std::filesystem::path folder{};
  std::uint64_t cache = 2u << 20;  // bytes, for reading and for writing each
};

/// One thread writes, any thread reads; neither waits for the other. After errc::damaged it answers nothing until
/// `start_anew`.
class search_index {
public:
  explicit search_index(search_index_options options);
  ~search_index();
  search_index(search_index const&) = delete;
  search_index& operator=(search_index const&) = delete;

  /// Makes the file when there is none, or when it is of another version.
  [[nodiscard]] result<void> open();
  /// Deletes the file and makes a new one.
  [[nodiscard]] result<void> start_anew();
  void close();
  /// Closes it and deletes the file.
  void remove();

  /// All of it becomes durable together, or none of it.
  [[nodiscard]] result<void> write(std::function<void(search_batch&)> const& task);
  [[nodiscard]] result<search_results> find(search_question const& question);
  [[nodiscard]] result<std::uint64_t> documents();
  /// Reads the whole file and compares what must agree; `stop` ends it early. errc::damaged when something is wrong.
  /// By the thread that writes.
  [[nodiscard]] result<void> check(std::function<bool()> const& stop);
  [[nodiscard]] std::uint64_t file_bytes() const;
  /// Every document with its items, in the order of names: for whoever compares two indexes.
  [[nodiscard]] result<void> each(
      std::function<void(search_document const&, std::vector<indexed_item> const&)> const& tell);

private:
  void open_files();
  void remove_files() const;

  search_index_options options_;
  std::unique_ptr<search_batch::connection> writing_;
  std::mutex reading_;  // of the connection below
  std::unique_ptr<search_batch::connection> reader_;
};

}  // namespace cistern::store
