#include "store/partial_content.hpp"

#include "store/http_date.hpp"
#include "store/validation.hpp"

#include <algorithm>
#include <string>

namespace cistern::store {
namespace {

std::string_view value_of(header_block const& fields, std::string_view name) {
  return fields.find(name).value_or(std::string_view{});
}

std::optional<std::uint64_t> whole_size(header_block const& fields) {
  auto const range = parse_content_range(value_of(fields, "Content-Range"));
  return range ? range->size : std::nullopt;
}

}  // namespace

void held_ranges::add(byte_range range) {
  auto const touches = [&](byte_range const& held) {
    return held.first <= range.last + 1 && range.first <= held.last + 1;
  };
  for (auto const& held : parts_)
    if (touches(held)) range = {std::min(range.first, held.first), std::max(range.last, held.last)};
  std::erase_if(parts_, touches);
  auto const place =
      std::find_if(parts_.begin(), parts_.end(), [&](byte_range const& held) { return held.first > range.last; });
  parts_.insert(place, range);
}

bool held_ranges::covers(byte_range range) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](byte_range const& held) { return held.first <= range.first && range.last <= held.last; });
}

bool held_ranges::is_complete(std::uint64_t size) const { return size == 0 || covers({0, size - 1}); }

std::optional<byte_range> held_ranges::first_gap(std::uint64_t size) const {
  std::uint64_t next = 0;
  for (auto const& held : parts_) {
    if (held.first > next) return byte_range{next, std::min(held.first, size) - 1};
    next = held.last + 1;
  }
  return next < size ? std::optional{byte_range{next, size - 1}} : std::nullopt;
}

std::uint64_t held_ranges::bytes() const {
  std::uint64_t total = 0;
  for (auto const& held : parts_) total += held.size();
  return total;
}

std::optional<held_part> received_part(header_block const& fields, std::uint64_t content_length) {
  auto const claimed = parse_content_range(value_of(fields, "Content-Range"));
  if (!claimed || !claimed->range || !claimed->size || content_length == 0) return std::nullopt;
  held_part part{*claimed->range, *claimed->size};
  if (content_length > part.range.size()) return std::nullopt;
  part.range.last = part.range.first + content_length - 1;
  return part;
}

std::optional<held_part> stored_part(int status, header_block const& fields, std::uint64_t stored_bytes,
                                     std::optional<std::uint64_t> expected_size) {
  if (stored_bytes == 0) return std::nullopt;
  if (status == 200) {
    if (!expected_size || stored_bytes > *expected_size) return std::nullopt;
    return held_part{{0, stored_bytes - 1}, *expected_size};
  }
  auto const claimed = parse_content_range(value_of(fields, "Content-Range"));
  if (status != 206 || !claimed || !claimed->range || !claimed->size) return std::nullopt;
  auto const last = claimed->range->first + stored_bytes - 1;
  if (last >= *claimed->size) return std::nullopt;
  return held_part{{claimed->range->first, last}, *claimed->size};
}

std::optional<byte_range> range_in_part(std::string_view value, held_part const& part) {
  auto const wanted = read_range(value, part.size);
  if (wanted.what != range_answer::kind::partial || wanted.ranges.size() != 1) return std::nullopt;
  auto const range = wanted.ranges.front();
  bool const there = part.range.first <= range.first && range.last <= part.range.last;
  return there ? std::optional{range} : std::nullopt;
}

bool starts_far_in(std::string_view value) {
  constexpr std::uint64_t immense = std::uint64_t{1} << 62;
  if (auto const range = single_open_range(value)) return range->first >= near_the_start;
  auto const from_the_end = read_range(value, immense);
  return from_the_end.what == range_answer::kind::partial && from_the_end.ranges.size() == 1 &&
         from_the_end.ranges.front().first >= near_the_start;
}

bool may_combine(header_block const& stored, header_block const& received) {
  auto const size = whole_size(stored);
  auto const new_size = whole_size(received);
  if (size && new_size && *size != *new_size) return false;
  if (value_of(stored, "Content-Encoding") != value_of(received, "Content-Encoding")) return false;
  auto const tag = value_of(stored, "ETag");
  auto const new_tag = value_of(received, "ETag");
  if (!tag.empty() || !new_tag.empty()) return strong_match(tag, new_tag);
  auto const modified = value_of(stored, "Last-Modified");
  return is_strong_date(stored, {}) && modified == value_of(received, "Last-Modified");
}

header_block combined_fields(header_block const& stored, header_block const& received, std::uint64_t size,
                             std::chrono::sys_seconds when) {
  auto out = update_stored(stored, received, when);
  out.erase("Content-Range");
  out.set("Content-Length", std::to_string(size));
  return out;
}

bool is_strong_date(header_block const& stored, std::chrono::sys_seconds received) {
  auto const modified = parse_http_date(value_of(stored, "Last-Modified"), received);
  auto const date = parse_http_date(value_of(stored, "Date"), received);
  return modified && date && *date - *modified >= std::chrono::seconds{1};
}

std::string_view strong_validator(header_block const& stored, std::chrono::sys_seconds received) {
  auto const tag = value_of(stored, "ETag");
  if (!tag.empty()) return is_weak_tag(tag) ? std::string_view{} : tag;
  return is_strong_date(stored, received) ? value_of(stored, "Last-Modified") : std::string_view{};
}

bool add_resume(header_block& request, header_block const& stored, held_ranges const& held,
                std::optional<std::uint64_t> size, std::chrono::sys_seconds received) {
  auto const validator = strong_validator(stored, received);
  if (validator.empty()) return false;
  auto const gap = held.first_gap(size.value_or(~std::uint64_t{0}));
  if (!gap) return false;
  bool const to_the_end = !size || gap->last + 1 == *size;
  request.set("Range", "bytes=" + std::to_string(gap->first) + '-' + (to_the_end ? "" : std::to_string(gap->last)));
  request.set("If-Range", validator);
  return true;
}

}  // namespace cistern::store
