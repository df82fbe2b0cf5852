#include "stitch/feed/mender.hpp"

#include <algorithm>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;
constexpr auto npos = string_view::npos;
constexpr string_view blanks = " \t\r\n";

string_view next_word(string_view& text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
  auto const word = text.substr(0, text.find_first_of(" \t\r\n\"'>"));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

// `<!ENTITY name "value">` in the internal subset. Parameter entities and whatever is SYSTEM or PUBLIC are passed over:
// an external entity is known by name and means nothing.
void xml_mender::read_doctype(string_view text) {
  text.remove_prefix(std::min(text.size(), text.find('[')));
  while (entities_.size() < limits_.entities) {
    auto const at = text.find("<!ENTITY");
    if (at == npos) return;
    text.remove_prefix(at + 8);
    auto const name = next_word(text);
    if (name.empty() || name == "%") continue;
    auto const kind = next_word(text);
    if (!kind.empty()) {
      entities_.try_emplace(string{name}, "");
      continue;
    }
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
    if (text.empty() || (text[0] != '"' && text[0] != '\'')) continue;
    auto const end = text.find(text[0], 1);
    if (end == npos) return;
    entities_.try_emplace(string{name}, expanded(text.substr(1, end - 1)));
    text.remove_prefix(end + 1);
  }
  repair();
}

// An entity's value with the entities declared before it in place. One that grows past its limit means nothing, so that
// each declaration costs at most its own length and that limit: the bombs go off here, harmlessly.
string xml_mender::expanded(string_view value) const {
  string out;
  while (!value.empty()) {
    auto const mark = value.find('&');
    out += value.substr(0, mark);
    if (out.size() > limits_.entity_bytes) return {};
    if (mark == npos) break;
    value.remove_prefix(mark);
    auto const end = value.substr(0, 64).find(';');
    auto const inner = end == npos ? entities_.end() : entities_.find(value.substr(1, end - 1));
    if (inner == entities_.end()) {
      out += '&';
      value.remove_prefix(1);
    } else {
      out += inner->second;
      value.remove_prefix(end + 1);
    }
  }
  return out;
}

}  // namespace cistern::stitch::feed
