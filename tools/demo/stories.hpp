#pragma once

/// What the newspaper writes about. Every number is another story, and always the same one.

#include <cstdint>
#include <string>
#include <vector>

namespace cistern::demo {

struct story {
  std::uint32_t number = 0;
  std::string title{};
  std::string author{};
  std::string section{};
  std::string summary{};
  std::vector<std::string> paragraphs{};
};

[[nodiscard]] story write_story(std::uint32_t number);

}  // namespace cistern::demo
