#include "store/validation.hpp"

#include "store/hop_by_hop.hpp"
#include "store/http_date.hpp"
#include "store/reuse.hpp"

#include <algorithm>
#include <array>

namespace cistern::store {
namespace {

std::string_view opaque(std::string_view tag) { return is_weak_tag(tag) ? tag.substr(2) : tag; }

/// Fields that describe the bytes that are stored, or by which the stored response is found; and what is never kept.
bool keeps_its_value(std::string_view name) {
  constexpr std::array<std::string_view, 9> names{"Content-Length", "Content-Encoding", "Content-Range",
                                                  "Content-MD5",    "Content-Digest",   "Repr-Digest",
                                                  "Vary",           "Set-Cookie",       "Age"};
  return std::any_of(names.begin(), names.end(), [&](std::string_view known) { return same_token(known, name); });
}

std::string_view value_of(header_block const& fields, std::string_view name) {
  return fields.find(name).value_or(std::string_view{});
}

}  // namespace

bool is_weak_tag(std::string_view tag) { return tag.starts_with("W/"); }

bool strong_match(std::string_view a, std::string_view b) { return !a.empty() && a == b && !is_weak_tag(a); }

bool weak_match(std::string_view a, std::string_view b) { return !a.empty() && !b.empty() && opaque(a) == opaque(b); }

bool add_validators(header_block& request, std::span<header_block const* const> stored) {
  std::string tags;
  std::string_view modified;
  for (auto const* fields : stored) {
    auto const tag = value_of(*fields, "ETag");
    if (!tag.empty()) tags += (tags.empty() ? "" : ", ") + std::string{tag};
    if (modified.empty()) modified = value_of(*fields, "Last-Modified");
  }
  if (!tags.empty()) request.set("If-None-Match", tags);
  if (!modified.empty()) request.set("If-Modified-Since", modified);
  return !tags.empty() || !modified.empty();
}

void remove_conditions(header_block& request) {
  for (auto const* name : {"If-None-Match", "If-Modified-Since", "If-Range", "Range"}) request.erase(name);
}

validation_result interpret(unsigned status, header_block const& answer, header_block const& stored,
                            bool asked_for_one) {
  if (is_origin_failure(status)) return validation_result::origin_error;
  if (status != 304) return validation_result::replace;
  auto const tag = value_of(answer, "ETag");
  auto const stored_tag = value_of(stored, "ETag");
  if (!tag.empty() && !stored_tag.empty())
    return weak_match(tag, stored_tag) ? validation_result::freshen : validation_result::mismatch;
  auto const modified = value_of(answer, "Last-Modified");
  auto const stored_modified = value_of(stored, "Last-Modified");
  if (!modified.empty() && !stored_modified.empty())
    return modified == stored_modified ? validation_result::freshen : validation_result::mismatch;
  // §4.3.4 wants a validator in the 304; many leave it out, and to a question about one response it is clear all the
  // same
  return asked_for_one ? validation_result::freshen : validation_result::mismatch;
}

header_block update_stored(header_block const& stored, header_block const& news, std::chrono::sys_seconds received) {
  auto const fresh = end_to_end(news);
  auto const comes_new = [&](std::string_view name) {
    if (keeps_its_value(name)) return false;
    // a strong tag stays when the 304 repeats it in its weak form: it is still true and good for ranges
    if (same_token(name, "ETag") && weak_match(value_of(fresh, "ETag"), value_of(stored, "ETag"))) return false;
    return fresh.has(name);
  };
  header_block out;
  for (auto const& f : stored)
    if (!same_token(f.name, "Age") && !comes_new(f.name)) out.add(f.name, f.value);
  for (auto const& f : fresh)
    if (comes_new(f.name) || same_token(f.name, "Age")) out.add(f.name, f.value);
  if (!fresh.has("Date")) out.set("Date", format_http_date(received));
  return out;
}

head_effect effect_of_head(header_block const& head_answer, header_block const& stored) {
  auto const differs = [&](std::string_view name) {
    auto const value = head_answer.find(name);
    return value && value != stored.find(name);
  };
  bool const changed = differs("ETag") || differs("Last-Modified") || differs("Content-Length");
  return changed ? head_effect::make_stale : head_effect::update;
}

}  // namespace cistern::store
