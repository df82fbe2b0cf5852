#pragma once

#include "sync/downloads.hpp"

#include <boost/asio/cancellation_signal.hpp>

namespace cistern::sync {

/// One fetch, from the wish to the last byte. Used by downloads alone; lives until `run` has ended.
class errand {
public:
  errand(downloads& owner, wish what, http_client& client, std::shared_ptr<transfer> to);
  ~errand();
  errand(errand const&) = delete;
  errand& operator=(errand const&) = delete;

  boost::asio::awaitable<void> run();
  /// On the thread that runs it, when the link it goes over is gone.
  void abandon();
  /// What it was writing is anybody's to go on with.
  void release_claims();
  [[nodiscard]] boost::asio::cancellation_slot stop_slot() { return stop_.slot(); }
  [[nodiscard]] bool uses(http_client const& client) const { return &client_ == &client; }

  [[nodiscard]] std::string const& url() const { return what_.url; }
  [[nodiscard]] std::shared_ptr<transfer> const& to() const { return to_; }

private:
  boost::asio::awaitable<void> fetch();
  boost::asio::awaitable<void> charge();

  // errand.cpp: which answer it will be
  boost::asio::awaitable<result<std::optional<response>>> get_answer();
  boost::asio::awaitable<result<response>> ask(bool with_conditions);
  boost::asio::awaitable<bool> try_freshen(response const& answer);
  [[nodiscard]] bool proves_itself(response const& answer) const;
  [[nodiscard]] bool is_dated(response const& answer) const;
  void find_partial();
  enum class overlap : std::uint8_t { equal, different };
  boost::asio::awaitable<result<overlap>> go_on_behind(response& answer);
  boost::asio::awaitable<result<overlap>> compare_overlap(response& answer) const;
  boost::asio::awaitable<void> finish_partial();

  // errand_body.cpp: what becomes of it
  void begin(response const& answer);
  void tell_head(response const& answer, unsigned status, store::header_block const& fields);
  boost::asio::awaitable<void> pump(response answer);
  boost::asio::awaitable<bool> save(std::string& block);
  boost::asio::awaitable<boost::system::error_code> keep(std::string& block);
  boost::asio::awaitable<void> end(completeness how, bool has_body, std::string block, std::string last);
  boost::asio::awaitable<void> complete(std::string block, std::string last);
  boost::asio::awaitable<void> break_off(boost::system::error_code why, std::string block, std::string last);
  [[nodiscard]] bool nobody_waits(std::size_t unsaved);
  void claim(std::uint64_t object);
  void forget();

  downloads& owner_;
  wish what_;
  http_client& client_;
  std::shared_ptr<transfer> to_;
  std::string host_{};
  store::header_block sent_{};
  std::chrono::sys_seconds requested_{};
  std::chrono::sys_seconds responded_{};

  std::optional<store::stored_object> partial_{};
  bool borrowed_ = false;  // the partial is another URL's
  std::optional<resume_plan> plan_{};
  resume_verdict verdict_{};
  unsigned patience_ = 0;

  bool storing_ = false;
  bool may_store_ = true;  // false: a portal may have answered
  std::optional<body_keeper> keeper_{};
  std::optional<std::uint64_t> total_{};
  std::set<std::uint64_t> claims_{};
  boost::asio::cancellation_signal stop_{};
  response* arriving_ = nullptr;  // whose body is being read
};

}  // namespace cistern::sync
