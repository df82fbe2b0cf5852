#include "sync/savings.hpp"

#include "sync/decode.hpp"

#include <algorithm>
#include <charconv>

namespace cistern::sync {
namespace {

constexpr std::uint64_t believable = 100;  // times its packed size; a page is rarely packed better

std::string name_of(std::uint32_t day) { return "savings." + std::to_string(day); }

std::string text_of(savings const& s) {
  return std::to_string(s.stitching) + ' ' + std::to_string(s.unchanged) + ' ' + std::to_string(s.compression) + ' ' +
         std::to_string(s.known);
}

savings read(std::string_view text) {
  savings out;
  for (auto* const part : {&out.stitching, &out.unchanged, &out.compression, &out.known}) {
    auto const end = std::min(text.size(), text.find(' '));
    std::from_chars(text.data(), text.data() + end, *part);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

}  // namespace

savings& savings::operator+=(savings const& more) {
  stitching += more.stitching;
  unchanged += more.unchanged;
  compression += more.compression;
  known += more.known;
  return *this;
}

void note_savings(store::write_batch& batch, std::uint32_t day, savings const& more) {
  if (more.all() == 0) return;
  auto const before = batch.get<store::setting>(name_of(day));
  auto sum = before ? read(before->value) : savings{};
  sum += more;
  batch.put(store::setting{.name = name_of(day), .value = text_of(sum)});
}

savings savings_of(store::repository& kept, std::uint32_t day) {
  auto const found = kept.get<store::setting>(name_of(day));
  return found && *found ? read((*found)->value) : savings{};
}

std::uint64_t packed_away(store::repository& kept, store::stored_object const& object) {
  if (coding_of(object.headers.find("Content-Encoding").value_or("")) != coding::gzip || object.size < 18) return 0;
  auto const body = kept.open_body(object);
  std::array<char, 4> tail{};
  if (!body || !body->read(object.size - tail.size(), tail)) return 0;
  std::uint64_t plain = 0;  // RFC 1952 §2.3.1: the last four bytes, the lowest first
  for (std::size_t i = tail.size(); i-- > 0;) plain = plain << 8 | static_cast<unsigned char>(tail[i]);
  return plain > object.size && plain < object.size * believable ? plain - object.size : 0;
}

}  // namespace cistern::sync
