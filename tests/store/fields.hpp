#pragma once

#include "store/header_block.hpp"

#include <chrono>
#include <initializer_list>
#include <string_view>
#include <utility>

/// What the tests of the caching rules share.
namespace cistern::store::test {

using namespace std::chrono_literals;

/// 2030-01-01 12:00:00 UTC, "now" in these tests.
inline constexpr std::chrono::sys_seconds noon =
    std::chrono::sys_days{std::chrono::year{2030} / 1 / 1} + std::chrono::hours{12};

inline header_block fields(std::initializer_list<std::pair<std::string_view, std::string_view>> list) {
  header_block out;
  for (auto const& [name, value] : list) out.add(name, value);
  return out;
}

}  // namespace cistern::store::test
