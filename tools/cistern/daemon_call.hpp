#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cistern::tools {

struct daemon_answer {
  int status = 0;
  std::string body;
};

/// One request to the daemon that listens on `address` ("127.0.0.1:8910"); nothing when none does.
[[nodiscard]] std::optional<daemon_answer> call_daemon(std::string_view address, std::string_view method,
                                                       std::string_view target, std::string_view body = {});

}  // namespace cistern::tools
