#include "proxy/dashboard/static_files.hpp"

#include "store/digest.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace cistern::proxy {
namespace {

constexpr std::uintmax_t largest = 4u << 20;

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> types{{
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
}};

std::string etag_of(std::string_view bytes) {
  auto const sum = store::digest_of(bytes, 0);
  std::string out = "\"";
  for (char const c : sum.view()) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(c));
    out += two;
  }
  return out + '"';
}

static_file read(std::filesystem::path const& path, std::string_view type) {
  std::ifstream in{path, std::ios::binary};
  if (!in)
    throw std::runtime_error{path.string() + " cannot be read; install the web files again or set server.webroot"};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  auto etag = etag_of(bytes);
  return {type, std::move(etag), std::move(bytes)};
}

}  // namespace

static_files::static_files(std::filesystem::path const& folder, std::filesystem::path const& texts) {
  std::error_code error;
  for (auto const& entry : std::filesystem::directory_iterator{folder, error}) {
    auto const ending = entry.path().extension().string();
    for (auto const& [suffix, type] : types)
      if (ending == suffix && entry.is_regular_file() && entry.file_size() <= largest)
        files_.emplace(entry.path().filename().string(), read(entry.path(), type));
  }
  if (error)
    throw std::runtime_error{folder.string() + " cannot be read; install the web files again or set server.webroot"};
  files_["texts.json"] = read(texts, "application/json");
}

static_file const* static_files::find(std::string_view name) const {
  auto const at = files_.find(name);
  return at == files_.end() ? nullptr : &at->second;
}

}  // namespace cistern::proxy
