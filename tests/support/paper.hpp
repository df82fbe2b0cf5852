#pragma once

#include "tests/support/whole_engine.hpp"

#include <atomic>
#include <mutex>

namespace cistern::tests {

/// A small paper whose homepage lists the titles of its feed.
struct paper {
  std::vector<story> stories;
  std::mutex mutex;
  std::atomic<int> homepages{0};
  int version = 1;
  fake_origin origin{[this](fake_exchange& x) { answer(x); }};

  explicit paper(int count) {
    for (int i = count; i > 0; --i) stories.push_back(make(i));
  }
  story make(int number) const {
    auto const n = std::to_string(number);
    return {"id" + n, "Headline number " + n, 10'000 - number * 60, origin.url("/story/" + n),
            "<description>What happened in place " + n + ".</description>"};
  }
  void publish(int number) {
    std::scoped_lock const lock{mutex};
    stories.insert(stories.begin(), make(number));
    stories.pop_back();
    ++version;
  }
  std::string home() const { return origin.url("/"); }

private:
  void answer(fake_exchange& x) {
    std::scoped_lock const lock{mutex};
    if (x.request.target == "/feed") {
      auto const tag = '"' + std::to_string(version) + '"';
      if (x.request.field("If-None-Match") == tag) return x.answer(304, "", "");
      return x.answer(200, "ETag: " + tag + "\r\n", rss(stories));
    }
    if (x.request.target != "/") return x.answer(404, "", "");
    ++homepages;
    std::string page =
        "<!doctype html><html><head><title>Paper</title><link rel='alternate' "
        "type='application/rss+xml' href='/feed'></head><body><h1>Paper</h1><p>Since 1900</p><ul>";
    for (auto const& s : stories) page += "\n<li class='post'><a href='" + s.link + "'>" + s.title + "</a></li>";
    x.answer(200, "Content-Type: text/html\r\n", page + "\n</ul><footer>The end</footer></body></html>");
  }
};

}  // namespace cistern::tests
