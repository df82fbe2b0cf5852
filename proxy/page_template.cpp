#include "proxy/page_template.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace cistern::proxy {
namespace {

constexpr int deepest = 16;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// From the innermost scope outwards; null when nobody has it.
template <class Value>
Value const* look_up(std::vector<page_values const*> const& scope,
                     std::map<std::string, Value, std::less<>> page_values::*member, std::string const& name) {
  for (auto it = scope.rbegin(); it != scope.rend(); ++it) {
    auto const& map = (*it)->*member;
    if (auto const found = map.find(name); found != map.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
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
      case '\0':
        out += "\xEF\xBF\xBD";
        break;
      default:
        out += ch;
    }
  }
  return out;
}

page_template::page_template(std::string text) {
  if (auto parsed = parse(text))
    *this = std::move(*parsed);
  else
    nodes_.push_back({node::kind::text, std::move(text), {}});
}

std::optional<page_template> page_template::parse(std::string_view text) {
  page_template out;
  if (!parse_nodes(text, {}, out.nodes_, 0)) return std::nullopt;
  return out;
}

page_template page_template::load(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in)
    throw std::runtime_error{file.string() +
                             " cannot be read; install Cistern again or set server.webroot to its folder"};
  return page_template{std::string{std::istreambuf_iterator<char>{in}, {}}};
}

bool page_template::parse_nodes(std::string_view& rest, std::string_view section, std::vector<node>& into, int depth) {
  using kind = node::kind;
  if (depth > deepest) return false;
  while (!rest.empty()) {
    auto const open = rest.find("{{");
    bool const as_it_is = open != rest.npos && rest.substr(open).starts_with("{{{");
    std::string_view const brace = as_it_is ? "}}}" : "}}";
    auto const close = open == rest.npos ? rest.npos : rest.find(brace, open);
    if (close == rest.npos) {
      into.push_back({kind::text, std::string{rest}, {}});
      rest = {};
      break;
    }
    if (open != 0) into.push_back({kind::text, std::string{rest.substr(0, open)}, {}});
    auto const tag = trimmed(rest.substr(open + brace.size(), close - open - brace.size()));
    rest.remove_prefix(close + brace.size());
    char const sign = tag.empty() ? ' ' : tag.front();
    auto const name = trimmed(tag.substr(sign == '#' || sign == '^' || sign == '/' ? 1 : 0));
    if (sign == '/') return !section.empty() && name == section;
    if (sign == '#' || sign == '^') {
      into.push_back({sign == '#' ? kind::section : kind::without, std::string{name}, {}});
      if (!parse_nodes(rest, name, into.back().inside, depth + 1)) return false;
    } else {
      into.push_back({as_it_is ? kind::raw : kind::escaped, std::string{name}, {}});
    }
  }
  return section.empty();
}

std::string page_template::fill_all(page_values const& with) const {
  std::string out;
  scope all{&with};
  fill_nodes(nodes_, all, out);
  return out;
}

void page_template::fill_nodes(std::vector<node> const& nodes, scope& with, std::string& out) {
  for (auto const& n : nodes) {
    if (n.what == node::kind::text) {
      out += n.text;
    } else if (n.what == node::kind::section || n.what == node::kind::without) {
      fill_section(n, with, out);
    } else if (auto const* text = look_up(with, &page_values::texts, n.text)) {
      out += n.what == node::kind::raw ? *text : escape_html(*text);
    }
  }
}

void page_template::fill_section(node const& section, scope& with, std::string& out) {
  auto const* list = look_up(with, &page_values::lists, section.text);
  auto const* text = look_up(with, &page_values::texts, section.text);
  bool const is_there = (list && !list->empty()) || (text && !text->empty());
  if (section.what == node::kind::without) {
    if (!is_there) fill_nodes(section.inside, with, out);
  } else if (list && !list->empty()) {
    for (auto const& entry : *list) {
      with.push_back(&entry);
      fill_nodes(section.inside, with, out);
      with.pop_back();
    }
  } else if (is_there) {
    fill_nodes(section.inside, with, out);
  }
}

}  // namespace cistern::proxy
