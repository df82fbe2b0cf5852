#pragma once

#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace cistern::tests {

/// Changes a byte in the middle of these, where they lie in the file.
inline void flip_byte(std::filesystem::path const& file, std::string_view among) {
  auto const bytes = read_file(file);
  auto const at = bytes.find(among);
  if (at == bytes.npos) throw std::logic_error{"these bytes are not in the file"};
  std::fstream out{file, std::ios::in | std::ios::out | std::ios::binary};
  out.seekp(static_cast<std::streamoff>(at + among.size() / 2));
  out.put(static_cast<char>(bytes[at + among.size() / 2] ^ 1));
}

}  // namespace cistern::tests
