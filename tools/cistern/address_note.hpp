#pragma once

/// Beside the repository lies a note that says where the daemon which has it open listens, so that `cistern add --data
/// DIR` finds it whatever its port is. A note that was left behind by a power cut names a daemon that does not answer.

#include <filesystem>
#include <optional>
#include <string>

namespace cistern::tools {

/// Written when made, removed when destroyed. A folder that cannot be written to has no note.
class address_note {
public:
  address_note(std::filesystem::path const& data, std::string const& address);
  ~address_note();
  address_note(address_note const&) = delete;
  address_note& operator=(address_note const&) = delete;

private:
  std::filesystem::path file_;
};

[[nodiscard]] std::optional<std::string> noted_address(std::filesystem::path const& data);

}  // namespace cistern::tools
