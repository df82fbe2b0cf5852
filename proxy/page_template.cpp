#include "proxy/page_template.hpp"

#include "stitch/entities.hpp"

#include <fstream>
#include <stdexcept>

namespace cistern::proxy {
namespace {

constexpr int deepest = 16;

/// From the innermost scope outwards.
template <class Values, class Member>
auto const* look_up(Values const& scope, Member member, std::string const& name) {
  for (auto it = scope.rbegin(); it != scope.rend(); ++it) {
    auto const& map = (*it)->*member;
    if (auto const found = map.find(name); found != map.end()) return &found->second;
  }
  return static_cast<decltype(&((*scope.begin())->*member).begin()->second)>(nullptr);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<page_template> page_template::parse(std::string_view source) {
  page_template out;
  if (!parse_nodes(source, {}, out.nodes_, 0)) return std::nullopt;
  return out;
}

page_template page_template::load(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  std::string const source{std::istreambuf_iterator<char>{in}, {}};
  if (!in.is_open())
    throw std::runtime_error{file.string() + " cannot be read; install the web files again or set server.webroot"};
  auto made = parse(source);
  if (!made) throw std::runtime_error{file.string() + " is no page of ours; install the web files again"};
  return std::move(*made);
}

bool page_template::parse_nodes(std::string_view& rest, std::string_view section, std::vector<node>& into, int depth) {
  if (depth > deepest) return false;
  while (!rest.empty()) {
    auto const open = rest.find("{{");
    if (open != 0) into.push_back({node::kind::text, std::string{rest.substr(0, open)}, {}});
    if (open == std::string_view::npos) break;
    auto const close = rest.find("}}", open);
    if (close == std::string_view::npos) return false;
    auto tag = trimmed(rest.substr(open + 2, close - open - 2));
    rest.remove_prefix(close + 2);
    if (tag.empty()) return false;
    char const sign = tag.front();
    if (sign == '/') return !section.empty() && trimmed(tag.substr(1)) == section;
    if (sign == '&') {
      into.push_back({node::kind::markup, std::string{trimmed(tag.substr(1))}, {}});
      continue;
    }
    if (sign != '#' && sign != '^') {
      into.push_back({node::kind::value, std::string{tag}, {}});
      continue;
    }
    tag = trimmed(tag.substr(1));
    into.push_back({sign == '#' ? node::kind::section : node::kind::without, std::string{tag}, {}});
    if (!parse_nodes(rest, tag, into.back().inside, depth + 1)) return false;
  }
  return section.empty();
}

std::string page_template::render(page_values const& values) const {
  std::string out;
  scope all{&values};
  render_nodes(nodes_, all, out);
  return out;
}

void page_template::render_nodes(std::vector<node> const& nodes, scope& values, std::string& out) {
  for (auto const& n : nodes) {
    if (n.what == node::kind::text) {
      out += n.text;
    } else if (n.what == node::kind::value) {
      if (auto const* text = look_up(values, &page_values::texts, n.text)) out += stitch::escape_anywhere(*text);
    } else if (n.what == node::kind::markup) {
      if (auto const* markup = look_up(values, &page_values::markup, n.text)) out += *markup;
    } else {
      render_section(n, values, out);
    }
  }
}

void page_template::render_section(node const& section, scope& values, std::string& out) {
  auto const* list = look_up(values, &page_values::lists, section.text);
  auto const* text = look_up(values, &page_values::texts, section.text);
  bool const is_there = (list && !list->empty()) || (text && !text->empty());
  if (section.what == node::kind::without) {
    if (!is_there) render_nodes(section.inside, values, out);
  } else if (list && !list->empty()) {
    for (auto const& entry : *list) {
      values.push_back(&entry);
      render_nodes(section.inside, values, out);
      values.pop_back();
    }
  } else if (is_there) {
    render_nodes(section.inside, values, out);
  }
}

}  // namespace cistern::proxy
