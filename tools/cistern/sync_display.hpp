#pragma once

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace cistern::tools {

/// How a pass goes: a table that stays in place on a terminal (a line a class: done, waiting, bytes; then rate and time
/// left), a plain line every few seconds elsewhere.
class sync_display {
public:
  sync_display();
  void show(boost::json::object const& status);
  void finish(boost::json::object const& status);

private:
  void draw(boost::json::object const& sync);

  bool terminal_;
  int lines_ = 0;  // of the table that stands on the screen
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point told_ = began_;
};

/// "12 feeds, 30 new items, 28 articles whole, 1.2 MiB, 2 failures", of a pass as the journal has it.
[[nodiscard]] std::string summary_of(boost::json::object const& pass);

}  // namespace cistern::tools
