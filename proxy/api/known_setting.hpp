#pragma once

#include <string>

namespace cistern::proxy {

/// A line of the configuration, for people to read.
struct known_setting {
  std::string name{};  // "store.quota"
  std::string value{};
  std::string meaning{};
  bool changed = false;  // is not the default
};

}  // namespace cistern::proxy
