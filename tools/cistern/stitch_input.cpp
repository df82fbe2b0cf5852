#include "tools/cistern/stitch_input.hpp"

#include "proxy/api/lab.hpp"
#include "stitch/feed/reader.hpp"
#include "tools/cistern/input.hpp"

#include <boost/json/serialize.hpp>

#include <fstream>
#include <stdexcept>

namespace cistern::tools {
namespace {

constexpr std::size_t most_bytes = 96U << 20;

std::string whole(std::string const& file) {
  std::string problem;
  auto bytes = read_whole(file, most_bytes, problem);
  if (!problem.empty()) throw std::runtime_error{problem};
  return bytes;
}

}  // namespace

stitch::html::document load_page(std::string const& file) {
  auto page = stitch::html::document::parse(whole(file));
  if (!page) throw std::runtime_error{file + ": " + page.error().message()};
  return *page;
}

stitch::feed::feed load_feed(std::string const& file, std::string const& base) {
  stitch::feed::reader_options options;
  options.base = base;
  auto feed = stitch::feed::parse(whole(file), std::move(options));
  if (!feed) throw std::runtime_error{file + " is " + feed.error().message()};
  return std::move(*feed);
}

stitch::templates::snapshot load_snapshot(std::vector<std::string> const& files, std::string const& base) {
  if (files.size() < 2) throw std::runtime_error{"--snapshot takes a page and the feed of the same time"};
  stitch::templates::snapshot out{load_page(files[0]), {}};
  for (std::size_t i = 1; i < files.size(); ++i) out.feeds.push_back(load_feed(files[i], base));
  return out;
}

void save(std::string const& file, std::string_view bytes) {
  std::ofstream out{file, std::ios::binary};
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  if (!out) throw std::runtime_error{"cannot write " + file};
}

std::string report_json(stitch::templates::outcome const& o) { return boost::json::serialize(proxy::view(o)) + "\n"; }

}  // namespace cistern::tools
