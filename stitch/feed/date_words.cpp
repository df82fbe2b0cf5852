#include "stitch/feed/date_words.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

namespace cistern::stitch::feed {
namespace {

using std::string_view;

struct names {
  unsigned number;
  string_view words;  // between blanks
};

// English, German, French, Spanish, Catalan, Italian, Portuguese, Romanian, Dutch, Scandinavian, Finnish, Polish,
// Czech, Hungarian, Greek, Russian, Ukrainian, Bulgarian, Turkish, Indonesian; English as it is often misspelt
constexpr auto months = std::to_array<names>({
    {1,
     " january jan januar jänner janvier janv enero ene gennaio gen janeiro januari stycznia sty ledna január januári "
     "jan. "
     "ιαν ιανουαρίου января янв январь ocak tammikuu styczeń leden "
     "oca tammikuuta tammi січня січ ianuarie ian gener led януари janurary januray "},
    {2,
     " february feb februar février fevrier févr fevr fév febrero febbraio fevereiro fev februari lutego lut února "
     "február "
     "februári φεβ φεβρουαρίου февраля фев февр февраль şubat helmikuu luty únor "
     "şub Şub Şubat helmikuuta helmi лютого лют februarie febrer úno февруари febuary feburary febrary "},
    {3,
     " march mar märz maerz mär mrz mars marzo março marco maart mrt marca března március márc μαρ μάρ μάώ μαώ μαρτίου "
     "марта "
     "мар март mart maaliskuu marzec březen marts "
     "maaliskuuta maalis березня бер martie maret març bře "},
    {4,
     " april apr avril avr abril abr aprile kwietnia kwi dubna április ápr áprilisi απρ απριλίου апреля апр апрель "
     "nisan "
     "huhtikuu kwiecień duben "
     "nis huhtikuuta huhti квітня кві aprilie dub април "},
    {5,
     " may mai mayo maggio mag maio mei maj maja května május máj máujus μαι μάι μαϊ μαΐ μαΐου мая май mayıs toukokuu "
     "květen "
     "toukokuuta touko травня тра maig kvě "},
    {6,
     " june jun juni juin junio giugno giu junho czerwca cze června június jún ιουν ιούν ιον ιουνίου июня июн июнь "
     "haziran "
     "kesäkuu czerwiec červen "
     "haz kesäkuuta kesä червня чер iunie iun juny čvn юни "},
    {7,
     " july jul juli juillet juil julio luglio lug julho lipca lip července július júl ιουλ ιούλ ιολ ιουλίου июля июл "
     "июль "
     "temmuz heinäkuu lipiec červenec "
     "tem heinäkuuta heinä липня лип iulie iul juliol čvc Červenec юли "},
    {8,
     " august aug août aout agosto ago augustus sierpnia sie srpna augusztus αυγ αύγ αυγούστου августа авг август "
     "ağustos "
     "elokuu sierpień srpen augusti "
     "ağu elokuuta elo серпня сер agustus agu agost srp "},
    {9,
     " september sept sep septembre septiembre setiembre settembre set setembro września wrz září szeptember szept "
     "szeptemberi σεπ σεπτ σεπτεμβρίου сентября сен сент сентябрь eylül syyskuu wrzesień "
     "eyl syyskuuta syys вересня вер septembrie setembre zář септември septemeber septmber "},
    {10,
     " october oct oktober okt octobre octubre ottobre ott outubro out października paź října október οκτ οκτωβρίου "
     "октября окт октябрь ekim lokakuu październik říjen "
     "eki lokakuuta loka жовтня жов octombrie říj октомври "},
    {11,
     " november nov novembre noviembre novembro listopada lis listopadu νοε νοέ νοεμ νοεμβρίου ноября ноя нояб ноябрь "
     "kasım marraskuu listopad "
     "kas marraskuuta marras листопада лис noiembrie noi ноември "},
    {12,
     " december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro grudnia gru prosince δεκ "
     "δεκεμβρίου декабря дек декабрь aralık joulukuu grudzień prosinec desember des "
     "ara joulukuuta joulu грудня гру decembrie desembre pro декември "},
});

// Monday is 1. English, German, French, Spanish, Italian, Dutch. They only settle what else is in doubt, so few
// languages will do.
constexpr auto weekdays = std::to_array<names>({
    {1, " monday mon montag mo lundi lun lunes lunedì maandag ma "},
    {2, " tuesday tue tues dienstag di mardi mar martes martedì dinsdag "},
    {3, " wednesday wed mittwoch mi mercredi mer miércoles mercoledì woensdag wo "},
    {4, " thursday thu thur thurs donnerstag do jeudi jeu jueves giovedì donderdag "},
    {5, " friday fri freitag fr vendredi ven viernes venerdì vrijdag vr "},
    {6, " saturday sat samstag sa samedi sam sábado sabato zaterdag za "},
    {7, " sunday sun sonntag so dimanche dim domingo domenica zondag zo "},
});

using word_index = std::unordered_map<string_view, unsigned>;

word_index indexed(std::span<names const> rows) {
  word_index out;
  for (auto const& [number, words] : rows)
    for (auto rest = words; !rest.empty();) {
      auto const end = std::min(rest.size(), rest.find(' '));
      if (end > 0) out.try_emplace(rest.substr(0, end), number);
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  return out;
}

std::optional<unsigned> found(word_index const& in, string_view word) {
  auto const at = in.find(word);
  return at == in.end() ? std::nullopt : std::optional{at->second};
}

}  // namespace

std::string fold_case(string_view text) {
  std::string out{text};
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto const u = static_cast<unsigned char>(out[i]);
    if (u >= 'A' && u <= 'Z') out[i] = static_cast<char>(u + 32);
    if (u < 0xc3 || i + 1 >= out.size()) continue;
    auto const v = static_cast<unsigned char>(out[i + 1]);
    if ((u == 0xc3 && v >= 0x80 && v <= 0x9e) || (u == 0xce && v >= 0x91 && v <= 0x9f) ||
        (u == 0xd0 && v >= 0x90 && v <= 0x9f)) {
      out[++i] = static_cast<char>(v + 0x20);
    } else if ((u == 0xce && v >= 0xa0 && v <= 0xa9) || (u == 0xd0 && v >= 0xa0 && v <= 0xaf)) {
      out[i] = static_cast<char>(u + 1);
      out[++i] = static_cast<char>(v - 0x20);
    }
  }
  return out;
}

std::optional<unsigned> month_named(string_view word) {
  if (word.size() < 3) return {};
  if (word.size() == 3) {  // English first: nearly every date of nearly every feed
    constexpr string_view months_in_short = "janfebmaraprmayjunjulaugsepoctnovdec",
                          days_in_short = "montuewedthufrisatsun";
    if (auto const at = months_in_short.find(word); at != string_view::npos && at % 3 == 0)
      return static_cast<unsigned>(at / 3 + 1);
    if (auto const at = days_in_short.find(word); at != string_view::npos && at % 3 == 0) return {};
  }
  static auto const index = indexed(months);  // a hostile feed asks for hundreds of thousands of words
  return found(index, word);
}

std::optional<unsigned> weekday_named(string_view word) {
  if (word.size() < 2) return {};
  static auto const index = indexed(weekdays);
  return found(index, word);
}

}  // namespace cistern::stitch::feed
