#include "stitch/html/references.hpp"
#include "stitch/rewrite.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

bool inside(std::string_view absolute, std::string& out) {
  auto const slashes = absolute.find("//") + 2;
  auto const end = std::min(absolute.find_first_of("/?#", slashes), absolute.size());
  if (absolute.substr(0, end).ends_with(".in")) return false;
  out.append("http://").append(absolute.substr(slashes, end - slashes)).append(".in").append(absolute.substr(end));
  return true;
}

}  // namespace

// Whatever the page: rewriting it once more changes nothing.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cistern::stitch;
  std::string_view const page{reinterpret_cast<char const*>(data), size};
  html::rewrite_options options;
  options.page_url = "https://a.test/x/";
  auto const once = html::rewritten(page, options, inside);
  if (!once) return 0;
  options.content_type = "text/html; charset=utf-8";
  auto const twice = html::rewritten(*once, options, inside);
  if (!twice || *twice != *once) std::abort();
  auto const sheet = css::rewritten(page, {"https://a.test/x/", "text/css; charset=utf-8"}, inside);
  if (css::rewritten(sheet, {"https://a.test/x/", "text/css; charset=utf-8"}, inside) != sheet) std::abort();
  return 0;
}
