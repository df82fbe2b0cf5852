#include "proxy/form.hpp"

#include <stdexcept>

namespace cistern::proxy {
namespace {

std::string decode_form(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string{text.substr(i + 1, 2)}, nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

std::string encode_form(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (char const c : text) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
      continue;
    }
    auto const byte = static_cast<unsigned char>(c);
    (out += '%') += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

std::string form_field(std::string_view form, std::string_view name) {
  while (!form.empty()) {
    auto const end = form.find('&');
    auto const pair = form.substr(0, end);
    auto const equals = pair.find('=');
    if (pair.substr(0, equals) == name && equals != pair.npos) {
      try {
        return decode_form(pair.substr(equals + 1));
      } catch (std::exception const&) {
        return {};
      }
    }
    if (end == form.npos) break;
    form.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace cistern::proxy
