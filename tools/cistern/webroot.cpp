#include "tools/cistern/webroot.hpp"

#include <system_error>

namespace cistern::tools {

std::filesystem::path find_webroot(std::filesystem::path const& configured) {
  namespace fs = std::filesystem;
  if (!configured.empty()) return configured;
  std::error_code error;
  auto const program = fs::read_symlink("/proc/self/exe", error);
  auto const installed = program.parent_path().parent_path() / "share/cistern/webroot";
  if (!error && fs::is_directory(installed, error)) return installed;
  return CISTERN_SOURCE_WEBROOT;
}

}  // namespace cistern::tools
