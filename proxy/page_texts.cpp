#include "proxy/page_texts.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace cistern::proxy {

std::optional<page_texts> page_texts::parse(std::string_view json) {
  boost::system::error_code failed;
  auto const value = boost::json::parse(boost::json::string_view{json.data(), json.size()}, failed);
  if (failed || !value.is_object()) return std::nullopt;
  page_texts out;
  for (auto const& [key, sentence] : value.get_object()) {
    if (!sentence.is_string()) return std::nullopt;
    out.sentences_.emplace(std::string{key}, std::string{sentence.get_string()});
  }
  return out;
}

page_texts page_texts::load(std::filesystem::path const& file) {
  std::ifstream in{file};
  auto made = parse(std::string{std::istreambuf_iterator<char>{in}, {}});
  if (!made)
    throw std::runtime_error{file.string() + " cannot be read; install the web files again or set server.webroot"};
  return std::move(*made);
}

std::string page_texts::say(std::string_view key, arguments filled) const {
  auto const found = sentences_.find(key);
  std::string_view rest = found == sentences_.end() ? key : std::string_view{found->second};
  std::string out;
  while (!rest.empty()) {
    auto const open = rest.find('{');
    out += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    auto const close = rest.find('}', open);
    auto const name = rest.substr(open + 1, close == std::string_view::npos ? 0 : close - open - 1);
    auto const place = rest.substr(open, close == std::string_view::npos ? close : close - open + 1);
    std::string_view value = place;  // what nobody fills stays as it is
    for (auto const& [known, text] : filled)
      if (known == name) value = text;
    out += value;
    rest.remove_prefix(open + place.size());
  }
  return out;
}

std::string page_texts::count(std::string_view key, std::uint64_t n) const {
  return say(std::string{key} + (n == 1 ? ".one" : ".other"), {{"n", std::to_string(n)}});
}

}  // namespace cistern::proxy
