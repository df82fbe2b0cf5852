#pragma once

/// The files of webroot/assets, read once at the start: what is not there then is not served, so no path leads
/// anywhere else.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace cistern::proxy {

struct static_file {
  std::string_view type{};
  std::string etag{};  // in quotes
  std::string bytes{};
};

/// A value: made once, then used from every thread.
class static_files {
public:
  /// Also gives `texts` as "texts.json". Throws std::runtime_error when the folder is not there.
  static_files(std::filesystem::path const& folder, std::filesystem::path const& texts);
  /// Null when there is none of that name.
  [[nodiscard]] static_file const* find(std::string_view name) const;

private:
  std::map<std::string, static_file, std::less<>> files_;
};

}  // namespace cistern::proxy
