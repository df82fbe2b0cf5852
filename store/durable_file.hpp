#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace cistern::store {

/// A folder for work that must leave nothing half-done: emptied when it is made, removed at the end.
class scratch_folder {
public:
  /// Throws std::filesystem::filesystem_error.
  explicit scratch_folder(std::filesystem::path path);
  ~scratch_folder();
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// Writes a small file whole or not at all, readable by its owner alone. Throws std::system_error.
void write_durably(std::filesystem::path const& file, std::string_view bytes);

/// Puts `made` in the place of `old` on the same file system: after a power cut there is one or the other, whole.
/// Throws std::system_error.
void replace_durably(std::filesystem::path const& made, std::filesystem::path const& old);

}  // namespace cistern::store
