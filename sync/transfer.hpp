#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/object.hpp"
#include "store/repository.hpp"
#include "sync/result.hpp"

namespace cistern::sync {

/// What an origin answered, as far as it concerns those who read it.
struct arrived_head {
  unsigned status = 0;
  store::header_block fields{};  // end-to-end ones
  std::chrono::sys_seconds requested{};
  std::chrono::sys_seconds responded{};
  std::optional<std::uint64_t> content_length{};
  bool has_body = false;
  bool storing = false;         // on its way into the repository: others may share it
  store::header_block sent{};   // the request's fields: what Vary is measured by
  bool private_origin = false;  // it came from this machine or a network of its own
};

/// How the wait for a head ended.
enum class arrival_kind {
  interim,    // a 1xx passed: `head` is its own; the answer is still to come
  streaming,  // `head` is there and the body can be read
  freshened,  // a stored response was validated and is good again: `object`
  failed,     // nothing came: `error`
};

/// One download that any number of readers follow, each at its own pace, on any thread. Bytes stay in memory until they
/// are durable in the repository or, when they are not being stored, until every reader has them; so memory is bounded,
/// and a slow reader of something that is stored never slows the link down.
/// The producer's calls are made by sync/downloads.cpp.
class transfer : public std::enable_shared_from_this<transfer> {
public:
  explicit transfer(store::repository& kept) : kept_{kept} {}

  struct arrival_news {
    arrival_kind kind = arrival_kind::failed;
    arrived_head head{};
    std::optional<store::stored_object> object{};
    boost::system::error_code error{};
  };
  /// Waits for the head, at most `patience`; nothing when that passed first. Who counts the interim answers it has
  /// `seen` is told of the next one before.
  boost::asio::awaitable<std::optional<arrival_news>> wait_for_head(std::chrono::milliseconds patience,
                                                                    std::size_t* seen = nullptr);

  /// A place in the body. Ends the interest in it when destroyed. Belongs to one thread.
  class reader {
  public:
    explicit reader(std::shared_ptr<transfer> from);
    reader(reader&& other) noexcept = default;
    reader& operator=(reader&&) = delete;
    ~reader();
    /// From the first byte on unless said otherwise; forwards only.
    void seek(std::uint64_t offset);
    /// 0 is the end, which comes only once what is being stored is durable.
    boost::asio::awaitable<result<std::size_t>> read_some(std::span<char> into);

  private:
    friend class transfer;
    struct place {
      std::uint64_t offset;
    };
    std::shared_ptr<transfer> from_;
    std::list<place>::iterator at_;
    std::optional<store::body_reader> stored_;
  };

  /// Until it ended, well or not.
  boost::asio::awaitable<void> wait_for_end();
  /// The complete object, once the end was seen and if it was stored.
  [[nodiscard]] std::optional<store::stored_object> stored();
  /// Bytes there are so far, from the first one on.
  [[nodiscard]] std::uint64_t position();
  /// Bytes that this fetch added to what the repository has of the entity.
  [[nodiscard]] std::uint64_t gained();
  /// Bytes of the body that are still to come, where the head said how many there are.
  [[nodiscard]] std::optional<std::uint64_t> missing();

  // The producer's side.
  /// Before `announce`: the body goes on behind what is stored.
  void continue_behind(store::stored_object const& partial);
  /// Before the first of `durable`: what was there before.
  void had(std::uint64_t size);
  void pass_interim(unsigned status, store::header_block fields);
  void announce(arrived_head head);
  void freshen(store::stored_object object);
  void fail(boost::system::error_code why);
  void publish(std::string bytes);
  /// That much of the body is in the repository under this object.
  void durable(store::stored_object const& object, std::uint64_t size);
  void stop_storing();
  /// `object` when it was stored.
  void finish(std::optional<store::stored_object> object = {});
  /// Waits until there is room for more; false when nobody reads any more and nothing is stored.
  boost::asio::awaitable<bool> wait_for_room();
  [[nodiscard]] std::size_t readers();

private:
  friend class reader;
  using lock = std::unique_lock<std::mutex>;
  boost::asio::awaitable<void> wait_for_change(lock held, std::chrono::steady_clock::time_point until);
  void wake_all(lock& held);
  void drop_what_is_not_needed();

  store::repository& kept_;
  std::mutex mutex_;
  bool decided_ = false;
  bool ended_ = false;
  bool storing_ = false;
  std::vector<arrived_head> interims_;
  arrival_news news_;
  boost::system::error_code broken_;
  std::deque<std::string> window_;
  std::uint64_t window_start_ = 0;  // offset of the window's first byte
  std::uint64_t window_size_ = 0;
  std::uint64_t durable_ = 0;
  std::uint64_t had_ = 0;
  store::stored_object object_;
  std::optional<store::stored_object> finished_;
  std::list<reader::place> places_;
  std::vector<std::shared_ptr<boost::asio::steady_timer>> waiting_;
};

}  // namespace cistern::sync
