#pragma once

/// A small newspaper of our own: a homepage with a main list and a sidebar, articles with pictures, a feed, and a
/// recording. It is what `cistern demo` carries, and the browser tests and the screenshots use the same.
/// A value; whoever shares it between threads locks.

#include "tools/demo/stories.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::demo {

struct document {
  std::string type{};
  std::string body{};
  std::string etag{};
};

class newspaper {
public:
  /// Begins with `stories` stories, the last just now and each an hour after the one before; `first` is the number of
  /// the oldest, so that papers differ.
  newspaper(std::string name, std::chrono::sys_seconds now, std::uint32_t stories = 8, std::uint32_t first = 1);

  [[nodiscard]] std::string const& name() const { return name_; }
  /// The newest story from now on; with its title, when one is given.
  void post(std::chrono::sys_seconds now, std::string title = {});
  /// The newest story comes with a recording.
  void add_recording() {
    with_recording_ = posted_.back().story.number;
    ++version_;
  }

  /// What is at a path; nothing when nothing is. Links are from `origin` ("http://host:port").
  [[nodiscard]] std::optional<document> at(std::string_view path, std::string const& origin) const;

private:
  struct posting {
    demo::story story{};
    std::chrono::sys_seconds when{};
  };
  [[nodiscard]] std::string homepage() const;
  [[nodiscard]] std::string article(posting const& p) const;
  [[nodiscard]] std::string feed(std::string const& origin) const;
  [[nodiscard]] posting const* find(std::string_view number) const;
  [[nodiscard]] std::string tag(std::string_view of) const;

  std::string name_;
  std::uint32_t first_;
  std::vector<posting> posted_;  // oldest first
  std::optional<std::uint32_t> with_recording_{};
  std::uint32_t version_ = 1;
};

}  // namespace cistern::demo
