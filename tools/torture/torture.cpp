#include "tools/torture/torture.hpp"

#include "store/check.hpp"
#include "store/repository.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <deque>
#include <future>
#include <map>
#include <optional>
#include <random>

namespace cistern::tools {
namespace {

using namespace store;

constexpr std::uint64_t slots = 64;  // URLs that are written again and again

/// One acknowledged fact, as it goes through the pipe.
struct fact {
  enum class kind : std::uint8_t { stored, partial, erased, queued } what{};
  std::uint64_t slot = 0;
  std::uint64_t version = 0;
  std::uint64_t size = 0;
};

std::string url_of(std::uint64_t slot) { return "http://torture.test/" + std::to_string(slot); }

bool may_be_erased(std::uint64_t slot) { return slot < slots && slot % 2 == 0; }

std::string body_of(std::uint64_t version, std::uint64_t size) {
  std::string out;
  out.reserve(size + 8);
  for (std::uint64_t x = version * 0x9E3779B97F4A7C15ull + 1; out.size() < size;) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    out.append(reinterpret_cast<char const*>(&x), 8);
  }
  out.resize(size);
  return out;
}

header_block version_header(std::uint64_t version) {
  header_block h;
  h.add("X-Version", std::to_string(version));
  return h;
}

/// The child: never returns.
[[noreturn]] void write_until_killed(torture_options const& options, std::uint64_t first_version, std::uint64_t seed,
                                     int pipe) {
  repository repo{{.path = options.path, .quota = options.quota, .map_reserve = 4ull << 30}};
  boost::asio::thread_pool answers{1};  // of this process: a forked child has none of its parent's threads
  std::mt19937_64 random{seed};
  std::deque<std::pair<fact, std::future<bool>>> waiting;
  auto const tell_oldest = [&] {
    auto& [what, done] = waiting.front();
    if (done.get() && ::write(pipe, &what, sizeof what) != sizeof what) ::_exit(1);
    waiting.pop_front();
  };
  auto const later = [&](fact what, auto task, std::size_t cost) {
    auto done = std::make_shared<std::promise<bool>>();
    waiting.emplace_back(what, done->get_future());
    repo.write(
        [task = std::move(task)](write_batch& b) {
          task(b);
          return true;
        },
        boost::asio::bind_executor(answers, [done](result<bool> const& r) { done->set_value(r.has_value()); }), cost);
    if (waiting.size() > 48) tell_oldest();
  };
  for (std::uint64_t version = first_version;; ++version) {
    auto const slot = random() % slots;
    auto const size = random() % 5 == 0 ? random() % 300'000 : random() % 20'000;
    fact what{.slot = slot, .version = version, .size = size};
    switch (random() % 6) {
      case 0: {
        what.what = fact::kind::partial;
        auto body = body_of(version, size);
        auto const piece = 1 + size / 3;
        later(
            what,
            [=, body = std::move(body)](write_batch& b) {
              auto const object = b.begin_object(
                  {.url = url_of(slots + slot), .headers = version_header(version), .keep = retention::pinned});
              for (std::uint64_t at = 0; at < body.size(); at += piece)
                b.append(object.ref, at, std::string_view{body}.substr(at, piece));
              b.finish(object.ref);
            },
            size);
        break;
      }
      case 1:
        what.what = fact::kind::erased;
        what.slot = slot / 2 * 2;
        later(
            what, [=](write_batch& b) { b.erase_url(url_of(what.slot)); }, 0);
        break;
      case 2:
        what.what = fact::kind::queued;
        later(
            what, [=](write_batch& b) { b.enqueue({.url = url_of(slot), .owners = {"torture"}}); }, 0);
        break;
      default: {
        what.what = fact::kind::stored;
        auto body = body_of(version, size);
        later(
            what,
            [=, body = std::move(body)](write_batch& b) {
              b.put_object({.url = url_of(slot), .headers = version_header(version), .keep = retention::pinned}, body);
            },
            size);
      }
    }
  }
}

/// What must be there: the last acknowledged fact of each URL, or something that was written after it.
struct expectation {
  std::map<std::uint64_t, fact> of_url;  // slot, or slots + slot for downloads in pieces
  std::map<std::uint64_t, bool> queued;

  void learn(fact const& f) {
    switch (f.what) {
      case fact::kind::queued:
        queued[f.slot] = true;
        break;
      case fact::kind::partial:
        of_url[slots + f.slot] = f;
        break;
      case fact::kind::stored:
      case fact::kind::erased:
        of_url[f.slot] = f;
        break;
    }
  }
};

std::string verify(repository& repo, expectation const& expected) {
  auto const report = integrity_check{repo}.run();
  if (!report) return "check: " + report.error().message();
  if (!report->clean()) return "check: " + report->problems.front();
  for (auto const& [slot, f] : expected.of_url) {
    auto const found = repo.find(url_of(slot));
    if (!found) return url_of(slot) + ": " + found.error().message();
    auto const& object = *found;
    if (!object) {
      if (may_be_erased(slot)) continue;  // by a deletion that became durable and was not yet told
      return url_of(slot) + " was acknowledged and is gone";
    }
    auto const version = std::stoull(std::string{object->headers.find("X-Version").value_or("0")});
    if (version < f.version) return url_of(slot) + " went back to an older version";
    auto const body = repo.read_body(*object);
    if (!body) return url_of(slot) + ": " + body.error().message();
    if (*body != body_of(version, object->size)) return url_of(slot) + " has wrong bytes";
    if (version == f.version && object->size != f.size) return url_of(slot) + " has the wrong size";
  }
  std::map<std::uint64_t, bool> jobs;
  auto const scanned = repo.scan<job>({}, [&](job const& j) {
    jobs[std::stoull(j.url.substr(j.url.rfind('/') + 1))] = true;
    return true;
  });
  if (!scanned) return "queue: " + scanned.error().message();
  for (auto const& [slot, wanted] : expected.queued)
    if (wanted && !jobs.contains(slot)) return "the job for " + url_of(slot) + " was acknowledged and is gone";
  return {};
}

/// Starts a child, listens, kills it after `life`; what it was told before it died.
std::uint64_t one_life(torture_options const& options, std::uint64_t first_version, std::uint64_t seed,
                       std::chrono::milliseconds life, expectation& expected) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return 0;
  auto const pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    try {
      write_until_killed(options, first_version, seed, ends[1]);
    } catch (std::exception const&) {
      ::_exit(1);
    }
  }
  ::close(ends[1]);
  std::uint64_t told = 0;
  std::optional<std::chrono::steady_clock::time_point> death;
  for (fact f;;) {
    pollfd ready{ends[0], POLLIN, 0};
    auto const now = std::chrono::steady_clock::now();
    int const wait = death ? static_cast<int>(std::max<std::int64_t>(
                                 0, std::chrono::duration_cast<std::chrono::milliseconds>(*death - now).count()))
                           : 10'000;
    if (::poll(&ready, 1, wait) <= 0) break;
    if (::read(ends[0], &f, sizeof f) != sizeof f) break;
    if (!death) death = now + life;  // its life is counted from its first words, so that every life says something
    expected.learn(f);
    ++told;
  }
  ::kill(pid, SIGKILL);
  for (fact f; ::read(ends[0], &f, sizeof f) == sizeof f; ++told) expected.learn(f);
  ::close(ends[0]);
  ::waitpid(pid, nullptr, 0);
  return told;
}

}  // namespace

torture_outcome torture(torture_options const& options, std::function<void(torture_outcome const&)> const& tell) {
  torture_outcome out;
  expectation expected;
  std::mt19937_64 random{options.seed};
  for (; out.cycles < options.cycles && out.failure.empty(); ++out.cycles) {
    std::chrono::milliseconds const life{1 + random() % static_cast<std::uint64_t>(options.longest_ms)};
    auto const first_version = (static_cast<std::uint64_t>(out.cycles) + 1) << 32;
    out.acknowledged += one_life(options, first_version, random(), life, expected);
    try {
      repository repo{{.path = options.path, .quota = options.quota, .map_reserve = 4ull << 30}};
      out.failure = verify(repo, expected);
    } catch (open_error const& e) {
      out.failure = e.what();
    }
    if (tell) tell(out);
  }
  return out;
}

}  // namespace cistern::tools
