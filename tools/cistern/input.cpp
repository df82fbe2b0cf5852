#include "tools/cistern/input.hpp"

#include "tools/cistern/command.hpp"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <memory>
#include <system_error>
#include <vector>

namespace cistern::tools {

std::string read_blocks(std::string const& file, std::function<bool(std::string_view)> const& take) {
  struct closer {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, closer> opened;
  std::FILE* from = stdin;
  auto const problem = [&file] {
    return "cannot read " + name_of_input(file) + ": " + std::generic_category().message(errno);
  };
  if (file != "-") {
    opened.reset(std::fopen(file.c_str(), "rb"));
    if (!opened) return problem();
    from = opened.get();
  }
  std::vector<char> block(32 * 1024);
  for (;;) {
    errno = 0;
    auto const got = std::fread(block.data(), 1, block.size(), from);
    if (got > 0 && !take({block.data(), got})) return {};
    if (got < block.size()) return std::ferror(from) ? problem() : std::string{};
  }
}

std::string read_whole(std::string const& file, std::size_t most, std::string& problem) {
  std::string out;
  problem = read_blocks(file, [&](std::string_view bytes) {
    out += bytes;
    return out.size() <= most;
  });
  if (problem.empty() && out.size() > most) problem = name_of_input(file) + " is larger than this command reads";
  return out;
}

std::string name_of_input(std::string const& file) { return file == "-" ? "standard input" : file; }

int fail(std::string const& what) {
  std::cerr << "cistern: " << what << '\n';
  return failed;
}

}  // namespace cistern::tools
