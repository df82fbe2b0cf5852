#include "store/header_block.hpp"

#include <algorithm>
#include <utility>

namespace cistern::store {
namespace {

constexpr std::string_view line_end = "\r\n";

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string_view trim(std::string_view text) {
  auto const blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

void append_safely(std::string& out, std::string_view text) {
  for (char const c : text) out += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
}

std::string line(std::string_view name, std::string_view value) {
  std::string out;
  out.reserve(name.size() + value.size() + 4);
  append_safely(out, name);
  out += ": ";
  append_safely(out, value);
  out += line_end;
  return out;
}

}  // namespace

bool same_token(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

void header_block::iterator::read() {
  auto const end = rest_.find(line_end);
  auto const text = rest_.substr(0, end);
  length_ = end == std::string_view::npos ? rest_.size() : end + line_end.size();
  auto const colon = text.find(':');
  current_ =
      colon == std::string_view::npos ? field{text, {}} : field{text.substr(0, colon), trim(text.substr(colon + 1))};
}

header_block::iterator& header_block::iterator::operator++() {
  rest_.remove_prefix(length_);
  read();
  return *this;
}

header_block::iterator header_block::iterator::operator++(int) {
  auto before = *this;
  ++*this;
  return before;
}

header_block header_block::from_wire(std::string wire) {
  header_block block;
  block.text_ = std::move(wire);
  return block;
}

void header_block::add(std::string_view name, std::string_view value) { text_ += line(name, value); }

void header_block::set(std::string_view name, std::string_view value) {
  std::string out;
  bool placed = false;
  for (auto const& f : *this) {
    if (!same_token(f.name, name)) {
      out += line(f.name, f.value);
    } else if (!std::exchange(placed, true)) {
      out += line(name, value);
    }
  }
  if (!placed) out += line(name, value);
  text_ = std::move(out);
}

std::size_t header_block::erase(std::string_view name) {
  auto const gone = count(name);
  if (gone == 0) return 0;
  std::string out;
  for (auto const& f : *this)
    if (!same_token(f.name, name)) out += line(f.name, f.value);
  text_ = std::move(out);
  return gone;
}

std::optional<std::string_view> header_block::find(std::string_view name) const& {
  for (auto const& f : *this)
    if (same_token(f.name, name)) return f.value;
  return std::nullopt;
}

std::size_t header_block::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(begin(), end(), [&](field const& f) { return same_token(f.name, name); }));
}

std::string header_block::joined(std::string_view name) const {
  std::string out;
  bool first = true;
  for (auto const& f : *this) {
    if (!same_token(f.name, name)) continue;
    if (!std::exchange(first, false)) out += ", ";
    out += f.value;
  }
  return out;
}

}  // namespace cistern::store
