#include "stitch/charset_guess.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

namespace cistern::stitch {
namespace {

using std::string_view;
using std::u32string;
using std::u32string_view;

constexpr std::size_t fewest = 6;         // high bytes worth a guess
constexpr double certain = 8;             // bits by which a guess must be the better explanation
constexpr double unreadable = 20;         // bits for a byte that the charset does not have
constexpr double improbable = 14;         // for a character that nobody writes in this language
constexpr double foreign_neighbour = 8;   // for a letter beside one of another script
constexpr double latin_neighbour = 3;     // for an ideograph beside a plain letter
constexpr double no_kana = 20;            // for Japanese that has not one syllable
constexpr double accented_neighbour = 5;  // for two accented letters in a row

// What a language writes, the most frequent first: the cost of a character is how surprising it is, in bits.
constexpr u32string_view western = U"éäöüàáóíèçñãåøêúâôîûëïæìòõýßÿ";
constexpr u32string_view cyrillic = U"оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъіїєё";
constexpr u32string_view greek = U"αοιετσνηυρπκμςίλάέόήγωδύώθχφβξζψϊΐ";
constexpr u32string_view hebrew = U"יוהלארתבמשםנעדחקכפןסטגזצךףץ";
constexpr u32string_view arabic = U"اليمونرتبةعدسفهكقأحجشصطخىإئءزضذثغظآؤ";
constexpr u32string_view thai = U"านรอกเง่มยลวดทสตั้ีปบหคแจะิไพขชใโ์ืูุ็ำถผณศธซึภษญฟ";
constexpr u32string_view korean = U"이다는을의에가고하지를은로사한기도자나시어서리대인아정그일스부수보해전주";
constexpr u32string_view hanzi =
    U"的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天"
    U"而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些"
    U"与高意进把法此实回二理美点月明其种声全工己话者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次"
    U"东政海口使教西再平真听世气信北少关并内加化由代军产入先山五太水万市這來個說們為時會學對裡後麼沒發當開經頭動兩長"
    U"現將與實點種聲話問機給幾業間電門東聽氣關並內產萬過還見進無樣從標題聞測試題";

double cost_of_rank(std::size_t rank) {
  return rank < 4 ? 3.5 : rank < 8 ? 4.2 : rank < 14 ? 5 : rank < 22 ? 6 : rank < 34 ? 7.5 : 9;
}

bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_punctuation(char32_t c) {
  return c == 0xa0 || c == 0xab || c == 0xbb || c == 0xb7 || (c >= 0x2010 && c <= 0x203a) || c == 0x2116;
}

/// A script that is written letter by letter.
struct alphabet {
  u32string_view letters;
  double neighbour;  // what a letter beside the wrong kind of letter costs

  [[nodiscard]] double cost(char32_t c) const {
    if (is_punctuation(c)) return 6;
    auto lower = c;
    bool const capital = (c >= 0x410 && c <= 0x42f) || (c >= 0x391 && c <= 0x3a9) || (c >= 0xc0 && c <= 0xde);
    if (capital) lower += 0x20;
    auto const at = letters.find(lower);
    if (at == u32string_view::npos) return improbable;
    return cost_of_rank(at) + (capital ? 4 : 0);
  }
};

enum class writing { accents, letters, japanese, chinese, hangul };

double ideographic_cost(char32_t c, writing kind) {
  bool const hiragana = c >= 0x3041 && c <= 0x309f, katakana = c >= 0x30a0 && c <= 0x30ff;
  bool const han = c >= 0x4e00 && c <= 0x9fff, syllable = c >= 0xac00 && c <= 0xd7a3;
  if ((c >= 0x3000 && c <= 0x303f) || (c >= 0xff00 && c <= 0xff5e) || is_punctuation(c)) return 6;
  if (kind == writing::japanese && hiragana) return 5.5;
  if (kind == writing::japanese && katakana) return 7;
  if (kind == writing::japanese && han) return hanzi.find(c) == u32string_view::npos ? 11.5 : 8.5;
  if (kind == writing::chinese && han) return hanzi.find(c) == u32string_view::npos ? 12 : 7;
  if (kind == writing::hangul && syllable) return korean.find(c) == u32string_view::npos ? 10.5 : 7.5;
  return improbable;
}

struct candidate {
  string_view encoding;
  writing kind;
  u32string_view alphabet{};
};

constexpr auto candidates = std::to_array<candidate>({
    {"windows-1252", writing::accents, western},
    {"KOI8-U", writing::letters, cyrillic},
    {"CP1251", writing::letters, cyrillic},
    {"ISO-8859-5", writing::letters, cyrillic},
    {"CP866", writing::letters, cyrillic},
    {"CP1253", writing::letters, greek},
    {"CP1255", writing::letters, hebrew},
    {"CP1256", writing::letters, arabic},
    {"ISO-8859-6", writing::letters, arabic},
    {"CP874", writing::letters, thai},
    {"EUC-JP", writing::japanese},
    {"CP932", writing::japanese},
    {"UHC", writing::hangul},
    {"GB18030", writing::chinese},
    {"BIG5-HKSCS", writing::chinese},
});

// The text in this charset, U+FFFD for each byte that is none of it.
u32string decoded(string_view head, string_view encoding) {
  u32string out;
  auto const name = encoding == "windows-1252" ? string_view{"CP1252"} : encoding;
  auto const handle = iconv_open("UTF-32LE", std::string{name}.c_str());
  if (handle == reinterpret_cast<iconv_t>(-1)) return out;
  out.resize(head.size() * 2);
  auto* from = const_cast<char*>(head.data());  // iconv's signature predates const; it does not write
  auto* to = reinterpret_cast<char*>(out.data());
  auto left = head.size(), room = out.size() * sizeof(char32_t);
  while (left > 0 && room >= sizeof(char32_t)) {
    if (iconv(handle, &from, &left, &to, &room) != static_cast<std::size_t>(-1)) break;
    if (errno != EILSEQ || room < sizeof(char32_t)) break;
    constexpr char32_t none = U'\ufffd';
    std::copy_n(reinterpret_cast<char const*>(&none), sizeof none, to);
    to += sizeof none;
    room -= sizeof none;
    ++from;
    --left;
  }
  iconv_close(handle);
  out.resize(out.size() - room / sizeof(char32_t));
  return out;
}

double cost(u32string_view text, candidate const& as) {
  alphabet const letters{as.alphabet, as.kind == writing::accents ? accented_neighbour : foreign_neighbour};
  bool const ideographs = as.alphabet.empty();
  double bits = 0;
  char32_t before = ' ';
  for (char32_t const c : text) {
    if (c == U'\ufffd') {
      bits += unreadable;
    } else if (c >= 0x80 && ideographs) {
      bits += ideographic_cost(c, as.kind) + (is_ascii_letter(before) ? latin_neighbour : 0);
    } else if (c >= 0x80) {
      bool const clash = as.kind == writing::accents ? before >= 0x80 : is_ascii_letter(before);
      bits += letters.cost(c) + (clash ? letters.neighbour : 0);
    } else if (before >= 0x80 && is_ascii_letter(c) && !is_punctuation(before)) {
      bits += as.kind == writing::letters ? foreign_neighbour : ideographs ? latin_neighbour : 0;
    }
    before = c;
  }
  bool const kana = std::ranges::any_of(text, [](char32_t c) { return c >= 0x3041 && c <= 0x30ff; });
  return bits + (as.kind == writing::japanese && !kana ? no_kana : 0);
}

bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }

// Accented letters stand alone among plain ones; other scripts come in runs.
bool comes_in_runs(string_view head) {
  std::size_t high = 0, joined = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (!is_high(head[i])) continue;
    ++high;
    joined += (i > 0 && is_high(head[i - 1])) || (i + 1 < head.size() && is_high(head[i + 1]));
  }
  return high >= fewest && joined * 3 >= high;
}

}  // namespace

string_view escaped_encoding(string_view head) {
  auto const has = [head](string_view escape) { return head.find(escape) != string_view::npos; };
  if (has("\x1b$)C")) return "ISO-2022-KR";
  if (has("\x1b$B") || has("\x1b$@")) return "ISO-2022-JP";
  return {};
}

string_view guessed_encoding(string_view head) {
  auto const& fallback = candidates.front();
  if (!comes_in_runs(head)) return fallback.encoding;
  auto const* best = &fallback;
  auto least = cost(decoded(head, fallback.encoding), fallback) - certain;
  for (auto const& each : candidates) {
    auto const text = decoded(head, each.encoding);
    auto const bad = std::ranges::count(text, U'\ufffd');
    if (text.empty() || bad * 50 > std::ranges::count_if(head, is_high)) continue;
    if (auto const bits = cost(text, each); bits < least) {
      least = bits;
      best = &each;
    }
  }
  return best->encoding;
}

}  // namespace cistern::stitch
