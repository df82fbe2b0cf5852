#include "sync/search/search.hpp"

#include "store/errc.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/resource.h>
#include <unistd.h>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;

constexpr int most_asking = 16;
constexpr auto after_trouble = 60s;
constexpr std::chrono::milliseconds longest_rest = 1h;
constexpr int most_rebuilds = 3;  // of an index that is damaged again and again: then the disk is to blame

net::awaitable<store::result<store::search_results>> look(store::search_index& index, store::search_question question) {
  co_return index.find(question);
}

struct counted {
  explicit counted(std::atomic<int>& number) : count{number} { ++count; }
  ~counted() { --count; }
  counted(counted const&) = delete;
  counted& operator=(counted const&) = delete;
  std::atomic<int>& count;
};

}  // namespace

search::search(store::repository& kept, search_settings settings)
    : kept_{kept}, settings_{std::move(settings)}, index_{{.folder = kept.path()}} {}

search::~search() { close(); }

void search::close() {
  kept_.when_marked({});
  {
    std::scoped_lock const lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  desk_.join();
}

void search::start() {
  start_when_needed();
  {
    std::scoped_lock const lock{mutex_};
    if (std::exchange(wanted_, true)) return;
    rung_ = true;
  }
  wake_.notify_all();
}

/// Without opening the index, so it is taken for what it should be: the next who opens it will see.
bool search::has_work() {
  bool marked = false;
  auto const looked = kept_.scan<store::search_mark>({}, [&](store::search_mark const&) {
    marked = true;
    return false;
  });
  auto const begun = kept_.get<store::setting>(store::search_state_name);
  return marked || !looked || !begun || !*begun || index_.file_bytes() == 0;
}

void search::start_when_needed() {
  std::scoped_lock const lock{mutex_};
  if (std::exchange(started_, true)) return;
  if (!settings_.enabled) {
    // What is not marked from now on would be missing when it is switched on again: then it is built anew.
    auto const forget = [](store::write_batch& b) { return b.erase<store::setting>(store::search_state_name); };
    kept_.write(forget, [](store::result<bool> const&) {});
    index_.remove();
    return;
  }
  kept_.when_marked([this] {
    {
      std::scoped_lock const ringing{mutex_};
      rung_ = true;
    }
    wake_.notify_all();
  });
  rung_ = has_work();
  thread_ = std::thread{[this] { loop(); }};
}

bool search::finish(std::chrono::seconds at_most) {
  std::unique_lock lock{mutex_};
  hurried_ = true;
  wake_.notify_all();
  return wake_.wait_for(lock, at_most, [this] { return !thread_.joinable() || (calm_ && !rung_); });
}

void search::rebuild() {
  start();
  {
    std::scoped_lock const lock{mutex_};
    rebuild_ = rung_ = true;
    walk_ = {.walking = true};
  }
  wake_.notify_all();
}

search_state search::state() {
  start();
  search_state out{.enabled = settings_.enabled};
  {
    std::scoped_lock const lock{mutex_};
    out.ready = ready_;
    out.walk = walk_;
    out.walk.walking = walk_.walking || rebuild_;
    out.trouble = trouble_;
  }
  if (auto const usage = kept_.measure()) out.waiting = usage->search_marks;
  if (auto const count = out.ready ? index_.documents() : 0) out.documents = *count;
  out.bytes = index_.file_bytes();
  return out;
}

net::awaitable<store::result<store::search_results>> search::find(store::search_question question) {
  if (closed()) co_return store::make_error_code(store::errc::closed);
  start();
  counted const one{asking_};
  if (asking_ > most_asking) co_return store::make_error_code(store::errc::in_use);
  auto looking = look(index_, std::move(question));
  auto found = co_await net::co_spawn(desk_, std::move(looking), net::use_awaitable);
  if (!found && found.error() == store::errc::damaged) rebuild();
  co_return found;
}

bool search::closed() {
  std::scoped_lock const lock{mutex_};
  return stopping_;
}

bool search::pause(std::chrono::milliseconds at_most) {
  std::unique_lock lock{mutex_};
  calm_ = true;
  wake_.notify_all();
  wake_.wait_for(lock, at_most, [this] { return stopping_ || rung_; });
  calm_ = false;
  return !stopping_;
}

void search::note(indexer const& indexing, std::string trouble) {
  std::scoped_lock const lock{mutex_};
  walk_ = indexing.walk();
  trouble_ = std::move(trouble);
}

/// A damaged index is made again; anything else is waited for.
bool search::recover(indexer& indexing, boost::system::error_code why) {
  for (int tries = 0; why == store::errc::damaged && tries < most_rebuilds; ++tries) {
    spdlog::warn("search.rebuild why={}", "damaged");
    auto const again = indexing.rebuild();
    if (again) return true;
    why = again.error();
  }
  spdlog::error("search.failed error={}", log_value(why.message()));
  note(indexing, why.message());
  {
    std::scoped_lock const lock{mutex_};
    rung_ = false;
  }
  return false;
}

/// Until nothing is left to do or it is over.
bool search::work(indexer& indexing) {
  bool was_walking = false;
  int damages = 0;
  for (;;) {
    bool anew = false;
    {
      std::scoped_lock const lock{mutex_};
      if (stopping_) return true;
      rung_ = false;
      anew = std::exchange(rebuild_, false);
      if (anew) walk_ = {.walking = true};
    }
    if (anew) {
      auto const fresh = indexing.rebuild();
      if (!fresh && !recover(indexing, fresh.error())) return false;
    }
    auto const more = indexing.step();
    if (!more && (++damages > most_rebuilds || !recover(indexing, more.error()))) return false;
    auto const walk = indexing.walk();
    if (was_walking && !walk.walking)
      spdlog::info("search.built looked_at={} bytes={}", walk.done, index_.file_bytes());
    was_walking = walk.walking;
    note(indexing, {});
    if (more && *more == indexing_step::done) return true;
  }
}

void search::loop() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10);  // of this thread: whoever serves goes first
  indexer indexing{kept_, index_, settings_.limits};
  if (!pause(longest_rest)) return;  // for the first who wants something
  for (;;) {
    auto opened = indexing.begin();
    bool const open = opened || recover(indexing, opened.error());
    // Damage that nobody has met yet is found now, before somebody is told that there is nothing.
    auto const whole = open ? index_.check([this] {
      std::scoped_lock const lock{mutex_};
      return stopping_;
    })
                            : store::result<void>{};
    bool const good = open && (whole || whole.error() != store::errc::damaged || recover(indexing, whole.error()));
    {
      std::scoped_lock const lock{mutex_};
      ready_ = good;
      walk_ = indexing.walk();
      if (stopping_) return;
    }
    while (good) {
      auto const calm = work(indexing);
      if (!pause(calm ? longest_rest : std::chrono::milliseconds{after_trouble})) return;
      if (!calm) break;
      // What arrives together is written together.
      std::unique_lock lock{mutex_};
      if (wake_.wait_for(lock, settings_.gather, [this] { return stopping_ || rebuild_ || hurried_; }) && stopping_)
        return;
    }
    if (!good && !pause(after_trouble)) return;
  }
}

}  // namespace cistern::sync
