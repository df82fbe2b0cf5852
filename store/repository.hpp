#pragma once

#include <boost/asio/async_result.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/object.hpp"
#include "store/result.hpp"
#include "store/tables.hpp"
#include "store/write_batch.hpp"
#include "store/write_operation.hpp"

namespace cistern::store {

struct repository_options {
  std::filesystem::path path{};                // a folder; made when it is not there
  std::uint64_t quota = 4ull << 30;            // of used pages; the file may be a little longer
  std::uint64_t map_reserve = 256ull << 30;    // address space; less is taken when the machine has less
  std::uint64_t resident_limit = 32ull << 20;  // of file pages mapped into this process
  bool read_only = false;
  bool search_marks = true;  // write down what a search index has to look at again
};

/// The repository cannot be opened; `what()` is one sentence that says what to do.
struct open_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The data file is damaged or cut short; what is left in it can be saved by `salvage` (store/salvage.hpp).
struct damaged_error : open_error {
  using open_error::open_error;
};

struct usage {
  std::uint64_t objects = 0;
  std::uint64_t body_bytes = 0;  // each shared body once
  std::uint64_t used_bytes = 0;  // pages in use: what the quota counts
  std::uint64_t file_bytes = 0;
  std::uint64_t quota = 0;
  std::uint64_t evicted = 0;
  std::uint64_t quarantined = 0;
  std::uint64_t commits = 0;  // since it was opened
  std::uint64_t items = 0;
  std::uint64_t search_marks = 0;  // what the search index has to look at again
  bool read_only = false;
  boost::system::error_code failure{};  // why the last write failed; none when all is well
};

class repository;

/// Reads one body, chunk by chunk, each in a transaction of its own that ends before `read` returns; so a reader as
/// slow as it likes keeps this one body from being deleted, or a copy of a small one, and costs nothing else. Movable;
/// any thread, one at a time. Must not outlive the repository.
class body_reader {
public:
  body_reader(body_reader&& other) noexcept
      : repository_{std::exchange(other.repository_, nullptr)},
        object_{std::move(other.object_)},
        small_{std::move(other.small_)} {}
  body_reader& operator=(body_reader&& other) noexcept;
  ~body_reader();

  /// Copies from `offset` on into `out` and returns how many bytes; fewer than asked only at the end. Every chunk is
  /// checked on the way: errc::damaged means that the object was quarantined.
  [[nodiscard]] result<std::size_t> read(std::uint64_t offset, std::span<char> out) const;
  [[nodiscard]] std::uint64_t size() const { return object_.size; }

private:
  friend class repository;
  body_reader(repository& owner, stored_object object, std::string small)
      : repository_{&owner}, object_{std::move(object)}, small_{std::move(small)} {}
  repository* repository_;
  stored_object object_;
  std::string small_;  // a whole body that lies with its object: four pages at most
};

/// The one LMDB environment. Any thread may call anything. Reads never wait for writes; a write's caller is told when
/// it is durable and not before.
class repository {
public:
  /// Throws open_error. One process at a time may write.
  explicit repository(repository_options const& options);
  /// Finishes the writes that are waiting.
  ~repository();
  repository(repository const&) = delete;
  repository& operator=(repository const&) = delete;

  /// Chooses among the variants and versions of a URL, newest first; complete objects only.
  using chooser = std::function<bool(stored_object const&)>;

  [[nodiscard]] result<std::optional<stored_object>> find(std::string_view url, chooser const& wanted = {});
  /// The same into `found`, and the whole body into `body` when it is no longer than `most`: one snapshot, no lease,
  /// and no allocation when both were used before. For the hot path. False when there is none.
  [[nodiscard]] result<bool> find_with_body(std::string_view url, chooser const& wanted, std::size_t most,
                                            stored_object& found, std::string& body);
  /// Everything kept of a URL, newest first, incomplete downloads included.
  [[nodiscard]] result<std::vector<stored_object>> versions(std::string_view url);
  [[nodiscard]] result<std::optional<stored_object>> get_object(object_ref const& ref);
  [[nodiscard]] result<body_reader> open_body(stored_object const& object);
  /// A convenience for small bodies.
  [[nodiscard]] result<std::string> read_body(stored_object const& object);
  /// Every object that is stored, or those that follow `after` in the order of keys; `more` returns false to end. Runs
  /// in steps, each in a snapshot of its own.
  [[nodiscard]] result<void> each_object(std::function<bool(stored_object const&)> const& more,
                                         std::optional<object_ref> const& after = {});

  template <table_record T>
  [[nodiscard]] result<std::optional<T>> get(std::string_view key) {
    auto bytes = get_bytes(T::table, key);
    if (!bytes) return bytes.error();
    return decode_or_damaged<T>(*bytes);
  }
  /// Records whose key starts with `prefix` and is not below `from`, in key order, until `more` returns false.
  template <table_record T>
  [[nodiscard]] result<void> scan(std::string_view prefix, std::function<bool(T const&)> const& more,
                                  std::string_view from = {}) {
    return scan_bytes(T::table, prefix, from,
                      [&](std::string_view, std::string_view value) { return more(decode<T>(value)); });
  }
  /// Backwards: records whose key is below `before`, the last first; an empty one stands behind all.
  template <table_record T>
  [[nodiscard]] result<void> scan_back(std::string_view before, std::function<bool(T const&)> const& more) {
    return scan_bytes_back(T::table, before,
                           [&](std::string_view, std::string_view value) { return more(decode<T>(value)); });
  }
  /// Items first seen before `end`, the latest first. Costs a fraction of reading the items.
  [[nodiscard]] result<void> scan_items_back(std::chrono::sys_seconds end,
                                             std::function<bool(listed_item const&)> const& more);

  /// Runs `task` in the writer's next transaction. Completes with result<T> once that is durable.
  /// `cost` is about how many bytes it stores.
  template <class Task, class Token>
  auto write(Task task, Token&& token, std::size_t cost = 0) {
    using value = std::invoke_result_t<Task&, write_batch&>;
    return boost::asio::async_initiate<Token, void(result<value>)>(
        [this, cost](auto handler, Task work) {
          using operation = write_operation_for<value, decltype(handler)>;
          auto made = std::make_unique<operation>(std::move(work), std::move(handler));
          made->cost = cost;
          submit(std::move(made));
        },
        token, std::move(task));
  }

  /// Whole responses, without a task of one's own.
  template <class Token>
  auto put(object_head head, std::string body, Token&& token) {
    auto const cost = body.size();
    return write([whole = prepare(std::move(head), std::move(body))](write_batch& b) { return b.put_object(whole); },
                 std::forward<Token>(token), cost);
  }
  template <class Token>
  auto append(object_ref ref, std::uint64_t offset, std::string bytes, Token&& token) {
    auto const cost = bytes.size();
    return write([ref, offset, bytes = std::move(bytes)](write_batch& b) { b.append(ref, offset, bytes); },
                 std::forward<Token>(token), cost);
  }

  /// Waits until every write that was asked for before has been answered. To be called before an executor goes away
  /// that writes were awaited on.
  void settle();

  /// `ring` is called on the writer's thread after every transaction that marked something for the search index; an
  /// empty one ends that, and none is being called when this returns.
  void when_marked(std::function<void()> ring);

  /// Somebody read it; eviction will remember. Free of cost, and now and then forgotten.
  void note_use(stored_object const& object);

  [[nodiscard]] result<usage> measure();
  /// For a task that puts several, or more than objects, and is to keep the writer's thread as short.
  [[nodiscard]] prepared_object prepare(object_head head, std::string body) const;
  [[nodiscard]] digest url_digest(std::string_view normalised_url) const;
  [[nodiscard]] std::filesystem::path const& path() const;
  /// Writes a copy without free pages to `target`, a folder that must not hold a repository.
  [[nodiscard]] result<void> copy_compact(std::filesystem::path const& target);

  struct internals;  // for store/*.cpp

private:
  friend class body_reader;
  friend class integrity_check;

  template <table_record T>
  static result<std::optional<T>> decode_or_damaged(std::optional<std::string> const& bytes) {
    if (!bytes) return std::optional<T>{};
    try {
      return std::optional<T>{decode<T>(*bytes)};
    } catch (bad_record const&) {
      return damaged();
    }
  }
  static boost::system::error_code damaged();

  void submit(std::unique_ptr<write_operation> operation);
  result<std::optional<std::string>> get_bytes(table_id table, std::string_view key);
  result<void> scan_bytes(table_id table, std::string_view prefix, std::string_view from,
                          std::function<bool(std::string_view, std::string_view)> const& more);
  result<void> scan_bytes_back(table_id table, std::string_view before,
                               std::function<bool(std::string_view, std::string_view)> const& more);
  result<std::size_t> read_chunks(stored_object const& object, std::uint64_t offset, std::span<char> out);
  void release(std::uint64_t body);
  void report_damage(object_ref const& ref, std::string reason);

  std::unique_ptr<internals> in_;
};

}  // namespace cistern::store
