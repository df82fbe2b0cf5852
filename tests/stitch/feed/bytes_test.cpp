#include "stitch/charset.hpp"
#include "tests/stitch/feed/support.hpp"

#include <iconv.h>
#include <zlib.h>
#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;

namespace {

std::string titled(std::string_view declaration, std::string_view title) {
  return std::string{declaration} + "<rss version='2.0'><channel><title>" + std::string{title} +
         "</title></channel></rss>";
}

std::string widened(std::string_view ascii, bool big, std::size_t width) {
  std::string out;
  for (char const c : ascii) {
    if (big)
      out.append(width - 1, '\0') += c;
    else
      (out += c).append(width - 1, '\0');
  }
  return out;
}

std::string encoded(std::string_view utf8, char const* encoding) {
  auto const handle = iconv_open(encoding, "UTF-8");
  std::string out(utf8.size() * 4 + 16, '\0');
  auto* from = const_cast<char*>(utf8.data());
  auto* to = out.data();
  auto left = utf8.size(), room = out.size();
  iconv(handle, &from, &left, &to, &room);
  iconv(handle, nullptr, nullptr, &to, &room);  // back to the first shift state
  iconv_close(handle);
  out.resize(out.size() - room);
  return out;
}

std::string packed(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

TEST_CASE("a byte-order mark is believed before the header, the header before the declaration", "[stitch]") {
  auto const latin = titled("<?xml version='1.0' encoding='utf-8'?>", "caf\xe9");
  CHECK(read(latin, "", "text/xml; charset=iso-8859-1").title == "café");
  CHECK(read(titled("<?xml version='1.0' encoding='windows-1251'?>", "\xcf\xf0")).title == "Пр");
  CHECK(
      read("\xef\xbb\xbf" + titled("<?xml version='1.0' encoding='iso-8859-1'?>", "é"), "", "text/xml; charset=koi8-r")
          .title == "é");
}

TEST_CASE("bytes that are not what they were said to be are read as windows-1252", "[stitch]") {
  CHECK(read(titled("<?xml version='1.0' encoding='utf-8'?>", "caf\xe9 \x93q\x94")).title == "café “q”");
  CHECK(read(titled("<?xml version='1.0' encoding='big5'?>", "\x80")).title == "€");
  CHECK(read(titled("<?xml version='1.0' encoding='euc-kr'?>", "“é”ñ")).title == "“é”ñ");
}

TEST_CASE("a feed in another script that names no charset is read in the likeliest", "[stitch]") {
  auto const [encoding, title] = GENERATE(table<char const*, std::string>({
      {"KOI8-R", "Правительство приняло решение о налоге"},
      {"CP1251", "Правительство приняло решение о налоге"},
      {"CP1251", "Новини от България"},
      {"ISO-8859-5", "Правительство приняло решение о налоге"},
      {"CP866", "Правительство приняло решение о налоге"},
      {"CP1253", "Ο πρωθυπουργός μίλησε χθες στη Βουλή"},
      {"CP1255", "הממשלה החליטה היום על תקציב חדש"},
      {"CP1256", "أعلنت الحكومة اليوم عن قرار جديد"},
      {"CP874", "รัฐบาลประกาศนโยบายใหม่"},
      {"EUC-JP", "政府は新しい政策を発表しました。"},
      {"CP932", "アップルがiPhoneの新モデルを発表"},
      {"ISO-2022-JP", "日本語のニュース見出し"},
      {"GB18030", "中国政府今天宣布新的经济政策"},
      {"BIG5", "台灣政府今天宣布新的經濟政策"},
      {"EUC-KR", "정부는 오늘 새로운 경제 정책을 발표했다"},
  }));
  CAPTURE(encoding);
  CHECK(read(titled("<?xml version='1.0'?>", encoded(title, encoding))).title == title);
  CHECK(read(titled("", encoded(title, encoding))).title == title);
  CHECK(read(titled("<?xml version='1.0' encoding='utf-8'?>", encoded(title, encoding))).title == title);
}

TEST_CASE("accented letters without a charset stay windows-1252", "[stitch]") {
  std::string const title = GENERATE(
      "Pääministeri lähtee tänään. Sää jäähtyy, yöllä jää pakkaselle, myöhään äänestetään päätöksestä",
      "¿Qué pasó en España? ¡Año nuevo! El niño está más allá", "L’été, à l’école : « Ça ira », œuvre aiguë, créée",
      "ÉLÈVE ÂGÉ À L’ÉCOLE, ÊTRE OÙ ÇA", "Größe für Übung: Äußerst süße Öle", "Rødgrød med fløde på øen Ærø", "ééé");
  CHECK(read(titled("<?xml version='1.0'?>", encoded(title, "CP1252"))).title == title);
}

TEST_CASE("neither damaged UTF-8 nor a label is guessed away", "[stitch]") {
  CHECK(read(titled("", "Правительство \xd0 и \xff решение")).title.starts_with("Правительство "));
  CHECK(read(titled("<?xml version='1.0' encoding='koi8-r'?>", encoded("Правительство", "CP1251"))).title ==
        "оПЮБХРЕКЭЯРБН");
  CHECK(read(titled("", encoded("café à la crème, thé, bébé", "CP1252") + ", pâté")).title ==
        "café à la crème, thé, bébé, pâté");
}

TEST_CASE("what says ASCII and is UTF-8 is read as UTF-8", "[stitch]") {
  CHECK(read(titled("<?xml version='1.0' encoding='US-ASCII'?>", "£ 3")).title == "£ 3");
  CHECK(stitch::to_utf8("<p>£</p>", "us-ascii") == "<p>£</p>");
  CHECK(read(titled("<?xml version='1.0' encoding='iso-8859-1'?>", "£")).title == "Â£");
}

TEST_CASE("a charset label means what it means on the web", "[stitch]") {
  auto const label =
      GENERATE(as<std::string>{}, "iso-8859-1", "us-ascii", "latin1", "ISO_8859-1", "windows-1252", "x-cp1252");
  CHECK(read(titled("<?xml version='1.0' encoding='" + label + "'?>", "\x93")).title == "“");
  CHECK(stitch::encoding_of_label("x-sjis") == stitch::encoding_of_label("windows-31j"));
  CHECK(stitch::encoding_of_label("gb2312") == "GB18030");
  CHECK(stitch::encoding_of_label("windows-949") == stitch::encoding_of_label("euc-kr"));
  CHECK(stitch::encoding_of_label("tis-620") == "CP874");
  CHECK(stitch::encoding_of_label("iso_8859-2:1987") == "ISO-8859-2");
  CHECK(stitch::encoding_of_label("ISO-8859-6-E") == stitch::encoding_of_label("csiso88596i"));
  CHECK(stitch::encoding_of_label("x-cp1251") == stitch::encoding_of_label("windows-1251"));
  CHECK(read(titled("<?xml version='1.0' encoding='x-mac-turkish'?>", "\x80\xdc")).title == "Äİ");
  CHECK(read(titled("<?xml version='1.0' encoding='macgreek'?>", "\x80\xe1")).title == "Äα");
  CHECK(stitch::encoding_of_label("no-such-charset").empty());
  CHECK(stitch::encoding_of_label("x-x-x-nothing").empty());
}

TEST_CASE("UTF-16 and UTF-32 are known by their bytes, with a mark and without, whatever is declared", "[stitch]") {
  auto const text = titled("<?xml version='1.0' encoding='utf-8'?>", "wide");
  for (bool const big : {false, true})
    for (std::size_t const width : {2U, 4U}) CHECK(read(widened(text, big, width)).title == "wide");
  CHECK(read("\xff\xfe" + widened(text, false, 2)).title == "wide");
  CHECK(read(titled("<?xml version='1.0' encoding='utf-16'?>", "narrow")).title == "narrow");
}

TEST_CASE("EBCDIC feeds are read", "[stitch]") {
  auto const ebcdic = std::string{
      "\x4c\x6f\xa7\x94\x93\x40\xa5\x85\x99\xa2\x89\x96\x95\x7e\x7d\xf1\x4b\xf0\x7d\x40\x85\x95\x83\x96\x84\x89\x95\x87"
      "\x7e\x7d"
      "\x83\x97\xf0\xf3\xf7\x7d\x6f\x6e\x4c\x99\xa2\xa2\x6e\x4c\x83\x88\x81\x95\x95\x85\x93\x6e\x4c\xa3\x89\xa3\x93\x85"
      "\x6e\x81"
      "\x82\x4c\x61\xa3\x89\xa3\x93\x85\x6e\x4c\x61\x83\x88\x81\x95\x95\x85\x93\x6e\x4c\x61\x99\xa2\xa2\x6e"};
  CHECK(read(ebcdic).title == "ab");
}

TEST_CASE("odd charset parameters do not reject a feed", "[stitch]") {
  CHECK(stitch::charset_of_content_type("text/xml; charset = \"KOI8-R\" ; x=y") == "koi8-r");
  CHECK(stitch::charset_of_content_type("text/xml;charset='utf-8'") == "utf-8");
  CHECK(stitch::charset_of_content_type("text/xml").empty());
  for (auto const* type : {"text/xml; charset=", "text/xml; charset=none-such", "charset", "text/html;;;"})
    CHECK(read(titled("", "ok"), "", type).title == "ok");
  CHECK(read(titled("<?xml version='1.0' encoding='" + std::string(5000, 'x') + "'?>", "ok")).title == "ok");
}

TEST_CASE("junk in front of a feed is passed over", "[stitch]") {
  for (auto const* junk :
       {"\n \t", "\xef\xbb\xbf\n", "<br />\n<b>Warning</b>: include() failed in <b>/x.php</b><br />\n", "Notice: x\n",
        "<!DOCTYPE html><html><body>debug</body></html>\n<?xml version='1.0'?>"})
    CHECK(read(junk + titled("", "ok")).title == "ok");
  CHECK(read("\n\n {\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"ok\",\"items\":[]}").title == "ok");
}

TEST_CASE("control characters are dropped and the item stays", "[stitch]") {
  using namespace std::string_literals;
  auto const f = read(titled("", "a\0b\x01\x0c"s + "c\x1f"));
  CHECK(f.title == "abc");
  CHECK(f.repaired);
  CHECK(read(titled("", "don\xc2\x92t")).title == "don’t");
}

TEST_CASE("a body that is still packed is unpacked", "[stitch]") {
  CHECK(read(packed(titled("", "packed"))).title == "packed");
  auto const half = packed(rss("<title>t</title><item><title>one</title></item>" + std::string(20000, ' ')));
  CHECK(read(half.substr(0, half.size() - 12)).items.size() == 1);
}
