#pragma once

/// Search over everything that is stored. One thread, of low priority, keeps the index up to date; another answers
/// questions, so that no thread that serves ever waits for either.

#include "store/repository.hpp"
#include "store/search_index.hpp"
#include "sync/search/indexer.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace cistern::sync {

struct search_settings {
  bool enabled = true;
  document_limits limits{};
  std::chrono::milliseconds gather{500};  // what arrives within it is indexed together
};

struct search_state {
  bool enabled = true;
  bool ready = false;  // questions can be asked
  std::uint64_t documents = 0;
  std::uint64_t waiting = 0;  // changes that are not in it yet
  walk_state walk{};          // while it is built anew
  std::uint64_t bytes = 0;    // of the file
  std::string trouble{};      // why nothing is indexed right now
};

class search {
public:
  search(store::repository& kept, search_settings settings);
  ~search();
  search(search const&) = delete;
  search& operator=(search const&) = delete;

  /// From now on the index follows the repository. Asking for anything below starts it too.
  void start();
  /// The same, but the index is not even opened before there is something to put into it: for a command that may well
  /// bring nothing new.
  void start_when_needed();
  /// Waits until all that is marked is in the index, or until that has to wait for something else; not for longer than
  /// told: then false. What is left is done by whoever starts next.
  bool finish(std::chrono::seconds at_most);
  /// Any executor. errc::in_use when too many ask at once, errc::closed when there is no index (yet).
  boost::asio::awaitable<store::result<store::search_results>> find(store::search_question question);
  /// Any thread.
  [[nodiscard]] search_state state();
  /// Builds the index anew, in the background. Any thread.
  void rebuild();
  /// Ends all of it once the questions under way are answered. Before the executors that ask are gone.
  void close();

private:
  void loop();
  [[nodiscard]] bool closed();
  [[nodiscard]] bool has_work();
  /// False when it is over.
  bool pause(std::chrono::milliseconds at_most);
  bool work(indexer& indexing);
  bool recover(indexer& indexing, boost::system::error_code why);
  void note(indexer const& indexing, std::string trouble);

  store::repository& kept_;
  search_settings settings_;
  store::search_index index_;
  boost::asio::thread_pool desk_{1};
  std::atomic<int> asking_{0};

  std::mutex mutex_;
  std::condition_variable wake_;
  bool started_ = false;
  bool wanted_ = false;  // whether there is something to do or not
  bool calm_ = true;     // nothing is being done
  bool hurried_ = false;
  bool stopping_ = false;
  bool rung_ = false;
  bool rebuild_ = false;
  bool ready_ = false;
  walk_state walk_{};
  std::string trouble_{};
  std::thread thread_;
};

}  // namespace cistern::sync
