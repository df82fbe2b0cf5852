#include "store/cache_control.hpp"

#include "store/field_list.hpp"

#include <algorithm>

namespace cistern::store {
namespace {

using std::chrono::seconds;

struct directive {
  std::string_view name;
  std::optional<std::string_view> argument;  // still quoted
};

/// "max-age =5" is not the directive max-age with an argument, but blanks do not make the author's wish a different
/// one: the name is trimmed, the argument is not, so that it reads as an invalid number.
directive split(std::string_view element) {
  auto const equals = element.find('=');
  if (equals == std::string_view::npos) return {element, std::nullopt};
  bool const blank_before = equals > 0 && (element[equals - 1] == ' ' || element[equals - 1] == '\t');
  return {trim_blanks(element.substr(0, equals)), element.substr(equals + (blank_before ? 0 : 1))};
}

std::optional<seconds> delta(std::optional<std::string_view> argument) {
  if (!argument) return std::nullopt;
  auto text = *argument;
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return parse_delta_seconds(text);
}

/// The first of several counts; one that cannot be read is 0.
void lifetime(std::optional<seconds>& into, directive const& d) {
  if (!into) into = delta(d.argument).value_or(seconds{0});
}

/// A permission rather than a limit: one that cannot be read is not given.
void permission(std::optional<seconds>& into, directive const& d) {
  if (!into) into = delta(d.argument);
}

void maybe_qualified(directive const& d, bool& whole, bool& some_fields) {
  if (d.argument && !trim_blanks(unquoted(*d.argument)).empty())
    some_fields = true;
  else
    whole = true;
}

}  // namespace

void response_directives::read(std::string_view value) {
  for_each_element(value, [&](std::string_view element) {
    auto const d = split(element);
    auto const is = [&](std::string_view name) { return same_token(d.name, name); };
    if (is("max-age"))
      lifetime(max_age, d);
    else if (is("s-maxage"))
      lifetime(s_maxage, d);
    else if (is("no-store"))
      no_store = true;
    else if (is("no-cache"))
      maybe_qualified(d, no_cache, no_cache_fields);
    else if (is("private"))
      maybe_qualified(d, private_response, private_fields);
    else if (is("public"))
      public_response = true;
    else if (is("must-revalidate"))
      must_revalidate = true;
    else if (is("proxy-revalidate"))
      proxy_revalidate = true;
    else if (is("must-understand"))
      must_understand = true;
    else if (is("no-transform"))
      no_transform = true;
    else if (is("immutable"))
      immutable = true;
    else if (is("stale-while-revalidate"))
      permission(stale_while_revalidate, d);
    else if (is("stale-if-error"))
      permission(stale_if_error, d);
  });
}

response_directives read_response_directives(header_block const& fields) {
  response_directives out;
  for (auto const& f : fields)
    if (same_token(f.name, "cache-control")) out.read(f.value);
  return out;
}

void request_directives::note(std::string_view name, std::string_view value) {
  if (same_token(name, "pragma")) {
    pragma_no_cache = pragma_no_cache || list_has(value, "no-cache");
    return;
  }
  if (!same_token(name, "cache-control")) return;
  has_cache_control = true;
  for_each_element(value, [&](std::string_view element) {
    auto const d = split(element);
    auto const is = [&](std::string_view wanted) { return same_token(d.name, wanted); };
    if (is("max-age"))
      lifetime(max_age, d);
    else if (is("min-fresh"))
      permission(min_fresh, d);
    else if (is("max-stale") && !d.argument)
      max_stale = longest_delta;
    else if (is("max-stale"))
      permission(max_stale, d);
    else if (is("stale-if-error"))
      permission(stale_if_error, d);
    else if (is("no-cache"))
      no_cache = true;
    else if (is("no-store"))
      no_store = true;
    else if (is("no-transform"))
      no_transform = true;
    else if (is("only-if-cached"))
      only_if_cached = true;
  });
}

request_directives read_request_directives(header_block const& fields) {
  request_directives out;
  for (auto const& f : fields) out.note(f.name, f.value);
  return out;
}

std::string listed_fields(header_block const& fields, std::string_view wanted) {
  std::string out;
  for (auto const& f : fields) {
    if (!same_token(f.name, "cache-control")) continue;
    for_each_element(f.value, [&](std::string_view element) {
      auto const d = split(element);
      if (!same_token(d.name, wanted) || !d.argument) return;
      if (!out.empty()) out += ", ";
      out += unquoted(*d.argument);
    });
  }
  return out;
}

}  // namespace cistern::store
