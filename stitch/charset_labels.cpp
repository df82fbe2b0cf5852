#include "stitch/charset.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <utility>

namespace cistern::stitch {
namespace {

using std::string;
using std::string_view;

constexpr std::size_t longest_label = 40;

// Web labels whose meaning differs from their name (the Encoding Standard), and names iconv does not know.
// Keys are lower case with every run of other characters than letters and digits as one '-'.
constexpr auto aliases = std::to_array<std::pair<string_view, string_view>>({
    {"utf-8", "utf-8"},
    {"utf8", "utf-8"},
    {"u8", "utf-8"},
    {"utf", "utf-8"},
    {"utf8-ucs2", "utf-8"},
    {"utf8-ucs4", "utf-8"},
    {"unicode-1-1-utf-8", "utf-8"},
    {"unicode11utf8", "utf-8"},
    {"unicode20utf8", "utf-8"},
    {"x-unicode20utf8", "utf-8"},
    {"utf-8-sig", "utf-8"},
    {"cp65001", "utf-8"},
    {"iso-8859-1", "windows-1252"},
    {"iso8859-1", "windows-1252"},
    {"iso88591", "windows-1252"},
    {"iso-8859-1-1987", "windows-1252"},
    {"8859", "windows-1252"},
    {"cp819", "windows-1252"},
    {"ibm819", "windows-1252"},
    {"csisolatin1", "windows-1252"},
    {"iso-ir-100", "windows-1252"},
    {"l1", "windows-1252"},
    {"latin", "windows-1252"},
    {"latin1", "windows-1252"},
    {"latin-1", "windows-1252"},
    {"ascii", "windows-1252"},
    {"us-ascii", "windows-1252"},
    {"us", "windows-1252"},
    {"646", "windows-1252"},
    {"ansi-x3-4-1968", "windows-1252"},
    {"ansi-x3-4-1986", "windows-1252"},
    {"cp367", "windows-1252"},
    {"ibm367", "windows-1252"},
    {"csascii", "windows-1252"},
    {"iso646-us", "windows-1252"},
    {"iso-646-irv-1991", "windows-1252"},
    {"iso-ir-6", "windows-1252"},
    {"ansi", "windows-1252"},
    {"windows-1252", "windows-1252"},
    {"windows1252", "windows-1252"},
    {"cp1252", "windows-1252"},
    {"x-cp1252", "windows-1252"},
    {"1252", "windows-1252"},
    {"iso-8859-9", "CP1254"},
    {"iso8859-9", "CP1254"},
    {"iso88599", "CP1254"},
    {"latin5", "CP1254"},
    {"l5", "CP1254"},
    {"csisolatin5", "CP1254"},
    {"iso-ir-148", "CP1254"},
    {"iso-8859-9-1989", "CP1254"},
    {"x-cp1254", "CP1254"},
    {"iso-8859-11", "CP874"},
    {"iso8859-11", "CP874"},
    {"iso885911", "CP874"},
    {"tis-620", "CP874"},
    {"tis620", "CP874"},
    {"tis-620-0", "CP874"},
    {"tis-620-2529-0", "CP874"},
    {"tis-620-2529-1", "CP874"},
    {"iso-ir-166", "CP874"},
    {"thai", "CP874"},
    {"dos-874", "CP874"},
    {"windows-874", "CP874"},
    {"iso-8859-11-2001", "CP874"},
    {"iso-8859-8-i", "ISO-8859-8"},
    {"csiso88598e", "ISO-8859-8"},
    {"csiso88598i", "ISO-8859-8"},
    {"csiso88596e", "ISO-8859-6"},
    {"csiso88596i", "ISO-8859-6"},
    {"csisolatin9", "ISO-8859-15"},
    {"logical", "ISO-8859-8"},
    {"visual", "ISO-8859-8"},
    {"gb2312", "GB18030"},
    {"gb-2312", "GB18030"},
    {"gb-2312-80", "GB18030"},
    {"gb2312-80", "GB18030"},
    {"gb2312-1980", "GB18030"},
    {"gbk", "GB18030"},
    {"x-gbk", "GB18030"},
    {"cp936", "GB18030"},
    {"ms936", "GB18030"},
    {"936", "GB18030"},
    {"chinese", "GB18030"},
    {"csgb2312", "GB18030"},
    {"csiso58gb231280", "GB18030"},
    {"iso-ir-58", "GB18030"},
    {"euc-cn", "GB18030"},
    {"euccn", "GB18030"},
    {"eucgb2312-cn", "GB18030"},
    {"gb18030", "GB18030"},
    {"gb18030-2000", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"big5-hkscs", "BIG5-HKSCS"},
    {"big5hkscs", "BIG5-HKSCS"},
    {"hkscs", "BIG5-HKSCS"},
    {"cn-big5", "BIG5-HKSCS"},
    {"csbig5", "BIG5-HKSCS"},
    {"x-x-big5", "BIG5-HKSCS"},
    {"big5-tw", "BIG5-HKSCS"},
    {"cp950", "CP950"},
    {"950", "CP950"},
    {"ms950", "CP950"},
    {"shift-jis", "CP932"},
    {"shiftjis", "CP932"},
    {"sjis", "CP932"},
    {"s-jis", "CP932"},
    {"x-sjis", "CP932"},
    {"ms-kanji", "CP932"},
    {"mskanji", "CP932"},
    {"ms932", "CP932"},
    {"cp932", "CP932"},
    {"932", "CP932"},
    {"windows-31j", "CP932"},
    {"csshiftjis", "CP932"},
    {"cswindows31j", "CP932"},
    {"shift-jis-2004", "SHIFT_JISX0213"},
    {"shiftjis2004", "SHIFT_JISX0213"},
    {"sjis-2004", "SHIFT_JISX0213"},
    {"s-jis-2004", "SHIFT_JISX0213"},
    {"shift-jisx0213", "SHIFT_JISX0213"},
    {"shiftjisx0213", "SHIFT_JISX0213"},
    {"sjisx0213", "SHIFT_JISX0213"},
    {"s-jisx0213", "SHIFT_JISX0213"},
    {"euc-jp", "EUC-JP"},
    {"eucjp", "EUC-JP"},
    {"ujis", "EUC-JP"},
    {"u-jis", "EUC-JP"},
    {"x-euc-jp", "EUC-JP"},
    {"cseucpkdfmtjapanese", "EUC-JP"},
    {"euc-jis-2004", "EUC-JISX0213"},
    {"jisx0213", "EUC-JISX0213"},
    {"eucjis2004", "EUC-JISX0213"},
    {"euc-jisx0213", "EUC-JISX0213"},
    {"eucjisx0213", "EUC-JISX0213"},
    {"euc-kr", "UHC"},
    {"euckr", "UHC"},
    {"korean", "UHC"},
    {"ks-c-5601", "UHC"},
    {"ks-c-5601-1987", "UHC"},
    {"ks-c-5601-1989", "UHC"},
    {"ksc5601", "UHC"},
    {"ksc-5601", "UHC"},
    {"ks-x-1001", "UHC"},
    {"ksx1001", "UHC"},
    {"cseuckr", "UHC"},
    {"csksc56011987", "UHC"},
    {"iso-ir-149", "UHC"},
    {"windows-949", "UHC"},
    {"cp949", "UHC"},
    {"949", "UHC"},
    {"ms949", "UHC"},
    {"uhc", "UHC"},
    {"johab", "JOHAB"},
    {"cp1361", "JOHAB"},
    {"ms1361", "JOHAB"},
    {"koi", "KOI8-R"},
    {"koi8", "KOI8-R"},
    {"koi8-r", "KOI8-R"},
    {"cskoi8r", "KOI8-R"},
    {"koi8-ru", "KOI8-U"},
    {"koi8-u", "KOI8-U"},
    {"koi8-t", "KOI8-T"},
    {"x-mac-roman", "MACINTOSH"},
    {"mac", "MACINTOSH"},
    {"macroman", "MACINTOSH"},
    {"mac-roman", "MACINTOSH"},
    {"macgreek", "x-mac-greek"},
    {"mac-greek", "x-mac-greek"},
    {"x-mac-greek", "x-mac-greek"},
    {"macturkish", "x-mac-turkish"},
    {"mac-turkish", "x-mac-turkish"},
    {"x-mac-turkish", "x-mac-turkish"},
    {"maciceland", "MAC-IS"},
    {"mac-iceland", "MAC-IS"},
    {"mac-icelandic", "MAC-IS"},
    {"x-mac-icelandic", "MAC-IS"},
    {"x-mac-cyrillic", "MAC-CYRILLIC"},
    {"maccyrillic", "MAC-CYRILLIC"},
    {"x-mac-ukrainian", "MAC-CYRILLIC"},
    {"mac-latin2", "MAC-CENTRALEUROPE"},
    {"maclatin2", "MAC-CENTRALEUROPE"},
    {"maccentraleurope", "MAC-CENTRALEUROPE"},
    {"windows-1250", "CP1250"},
    {"windows-1251", "CP1251"},
    {"windows-1253", "CP1253"},
    {"windows-1254", "CP1254"},
    {"windows-1255", "CP1255"},
    {"windows-1256", "CP1256"},
    {"windows-1257", "CP1257"},
    {"windows-1258", "CP1258"},
    {"cyrillic", "ISO-8859-5"},
    {"arabic", "ISO-8859-6"},
    {"greek", "ISO-8859-7"},
    {"greek8", "ISO-8859-7"},
    {"ecma-118", "ISO-8859-7"},
    {"elot-928", "ISO-8859-7"},
    {"sun-eu-greek", "ISO-8859-7"},
    {"hebrew", "ISO-8859-8"},
    {"ecma-114", "ISO-8859-6"},
    {"asmo-708", "ISO-8859-6"},
    {"latin8", "ISO-8859-14"},
    {"l8", "ISO-8859-14"},
    {"iso-celtic", "ISO-8859-14"},
    {"iso-ir-199", "ISO-8859-14"},
    {"latin9", "ISO-8859-15"},
    {"l9", "ISO-8859-15"},
    {"latin10", "ISO-8859-16"},
    {"l10", "ISO-8859-16"},
    {"iso-ir-226", "ISO-8859-16"},
    {"cp-is", "IBM861"},
    {"csibm861", "IBM861"},
    {"mac-centeuro", "MAC-CENTRALEUROPE"},
    {"cp-gr", "IBM869"},
    {"cskz1048", "RK1048"},
    {"kz-1048", "RK1048"},
    {"strk1048-2002", "RK1048"},
    {"rk1048", "RK1048"},
    {"ptcp154", "PT154"},
    {"csptcp154", "PT154"},
    {"pt154", "PT154"},
    {"cp154", "PT154"},
    {"cyrillic-asian", "PT154"},
    {"ruscii", "CP1125"},
    {"cp866u", "CP1125"},
    {"ibm1125", "CP1125"},
    {"cp737", "CP737"},
    {"cp775", "CP775"},
    {"cspc775baltic", "CP775"},
    {"ibm775", "CP775"},
    {"775", "CP775"},
    {"ibm039", "IBM037"},
    {"cp875", "CP875"},
    {"ibm875", "CP875"},
    {"cp1140", "IBM1140"},
    {"ibm1140", "IBM1140"},
    {"1140", "IBM1140"},
    {"cp1026", "IBM1026"},
    {"1026", "IBM1026"},
    {"cp273", "IBM273"},
    {"273", "IBM273"},
    {"hz", "HZ"},
    {"hzgb", "HZ"},
    {"hz-gb", "HZ"},
    {"hz-gb-2312", "HZ"},
    {"iso-2022-jp-2004", "ISO-2022-JP-3"},
    {"iso2022jp", "ISO-2022-JP"},
    {"iso2022-jp", "ISO-2022-JP"},
    {"csiso2022jp", "ISO-2022-JP"},
    {"iso2022kr", "ISO-2022-KR"},
    {"iso2022-kr", "ISO-2022-KR"},
    {"csiso2022kr", "ISO-2022-KR"},
    {"utf-16", "UTF-16"},
    {"utf16", "UTF-16"},
    {"u16", "UTF-16"},
    {"utf-16-be", "UTF-16BE"},
    {"utf-16be", "UTF-16BE"},
    {"utf-16-le", "UTF-16LE"},
    {"utf-16le", "UTF-16LE"},
    {"unicodebigunmarked", "UTF-16BE"},
    {"unicodelittleunmarked", "UTF-16LE"},
    {"unicode", "UTF-16"},
    {"ucs-2", "UTF-16"},
    {"iso-10646-ucs-2", "UTF-16"},
    {"csunicode", "UTF-16"},
    {"utf-32", "UTF-32"},
    {"utf32", "UTF-32"},
    {"u32", "UTF-32"},
    {"ucs-4", "UTF-32"},
    {"iso-10646-ucs-4", "UTF-32"},
    {"utf-32-be", "UTF-32BE"},
    {"utf-32be", "UTF-32BE"},
    {"utf-32-le", "UTF-32LE"},
    {"utf-32le", "UTF-32LE"},
    {"utf-7", "UTF-7"},
    {"utf7", "UTF-7"},
    {"u7", "UTF-7"},
    {"unicode-1-1-utf-7", "UTF-7"},
});

bool iconv_knows(string const& name) {
  auto const handle = iconv_open("UTF-8", name.c_str());
  if (handle == reinterpret_cast<iconv_t>(-1)) return false;
  iconv_close(handle);
  return true;
}

string in_capitals(string name) {
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return name;
}

string key_of(string_view label) {
  string key;
  for (char const c : label.substr(0, longest_label + 1)) {
    bool const upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      key += upper ? static_cast<char>(c + 32) : c;
    } else if (!key.empty() && key.back() != '-') {
      key += '-';
    }
  }
  while (key.ends_with('-')) key.pop_back();
  return key;
}

}  // namespace

string encoding_of_label(string_view label) {
  auto const key = key_of(label);
  if (key.empty() || key.size() > longest_label) return {};
  auto const known = std::ranges::find(aliases, key, &std::pair<string_view, string_view>::first);
  if (known != aliases.end()) return string{known->second};
  auto squeezed = key;
  std::erase(squeezed, '-');
  auto underscored = key;
  std::ranges::replace(underscored, '-', '_');
  for (auto const& name : {key, underscored, squeezed, "IBM" + squeezed, "CP" + squeezed})
    if (iconv_knows(name)) return in_capitals(name);                         // one charset, one name
  for (string_view const family : {"iso8859", "iso88591", "8859", "latin"})  // iso8859_15, 8859_2, latin_4
    if (squeezed.starts_with(family) && squeezed.size() > family.size()) {
      auto const number = squeezed.substr(family == "iso88591" ? 7 : family.size());
      auto const name = family == "latin" ? "LATIN" + number : "ISO-8859-" + number;
      if (iconv_knows(name)) return name;
    }
  // "iso_8859-2:1987" and "iso-8859-6-e" are ISO-8859-2 and -6 with a year or a writing direction; "x-" is just that.
  if (auto const tail = key.rfind('-'); key.starts_with("iso-8859-") && tail > 9 && tail != string::npos)
    return encoding_of_label(key.substr(0, tail));
  if (key.starts_with("x-")) return encoding_of_label(key.substr(2));
  if (squeezed.starts_with("windows") && iconv_knows("CP" + squeezed.substr(7))) return "CP" + squeezed.substr(7);
  return {};
}

string charset_of_content_type(string_view content_type) {
  string lower{content_type.substr(0, 1024)};
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  auto at = lower.find("charset");
  if (at == string::npos) return {};
  string_view rest = string_view{lower}.substr(at + 7);
  auto const skip = [&rest](string_view what) {
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(what)));
  };
  skip(" \t");
  if (!rest.starts_with('=')) return {};
  rest.remove_prefix(1);
  skip(" \t\"'");
  return string{rest.substr(0, rest.find_first_of(" \t\"';,"))};
}

}  // namespace cistern::stitch
