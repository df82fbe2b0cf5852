#include "stitch/charset.hpp"

#include "stitch/charset_guess.hpp"
#include "stitch/charset_tables.hpp"
#include "stitch/entities.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace cistern::stitch {
namespace {

using std::string;
using std::string_view;

constexpr std::size_t sniffed = 16 * 1024;

constexpr unsigned byte(char c) { return static_cast<unsigned char>(c); }

bool is_plain(char c) { return (byte(c) >= 0x20 && byte(c) < 0x80) || c == '\n' || c == '\t' || c == '\r'; }

// How many bytes at the start are ASCII that may stand in XML. Most of most documents, so sixteen at a time.
std::size_t plain_run(string_view text) {
  std::size_t at = 0;
#if defined(__SSE2__)
  auto const space = _mm_set1_epi8(0x1f), line = _mm_set1_epi8('\n'), tab = _mm_set1_epi8('\t'),
             cr = _mm_set1_epi8('\r');
  for (; at + 16 <= text.size(); at += 16) {
    auto const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(text.data() + at));
    auto good = _mm_cmpgt_epi8(block, space);  // signed: bytes from 0x80 on are negative
    if (_mm_movemask_epi8(good) == 0xffff) continue;
    good = _mm_or_si128(good, _mm_or_si128(_mm_cmpeq_epi8(block, line),
                                           _mm_or_si128(_mm_cmpeq_epi8(block, tab), _mm_cmpeq_epi8(block, cr))));
    auto const mask = static_cast<unsigned>(_mm_movemask_epi8(good));
    if (mask != 0xffff) return at + static_cast<std::size_t>(__builtin_ctz(~mask));
  }
#endif
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

// Length of the well-formed UTF-8 sequence at the start; 0 malformed, -1 cut short by the end of the text.
int sequence_length(string_view text) {
  auto const first = byte(text[0]);
  if (first < 0x80) return 1;
  int const length = first >= 0xc2 && first <= 0xdf   ? 2
                     : (first & 0xf0) == 0xe0         ? 3
                     : first >= 0xf0 && first <= 0xf4 ? 4
                                                      : 0;
  if (length == 0) return 0;
  for (int i = 1; i < length; ++i) {
    if (static_cast<std::size_t>(i) >= text.size()) return -1;
    auto const next = byte(text[static_cast<std::size_t>(i)]);
    unsigned const low = i == 1 && first == 0xe0 ? 0xa0 : i == 1 && first == 0xf0 ? 0x90 : 0x80;
    unsigned const high = i == 1 && first == 0xed ? 0x9f : i == 1 && first == 0xf4 ? 0x8f : 0xbf;
    if (next < low || next > high) return 0;
  }
  return length;
}

// Appends `text` as clean UTF-8 and returns how much of it was used: all but a sequence cut short at the end.
std::size_t append_clean(string& out, string_view text, bool last, std::size_t& repairs) {
  std::size_t at = 0;
  while (at < text.size()) {
    auto const run = plain_run(text.substr(at));
    out.append(text, at, run);
    at += run;
    if (at == text.size()) break;
    auto const rest = text.substr(at);
    auto const length = sequence_length(rest);
    if (length == -1 && !last) break;
    if (length == 1) {  // a control character
      ++repairs;
    } else if (length <= 0) {
      append_utf8(out, from_windows_1252(byte(rest[0])));
      ++repairs;
    } else if (length == 2 && byte(rest[0]) == 0xc2 && byte(rest[1]) < 0xa0) {
      append_utf8(out, from_windows_1252(byte(rest[1])));
    } else if (length == 3 && rest[0] == '\xef' && rest[1] == '\xbf' && byte(rest[2]) >= 0xbe) {
      ++repairs;  // U+FFFE and U+FFFF are no characters
    } else {
      out.append(rest, 0, static_cast<std::size_t>(length));
    }
    at += static_cast<std::size_t>(std::max(1, length));
  }
  return at;
}

void append_windows_1252(string& out, string_view text) {
  for (char const c : text)
    if (is_plain(c)) {
      out += c;
    } else if (byte(c) >= 0x80) {
      append_utf8(out, from_windows_1252(byte(c)));
    }
}

void append_by_table(string& out, string_view text, high_half const& table) {
  for (char const c : text)
    if (is_plain(c)) {
      out += c;
    } else if (byte(c) >= 0x80) {
      append_utf8(out, table[byte(c) - 0x80]);
    }
}

bool is_utf8(string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    auto const length = sequence_length(text.substr(at));
    if (length == 0) return false;
    at += length < 0 ? text.size() : static_cast<std::size_t>(length);
  }
  return true;
}

// Damage here and there does not make another charset of it.
bool is_mostly_utf8(string_view text) {
  std::size_t good = 0, bad = 0;
  for (std::size_t at = 0; at < text.size();) {
    auto const length = sequence_length(text.substr(at));
    if (length < 0) break;
    if (length > 1) good += static_cast<std::size_t>(length);
    bad += length == 0;
    at += static_cast<std::size_t>(std::max(1, length));
  }
  return bad * 2 <= good;
}

// Marks, and where there is none the zero bytes that sixteen- and thirty-two-bit forms of '<' leave.
string_view encoding_by_pattern(string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\xff\xfe\0\0"sv)) return "UTF-32LE";
  if (head.starts_with("\0\0\xfe\xff"sv)) return "UTF-32BE";
  if (head.starts_with("\xff\xfe"sv)) return "UTF-16LE";
  if (head.starts_with("\xfe\xff"sv)) return "UTF-16BE";
  if (head.starts_with("\xef\xbb\xbf"sv)) return "utf-8";
  if (head.starts_with("<\0\0\0"sv)) return "UTF-32LE";
  if (head.starts_with("\0\0\0<"sv)) return "UTF-32BE";
  if (head.starts_with("\x4c\x6f\xa7\x94"sv)) return "EBCDIC";
  std::size_t even = 0, odd = 0;
  auto const window = head.substr(0, 64);
  for (std::size_t i = 0; i + 1 < window.size(); i += 2) {
    even += window[i] == '\0' && window[i + 1] != '\0';
    odd += window[i + 1] == '\0' && window[i] != '\0';
  }
  auto const half = window.size() / 2;
  if (half >= 2 && odd * 10 >= half * 8) return "UTF-16LE";
  if (half >= 2 && even * 10 >= half * 8) return "UTF-16BE";
  return {};
}

string declared_label(string_view head) {
  auto const start = head.find("<?xml");
  if (start == string_view::npos || start > 1024) return {};
  auto declaration = head.substr(start, 512);
  declaration = declaration.substr(0, declaration.find('>'));
  auto const at = declaration.find("encoding");
  if (at == string_view::npos) return {};
  auto value = declaration.substr(at + 8);
  value.remove_prefix(std::min(value.size(), value.find_first_not_of(" \t\r\n=\"'")));
  return string{value.substr(0, value.find_first_of(" \t\r\n\"'?"))};
}

// A label that any byte from 0x80 on contradicts.
bool is_ascii_label(string_view label) {
  string lower;
  for (char const c : label) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower.find("ascii") != string::npos;
}

bool is_wide(string_view encoding) { return encoding.starts_with("UTF-16") || encoding.starts_with("UTF-32"); }

bool is_ebcdic(string_view encoding) {
  auto const handle = iconv_open("UTF-8", string{encoding}.c_str());
  if (handle == reinterpret_cast<iconv_t>(-1)) return false;
  char in[1] = {'\x4c'}, result[8] = {};
  char *from = in, *to = result;
  std::size_t from_left = 1, to_left = sizeof result;
  iconv(handle, &from, &from_left, &to, &to_left);
  iconv_close(handle);
  return result[0] == '<';
}

// Said to be UTF-8, or nothing said. Windows-1252 needs no decision: bytes that are no UTF-8 are read as that one by
// one, which also reads documents put together from both.
string likeliest(string_view head) {
  if (auto const escaped = escaped_encoding(head); !escaped.empty()) return string{escaped};
  auto const guess = is_mostly_utf8(head) ? string_view{"utf-8"} : guessed_encoding(head);
  return guess == "windows-1252" ? "utf-8" : string{guess};
}

struct close_iconv {
  using pointer = iconv_t;
  void operator()(iconv_t handle) const noexcept { iconv_close(handle); }
};

}  // namespace

struct utf8_decoder::state {
  string label;
  string pending;  // before the decision: the head; after it: a character cut short
  string encoding;
  std::unique_ptr<iconv_t, close_iconv> converter;
  bool decided = false;
  std::size_t repairs = 0;

  void decide();
  string believed(string_view head) const;
  void decode(string_view bytes, bool last, string& out);
  std::size_t convert(string_view bytes, bool last, string& out, std::size_t* failures = nullptr);
  bool open(string const& name);
};

bool utf8_decoder::state::open(string const& name) {
  converter.reset();
  auto const handle = iconv_open("UTF-8", name.c_str());
  if (handle == reinterpret_cast<iconv_t>(-1)) return false;
  converter.reset(handle);
  return true;
}

string utf8_decoder::state::believed(string_view head) const {
  auto const pattern = encoding_by_pattern(head);
  if (pattern == "EBCDIC") {
    string text;
    state probe;
    if (!probe.open("IBM037")) return "windows-1252";
    probe.encoding = "IBM037";
    probe.convert(head.substr(0, 512), true, text);
    for (auto const& name : {encoding_of_label(label), encoding_of_label(declared_label(text))})
      if (!name.empty() && is_ebcdic(name)) return name;
    return "IBM037";
  }
  if (!pattern.empty()) return string{pattern};
  for (auto const& said : {label, declared_label(head)}) {
    auto const name = encoding_of_label(said);
    if (name.empty() || is_wide(name)) continue;
    if (name == "utf-8") return likeliest(head);
    if (name == "windows-1252") return is_ascii_label(said) && is_utf8(head) ? "utf-8" : name;
    if (!is_ebcdic(name)) return name;
  }
  return likeliest(head);
}

void utf8_decoder::state::decide() {
  decided = true;
  encoding = believed(pending);
  if (encoding == "utf-8" || encoding == "windows-1252" || table_of(encoding)) return;
  if (!open(encoding)) {
    encoding = "utf-8";
    return;
  }
  if (is_wide(encoding)) return;
  // Does the label hold for what is here? A character or two may be damaged; most of them must not be.
  string trial;
  std::size_t failures = 0;
  convert(pending, false, trial, &failures);
  auto const high = static_cast<std::size_t>(std::ranges::count_if(pending, [](char c) { return byte(c) >= 0x80; }));
  if (failures > 0 && is_utf8(pending))
    encoding = "utf-8";
  else if (failures * 4 > high)
    encoding = "windows-1252";
  if (encoding == "utf-8" || encoding == "windows-1252") {
    ++repairs;
    converter.reset();
  } else {
    open(encoding);  // from its initial shift state again
  }
}

std::size_t utf8_decoder::state::convert(string_view bytes, bool last, string& out, std::size_t* failures) {
  std::array<char, 16 * 1024> block;
  string raw;
  auto* from = const_cast<char*>(bytes.data());  // iconv's signature predates const; it does not write
  auto left = bytes.size();
  while (left > 0) {
    char* to = block.data();
    auto room = block.size();
    auto const outcome = iconv(converter.get(), &from, &left, &to, &room);
    auto const error = errno;
    raw.append(block.data(), block.size() - room);
    if (outcome != static_cast<std::size_t>(-1)) break;
    if (error == E2BIG) continue;
    if (error == EINVAL && !last) break;
    if (failures) ++*failures;
    auto const skip = std::min<std::size_t>(left, encoding.starts_with("UTF-32")   ? 4
                                                  : encoding.starts_with("UTF-16") ? 2
                                                                                   : 1);
    bool const single = encoding.starts_with("ISO-8859") || encoding.starts_with("CP12");
    append_utf8(raw, single ? from_windows_1252(byte(*from)) : U'\ufffd');
    ++repairs;
    from += skip;
    left -= skip;
  }
  append_clean(out, raw, true, repairs);
  return bytes.size() - left;
}

void utf8_decoder::state::decode(string_view bytes, bool last, string& out) {
  string joined;
  if (!pending.empty()) {
    joined = std::exchange(pending, {});
    joined += bytes;
    bytes = joined;
  }
  std::size_t used = bytes.size();
  if (converter) {
    used = convert(bytes, last, out);
  } else if (encoding == "windows-1252") {
    append_windows_1252(out, bytes);
  } else if (auto const* table = table_of(encoding)) {
    append_by_table(out, bytes, *table);
  } else {
    used = append_clean(out, bytes, last, repairs);
  }
  if (!last) pending.assign(bytes.substr(used));
}

utf8_decoder::utf8_decoder(string_view label) : state_{std::make_unique<state>()} {
  state_->label = label.substr(0, 64);
}
utf8_decoder::~utf8_decoder() = default;
utf8_decoder::utf8_decoder(utf8_decoder&&) noexcept = default;
utf8_decoder& utf8_decoder::operator=(utf8_decoder&&) noexcept = default;

void utf8_decoder::push(string_view bytes, string& out) {
  if (state_->decided) return state_->decode(bytes, false, out);
  auto const take = std::min(bytes.size(), sniffed - std::min(sniffed, state_->pending.size()));
  state_->pending.append(bytes.substr(0, take));
  if (state_->pending.size() < sniffed) return;
  state_->decide();
  state_->decode(bytes.substr(take), false, out);
}

void utf8_decoder::finish(string& out) {
  if (!state_->decided) state_->decide();
  state_->decode({}, true, out);
}

std::size_t utf8_decoder::repairs() const { return state_->repairs; }

string to_utf8(string_view bytes, string_view label) {
  utf8_decoder decoder{label};
  string out;
  decoder.push(bytes, out);
  decoder.finish(out);
  return out;
}

}  // namespace cistern::stitch
