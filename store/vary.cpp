#include "store/vary.hpp"

#include "store/field_list.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace cistern::store {
namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

struct preference {
  std::string what;  // with its parameters but for q
  int quality = 1000;
};

/// One element of an Accept-like field. A q that cannot be read is kept as text: it then differs from everything else.
preference read_preference(std::string_view element) {
  preference out;
  bool first = true;
  while (auto const part = next_parameter(element)) {
    auto const equals = part->find('=');
    bool const is_q =
        !first && equals != std::string_view::npos && same_token(trim_blanks(part->substr(0, equals)), "q");
    auto const quality = is_q ? parse_quality(trim_blanks(part->substr(equals + 1))) : std::nullopt;
    if (quality) {
      out.quality = *quality;
    } else {
      if (!first) out.what += ';';
      out.what += lower(*part);
    }
    first = false;
  }
  return out;
}

std::vector<preference> read_preferences(std::string_view list) {
  std::vector<preference> out;
  for_each_element(list, [&](std::string_view element) { out.push_back(read_preference(element)); });
  std::sort(out.begin(), out.end(), [](preference const& a, preference const& b) {
    return a.quality != b.quality ? a.quality > b.quality : a.what < b.what;
  });
  return out;
}

bool is_preference_field(std::string_view name) {
  constexpr std::array<std::string_view, 4> names{"accept", "accept-language", "accept-encoding", "accept-charset"};
  return std::any_of(names.begin(), names.end(), [&](std::string_view known) { return same_token(known, name); });
}

/// "x-gzip" is gzip (RFC 9110 §8.4.1.3).
std::string without_alias(std::string what) {
  return what == "x-gzip" ? "gzip" : what == "x-compress" ? "compress" : what;
}

/// The key's line for one field; 0x1f and 0x1e cannot occur in a field value. A field that is absent has no line.
void append_line(std::string& key, std::string_view name, header_block const& request) {
  if (!request.has(name)) return;
  key += name;
  key += '\x1f';
  key += normal_form(name, request.joined(name));
  key += '\x1e';
}

/// Is the stored language the one the request likes best, and no other as well?
bool likes_best(header_block const& request, std::string_view language) {
  if (language.empty() || language.find(',') != std::string_view::npos) return false;
  auto const preferences = read_preferences(request.joined("Accept-Language"));
  if (preferences.empty() || preferences[0].quality == 0 || preferences[0].what != lower(language)) return false;
  return preferences.size() == 1 || preferences[1].quality < preferences[0].quality;
}

std::string_view line_of(std::string_view key, std::string_view name) {
  while (!key.empty()) {
    auto const end = key.find('\x1e');
    auto const line = key.substr(0, end);
    if (line.substr(0, line.find('\x1f')) == name) return line;
    key.remove_prefix(end == std::string_view::npos ? key.size() : end + 1);
  }
  return {};
}

bool matches(variant const& stored, header_block const& request) {
  if (stored.names == "*") return false;
  if (stored.names.empty()) return true;
  auto const key = vary_key(stored.names, request);
  if (key == stored.key) return true;
  if (!list_has(stored.names, "accept-language") || !likes_best(request, stored.content_language)) return false;
  auto names = stored.names;
  while (auto const name = next_element(names))
    if (*name != "accept-language" && line_of(key, *name) != line_of(stored.key, *name)) return false;
  return true;
}

}  // namespace

std::string vary_names(header_block const& response) {
  std::vector<std::string> names;
  for (auto const& f : response)
    if (same_token(f.name, "vary"))
      for_each_element(f.value, [&](std::string_view name) { names.push_back(lower(name)); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (std::find(names.begin(), names.end(), "*") != names.end()) return "*";
  std::string out;
  for (auto const& name : names) out += (out.empty() ? "" : ",") + name;
  return out;
}

std::string normal_form(std::string_view name, std::string_view value) {
  std::string out;
  auto const append = [&](std::string_view text) {
    if (!out.empty()) out += ',';
    out += text;
  };
  if (!is_preference_field(name)) {
    for_each_element(value, append);
    return out;
  }
  for (auto& p : read_preferences(value)) {
    append(same_token(name, "accept-encoding") ? without_alias(std::move(p.what)) : p.what);
    if (p.quality != 1000) out += ";q=0." + std::to_string(1000 + p.quality).substr(1);
  }
  return out;
}

std::string vary_key(std::string_view names, header_block const& request) {
  std::string key;
  for_each_element(names, [&](std::string_view name) { append_line(key, name, request); });
  return key;
}

std::optional<chosen_variant> choose_variant(std::span<variant const> stored, header_block const& request,
                                             bool offline) {
  std::optional<chosen_variant> best;
  auto const better = [&](std::size_t i, bool fits) {
    if (!best) return fits || offline;
    if (fits != best->matches) return fits;
    if (!fits && !offline) return false;
    bool const varies = !stored[i].names.empty();
    bool const best_varies = !stored[best->index].names.empty();
    if (fits && varies != best_varies) return varies;
    return stored[i].date >= stored[best->index].date;
  };
  for (std::size_t i = 0; i < stored.size(); ++i) {
    bool const fits = matches(stored[i], request);
    if (better(i, fits)) best = chosen_variant{i, fits};
  }
  return best;
}

}  // namespace cistern::store
