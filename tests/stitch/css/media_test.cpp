#include "stitch/css/media.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::stitch;

TEST_CASE("a media query is judged for the screen it would be used on", "[stitch]") {
  css::screen const screen{.width = 1280, .height = 800, .density = 1};
  auto const [query, holds] = GENERATE(table<std::string, bool>({
      {"", true},
      {"all", true},
      {"screen", true},
      {"only screen", true},
      {"print", false},
      {"print, screen", true},
      {"not print", true},
      {"not screen", false},
      {"(min-width: 600px)", true},
      {"(max-width:600px)", false},
      {"screen and (min-width: 40em) and (max-width: 1280px)", true},
      {"(width >= 600px)", true},
      {"(600px <= width < 1280px)", false},
      {"(width>600px) and (height<=800px)", true},
      {"(min-width: 9999px) or (orientation: landscape)", true},
      {"not (min-width: 9999px)", true},
      {"((min-width: 1px) and (not (max-width: 1px)))", true},
      {"(prefers-color-scheme: dark)", false},
      {"(-webkit-min-device-pixel-ratio: 2)", false},
      {"(min-resolution: 96dpi)", true},
      {"(aspect-ratio: 16/10)", true},
      {"(unheard-of: 3)", false},
      {"garbage here", false},
      {"(", false},
      {")(,", false},
      {"screen and", false},
  }));
  INFO(query);
  CHECK(css::media_matches(query, screen) == holds);
}

TEST_CASE("the width of an image is the first of its sizes that applies", "[stitch]") {
  css::screen const screen{.width = 1000, .height = 800, .density = 1};
  auto const [sizes, width] = GENERATE(table<std::string, double>({
      {"", 1000},
      {"50vw", 500},
      {"300px", 300},
      {"20em", 320},
      {"(max-width: 600px) 100vw, 400px", 400},
      {"(min-width: 600px) 25vw, 100vw", 250},
      {"(max-width: 600px) 100vw, (max-width: 900px) 50vw, 30vw", 300},
      {"calc(100vw - 20px)", 1000},
      {"auto", 1000},
      {"nonsense, 10px", 1000},
  }));
  INFO(sizes);
  CHECK(css::source_size(sizes, screen) == width);
}

TEST_CASE("a media query of nothing but parentheses is soon given up", "[stitch]") {
  CHECK_FALSE(css::media_matches(std::string(1u << 20, '('), {}));
  CHECK(css::source_size(std::string(1u << 20, '('), {}) == 1280);
}
