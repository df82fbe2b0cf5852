#include "proxy/page_template.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace cistern::proxy {

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char const ch : text) {
    switch (ch) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += ch;
    }
  }
  return out;
}

page_template page_template::load(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in)
    throw std::runtime_error{file.string() +
                             " cannot be read; install Cistern again or set server.webroot to its folder"};
  return page_template{std::string{std::istreambuf_iterator<char>{in}, {}}};
}

std::string page_template::fill(values const& with) const {
  std::string out;
  std::string_view rest{text_};
  for (;;) {
    auto const open = rest.find("{{");
    auto const raw = rest.substr(std::min(open, rest.size())).starts_with("{{{");
    auto const brace = raw ? std::string_view{"}}}"} : std::string_view{"}}"};
    auto const close = open == rest.npos ? rest.npos : rest.find(brace, open);
    if (close == rest.npos) return out.append(rest);
    out += rest.substr(0, open);
    auto const name = rest.substr(open + brace.size(), close - open - brace.size());
    if (auto const found = with.find(name); found != with.end())
      out += raw ? found->second : escape_html(found->second);
    rest.remove_prefix(close + brace.size());
  }
}

}  // namespace cistern::proxy
