#include "store/ranges.hpp"

#include "store/field_list.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace cistern::store {
namespace {

constexpr auto no_end = std::numeric_limits<std::uint64_t>::max();

/// A number too large to hold is still a number: it lies beyond every end.
std::optional<std::uint64_t> number(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  std::uint64_t value = 0;
  auto const parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc{} ? value : no_end;
}

/// As asked: "5-9", "5-" (last is no_end) or "-5" (only the length).
struct wish {
  std::optional<std::uint64_t> first;
  std::uint64_t last = no_end;  // or, without first, how many from the end
};

std::optional<wish> read_wish(std::string_view spec) {
  auto const dash = spec.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  auto const left = trim_blanks(spec.substr(0, dash));
  auto const right = trim_blanks(spec.substr(dash + 1));
  auto const first = number(left);
  auto const last = number(right);
  if ((!left.empty() && !first) || (!right.empty() && !last) || (left.empty() && right.empty())) return std::nullopt;
  if (first && last && *first > *last) return std::nullopt;
  return wish{first, last.value_or(no_end)};
}

std::optional<std::string_view> byte_specs(std::string_view value) {
  auto const equals = value.find('=');
  if (equals == std::string_view::npos || !same_token(trim_blanks(value.substr(0, equals)), "bytes"))
    return std::nullopt;
  return value.substr(equals + 1);
}

std::optional<byte_range> clip(wish const& w, std::uint64_t size) {
  if (size == 0) return std::nullopt;
  if (!w.first) {
    if (w.last == 0) return std::nullopt;
    return byte_range{size - std::min(w.last, size), size - 1};
  }
  if (*w.first >= size) return std::nullopt;
  return byte_range{*w.first, std::min(w.last, size - 1)};
}

/// Joins what overlaps or nearly touches. What was asked for in order and apart stays as it was.
std::vector<byte_range> joined(std::vector<byte_range> ranges, std::uint64_t gap) {
  if (ranges.size() < 2) return ranges;
  auto sorted = ranges;
  std::sort(sorted.begin(), sorted.end(), [](byte_range a, byte_range b) { return a.first < b.first; });
  std::vector<byte_range> out{sorted.front()};
  for (auto const& r : sorted) {
    if (r.first <= out.back().last || r.first - out.back().last - 1 < gap)
      out.back().last = std::max(out.back().last, r.last);
    else
      out.push_back(r);
  }
  return out.size() == ranges.size() ? ranges : out;
}

}  // namespace

range_answer read_range(std::string_view value, std::uint64_t size, range_limits limits) {
  using kind = range_answer::kind;
  auto const specs = byte_specs(value);
  if (!specs) return {};
  std::vector<byte_range> ranges;
  std::size_t asked = 0;
  auto rest = *specs;
  while (auto const spec = next_element(rest)) {
    auto const w = read_wish(*spec);
    if (!w) return {};
    if (++asked > limits.most_ranges) return {kind::refused, {}};
    if (auto const r = clip(*w, size)) ranges.push_back(*r);
  }
  if (asked == 0) return {};
  if (ranges.empty()) return {kind::unsatisfiable, {}};
  return {kind::partial, joined(std::move(ranges), limits.worth_joining)};
}

std::optional<byte_range> single_open_range(std::string_view value) {
  auto const specs = byte_specs(value);
  if (!specs) return std::nullopt;
  auto rest = *specs;
  auto const only = next_element(rest);
  if (!only || next_element(rest)) return std::nullopt;
  auto const w = read_wish(*only);
  if (!w || !w->first) return std::nullopt;
  return byte_range{*w->first, w->last};
}

std::string content_range(byte_range range, std::uint64_t size) {
  return "bytes " + std::to_string(range.first) + '-' + std::to_string(range.last) + '/' + std::to_string(size);
}

std::string unsatisfied_content_range(std::uint64_t size) { return "bytes */" + std::to_string(size); }

std::optional<received_range> parse_content_range(std::string_view value) {
  auto const blank = value.find(' ');
  if (blank == std::string_view::npos || !same_token(value.substr(0, blank), "bytes")) return std::nullopt;
  auto const rest = trim_blanks(value.substr(blank));
  auto const slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  received_range out;
  auto const size = rest.substr(slash + 1);
  if (size != "*" && !(out.size = number(size))) return std::nullopt;
  auto const range = rest.substr(0, slash);
  if (range == "*") return out.size ? std::optional{out} : std::nullopt;
  auto const dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  auto const first = number(range.substr(0, dash));
  auto const last = number(range.substr(dash + 1));
  if (!first || !last || *first > *last || *last == no_end || (out.size && *last >= *out.size)) return std::nullopt;
  out.range = byte_range{*first, *last};
  return out;
}

multipart_ranges::multipart_ranges(std::string boundary, std::string content_type, std::uint64_t size)
    : boundary_{std::move(boundary)}, content_type_{std::move(content_type)}, size_{size} {}

std::string multipart_ranges::content_type() const { return "multipart/byteranges; boundary=" + boundary_; }

std::string multipart_ranges::part_head(byte_range range, bool first) const {
  std::string out = first ? "--" : "\r\n--";
  out += boundary_ + "\r\n";
  if (!content_type_.empty()) out += "Content-Type: " + content_type_ + "\r\n";
  return out + "Content-Range: " + content_range(range, size_) + "\r\n\r\n";
}

std::string multipart_ranges::end() const { return "\r\n--" + boundary_ + "--\r\n"; }

std::uint64_t multipart_ranges::content_length(std::vector<byte_range> const& ranges) const {
  std::uint64_t total = end().size();
  for (std::size_t i = 0; i < ranges.size(); ++i) total += part_head(ranges[i], i == 0).size() + ranges[i].size();
  return total;
}

}  // namespace cistern::store
