#include "tools/cistern/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>

namespace cistern::tools {
namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    auto const count = ::write(fd, text.data(), text.size());
    if (count <= 0) return;  // a bar is not worth failing for
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

progress::progress(std::string what) : what_{std::move(what)} {
  if (::isatty(STDERR_FILENO)) terminal_ = ::dup(STDERR_FILENO);
}

progress::~progress() {
  finish();
  if (terminal_ >= 0) ::close(terminal_);
}

void progress::tell(std::uint64_t done, std::uint64_t of) {
  if (of == 0) return;
  auto const percent = std::min<std::uint64_t>(100, done * 100 / of);
  auto const step = terminal_ >= 0 ? percent : percent / 10 * 10;
  if (step <= shown_) return;
  shown_ = step;
  if (terminal_ < 0) {
    std::cout << what_ << ' ' << step << "%" << std::endl;
    return;
  }
  constexpr std::size_t width = 40;
  auto const filled = static_cast<std::size_t>(percent) * width / 100;
  write_all(terminal_, '\r' + what_ + " [" + std::string(filled, '#') + std::string(width - filled, ' ') + "] " +
                           std::to_string(percent) + '%');
}

void progress::finish() {
  if (terminal_ >= 0 && shown_ > 0) write_all(terminal_, "\r\033[K");
  shown_ = 0;
}

}  // namespace cistern::tools
