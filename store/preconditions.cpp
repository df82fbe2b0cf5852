#include "store/preconditions.hpp"

#include "store/field_list.hpp"
#include "store/http_date.hpp"
#include "store/partial_content.hpp"
#include "store/validation.hpp"

#include <algorithm>
#include <array>

namespace cistern::store {
namespace {

using std::chrono::sys_seconds;

bool names_tag(std::string_view list, std::string_view tag, bool (*same)(std::string_view, std::string_view)) {
  while (auto const element = next_element(list))
    if (*element == "*" || same(*element, tag)) return true;
  return false;
}

/// When the stored response was last changed, as well as we know.
sys_seconds modified(header_block const& stored, sys_seconds received) {
  for (auto const* name : {"Last-Modified", "Date"})
    if (auto const text = stored.find(name))
      if (auto const when = parse_http_date(*text, received)) return *when;
  return received;
}

bool changed_after(std::string_view date, header_block const& stored, sys_seconds received) {
  auto const since = parse_http_date(date, received);
  return !since || modified(stored, received) > *since;
}

}  // namespace

void client_conditions::note(std::string_view name, std::string_view value) {
  auto const is = [&](std::string_view wanted) { return same_token(name, wanted); };
  auto const keep_first = [&](std::string_view& into) {
    if (into.empty())
      into = value;
    else
      more_lines = true;
  };
  if (is("Range"))
    range = value;
  else if (name.size() < 8 || (name[0] | 0x20) != 'i' || (name[1] | 0x20) != 'f')
    return;
  else if (is("If-None-Match"))
    keep_first(if_none_match);
  else if (is("If-Match"))
    keep_first(if_match);
  else if (is("If-Modified-Since"))
    if_modified_since = value;
  else if (is("If-Unmodified-Since"))
    if_unmodified_since = value;
  else if (is("If-Range"))
    if_range = value;
}

client_conditions read_conditions(header_block const& request) {
  client_conditions out;
  for (auto const& f : request) out.note(f.name, f.value);
  return out;
}

precondition check(client_conditions const& asked, std::string_view method, unsigned stored_status,
                   header_block const& stored, sys_seconds received) {
  if (!asked.any() || (stored_status != 200 && stored_status != 206)) return precondition::send;
  auto const tag = stored.find("ETag").value_or(std::string_view{});
  bool const reads = method == "GET" || method == "HEAD";
  if (!asked.if_match.empty()) {
    if (!names_tag(asked.if_match, tag, strong_match)) return precondition::failed;
  } else if (!asked.if_unmodified_since.empty() && parse_http_date(asked.if_unmodified_since, received)) {
    if (changed_after(asked.if_unmodified_since, stored, received)) return precondition::failed;
  }
  if (!asked.if_none_match.empty()) {
    if (!names_tag(asked.if_none_match, tag, weak_match)) return precondition::send;
    return reads ? precondition::not_modified : precondition::failed;
  }
  bool const unchanged = !asked.if_modified_since.empty() && !changed_after(asked.if_modified_since, stored, received);
  return reads && unchanged ? precondition::not_modified : precondition::send;
}

bool range_applies(client_conditions const& asked, header_block const& stored, sys_seconds received) {
  if (asked.if_range.empty()) return true;
  bool const is_date = parse_http_date(asked.if_range, received).has_value();
  if (!is_date) return strong_match(asked.if_range, stored.find("ETag").value_or(std::string_view{}));
  return is_strong_date(stored, received) && stored.find("Last-Modified") == asked.if_range;
}

header_block fields_of_not_modified(header_block const& stored) {
  constexpr std::array<std::string_view, 6> about_the_body{"Content-Length", "Content-Type",     "Content-Encoding",
                                                           "Content-Range",  "Content-Language", "Accept-Ranges"};
  header_block out;
  for (auto const& f : stored) {
    auto const is = [&](std::string_view name) { return same_token(name, f.name); };
    if (std::none_of(about_the_body.begin(), about_the_body.end(), is)) out.add(f.name, f.value);
  }
  return out;
}

}  // namespace cistern::store
