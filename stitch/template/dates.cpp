#include "stitch/template/dates.hpp"

#include "stitch/template/text.hpp"

#include <algorithm>
#include <set>

namespace cistern::stitch::templates {
namespace {

using names = std::array<std::string_view, 12>;
using days = std::array<std::string_view, 7>;

struct language {
  names months, months_short;
  days weekdays, weekdays_short;  // Sunday first
};

// Several rows for one language where page makers differ: Sep and Sept, AP style, French with and without points. The
// usual one first: most months do not tell them apart. Languages that decline have a row for days and one for headings.
constexpr std::array<language, 33> tables{{
    {{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December"},
     {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
     {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
     {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}},
    {{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December"},
     {"Jan", "Feb", "Mar", "Apr", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec"},
     {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
     {"Sun", "Mon", "Tues", "Wed", "Thurs", "Fri", "Sat"}},
    {{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December"},
     {"Jan", "Feb", "March", "April", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec"},
     {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
     {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}},
    {{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
      "Dezember"},
     {"Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"},
     {"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
     {"So", "Mo", "Di", "Mi", "Do", "Fr", "Sa"}},
    {{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
      "décembre"},
     {"janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"},
     {"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
     {"dim", "lun", "mar", "mer", "jeu", "ven", "sam"}},
    {{"Janvier", "Février", "Mars", "Avril", "Mai", "Juin", "Juillet", "Août", "Septembre", "Octobre", "Novembre",
      "Décembre"},
     {"Jan", "Fév", "Mar", "Avr", "Mai", "Jui", "Jui", "Aoû", "Sep", "Oct", "Nov", "Déc"},
     {"Dimanche", "Lundi", "Mardi", "Mercredi", "Jeudi", "Vendredi", "Samedi"},
     {"Dim", "Lun", "Mar", "Mer", "Jeu", "Ven", "Sam"}},
    {{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
      "diciembre"},
     {"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"},
     {"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
     {"dom", "lun", "mar", "mié", "jue", "vie", "sáb"}},
    {{"Enero", "Febrero", "Marzo", "Abril", "Mayo", "Junio", "Julio", "Agosto", "Septiembre", "Octubre", "Noviembre",
      "Diciembre"},
     {"Ene", "Feb", "Mar", "Abr", "May", "Jun", "Jul", "Ago", "Sep", "Oct", "Nov", "Dic"},
     {"Domingo", "Lunes", "Martes", "Miércoles", "Jueves", "Viernes", "Sábado"},
     {"Dom", "Lun", "Mar", "Mié", "Jue", "Vie", "Sáb"}},
    {{"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro",
      "dezembro"},
     {"jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"},
     {"domingo", "segunda", "terça", "quarta", "quinta", "sexta", "sábado"},
     {"dom", "seg", "ter", "qua", "qui", "sex", "sáb"}},
    {{"Janeiro", "Fevereiro", "Março", "Abril", "Maio", "Junho", "Julho", "Agosto", "Setembro", "Outubro", "Novembro",
      "Dezembro"},
     {"Jan", "Fev", "Mar", "Abr", "Mai", "Jun", "Jul", "Ago", "Set", "Out", "Nov", "Dez"},
     {"Domingo", "Segunda", "Terça", "Quarta", "Quinta", "Sexta", "Sábado"},
     {"Dom", "Seg", "Ter", "Qua", "Qui", "Sex", "Sáb"}},
    {{"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
      "novembre", "dicembre"},
     {"gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"},
     {"domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"},
     {"dom", "lun", "mar", "mer", "gio", "ven", "sab"}},
    {{"Gennaio", "Febbraio", "Marzo", "Aprile", "Maggio", "Giugno", "Luglio", "Agosto", "Settembre", "Ottobre",
      "Novembre", "Dicembre"},
     {"Gen", "Feb", "Mar", "Apr", "Mag", "Giu", "Lug", "Ago", "Set", "Ott", "Nov", "Dic"},
     {"Domenica", "Lunedì", "Martedì", "Mercoledì", "Giovedì", "Venerdì", "Sabato"},
     {"Dom", "Lun", "Mar", "Mer", "Gio", "Ven", "Sab"}},
    {{"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november",
      "december"},
     {"jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"},
     {"zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"},
     {"zo", "ma", "di", "wo", "do", "vr", "za"}},
    {{"января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября",
      "декабря"},
     {"янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"},
     {"воскресенье", "понедельник", "вторник", "среда", "четверг", "пятница", "суббота"},
     {"вс", "пн", "вт", "ср", "чт", "пт", "сб"}},
    {{"stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "września", "października",
      "listopada", "grudnia"},
     {"sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru"},
     {"niedziela", "poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota"},
     {"nie", "pon", "wto", "śro", "czw", "pią", "sob"}},
    {{"januari", "februari", "mars", "april", "maj", "juni", "juli", "augusti", "september", "oktober", "november",
      "december"},
     {"jan", "feb", "mar", "apr", "maj", "jun", "jul", "aug", "sep", "okt", "nov", "dec"},
     {"söndag", "måndag", "tisdag", "onsdag", "torsdag", "fredag", "lördag"},
     {"sön", "mån", "tis", "ons", "tor", "fre", "lör"}},
    {{"一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月"},
     {"一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月"},
     {"星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"},
     {"日", "月", "火", "水", "木", "金", "土"}},
    {{"1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"},
     {"一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月"},
     {"周日", "周一", "周二", "周三", "周四", "周五", "周六"},
     {"日", "一", "二", "三", "四", "五", "六"}},
    {{"januar", "februar", "mars", "april", "mai", "juni", "juli", "august", "september", "oktober", "november",
      "desember"},
     {"jan", "feb", "mar", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "des"},
     {"søndag", "mandag", "tirsdag", "onsdag", "torsdag", "fredag", "lørdag"},
     {"søn", "man", "tir", "ons", "tor", "fre", "lør"}},
    {{"januar", "februar", "marts", "april", "maj", "juni", "juli", "august", "september", "oktober", "november",
      "december"},
     {"jan", "feb", "mar", "apr", "maj", "jun", "jul", "aug", "sep", "okt", "nov", "dec"},
     {"søndag", "mandag", "tirsdag", "onsdag", "torsdag", "fredag", "lørdag"},
     {"søn", "man", "tir", "ons", "tor", "fre", "lør"}},
    {{"Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kasım", "Aralık"},
     {"Oca", "Şub", "Mar", "Nis", "May", "Haz", "Tem", "Ağu", "Eyl", "Eki", "Kas", "Ara"},
     {"Pazar", "Pazartesi", "Salı", "Çarşamba", "Perşembe", "Cuma", "Cumartesi"},
     {"Paz", "Pzt", "Sal", "Çar", "Per", "Cum", "Cmt"}},
    {{"Januari", "Februari", "Maret", "April", "Mei", "Juni", "Juli", "Agustus", "September", "Oktober", "November",
      "Desember"},
     {"Jan", "Feb", "Mar", "Apr", "Mei", "Jun", "Jul", "Agu", "Sep", "Okt", "Nov", "Des"},
     {"Minggu", "Senin", "Selasa", "Rabu", "Kamis", "Jumat", "Sabtu"},
     {"Minggu", "Senin", "Selasa", "Rabu", "Kamis", "Jumat", "Sabtu"}},
    {{"ledna", "února", "března", "dubna", "května", "června", "července", "srpna", "září", "října", "listopadu",
      "prosince"},
     {"ledna", "února", "března", "dubna", "května", "června", "července", "srpna", "září", "října", "listopadu",
      "prosince"},
     {"neděle", "pondělí", "úterý", "středa", "čtvrtek", "pátek", "sobota"},
     {"neděle", "pondělí", "úterý", "středa", "čtvrtek", "pátek", "sobota"}},
    {{"leden", "únor", "březen", "duben", "květen", "červen", "červenec", "srpen", "září", "říjen", "listopad",
      "prosinec"},
     {"leden", "únor", "březen", "duben", "květen", "červen", "červenec", "srpen", "září", "říjen", "listopad",
      "prosinec"},
     {"neděle", "pondělí", "úterý", "středa", "čtvrtek", "pátek", "sobota"},
     {"neděle", "pondělí", "úterý", "středa", "čtvrtek", "pátek", "sobota"}},
    {{"Ιανουαρίου", "Φεβρουαρίου", "Μαρτίου", "Απριλίου", "Μαΐου", "Ιουνίου", "Ιουλίου", "Αυγούστου", "Σεπτεμβρίου",
      "Οκτωβρίου", "Νοεμβρίου", "Δεκεμβρίου"},
     {"Ιαν", "Φεβ", "Μαρ", "Απρ", "Μαΐ", "Ιουν", "Ιουλ", "Αυγ", "Σεπ", "Οκτ", "Νοε", "Δεκ"},
     {"Κυριακή", "Δευτέρα", "Τρίτη", "Τετάρτη", "Πέμπτη", "Παρασκευή", "Σάββατο"},
     {"Κυρ", "Δευ", "Τρι", "Τετ", "Πεμ", "Παρ", "Σαβ"}},
    {{"Ιανουάριος", "Φεβρουάριος", "Μάρτιος", "Απρίλιος", "Μάιος", "Ιούνιος", "Ιούλιος", "Αύγουστος", "Σεπτέμβριος",
      "Οκτώβριος", "Νοέμβριος", "Δεκέμβριος"},
     {"Ιανουάριος", "Φεβρουάριος", "Μάρτιος", "Απρίλιος", "Μάιος", "Ιούνιος", "Ιούλιος", "Αύγουστος", "Σεπτέμβριος",
      "Οκτώβριος", "Νοέμβριος", "Δεκέμβριος"},
     {"Κυριακή", "Δευτέρα", "Τρίτη", "Τετάρτη", "Πέμπτη", "Παρασκευή", "Σάββατο"},
     {"Κυριακή", "Δευτέρα", "Τρίτη", "Τετάρτη", "Πέμπτη", "Παρασκευή", "Σάββατο"}},
    {{"Январь", "Февраль", "Март", "Апрель", "Май", "Июнь", "Июль", "Август", "Сентябрь", "Октябрь", "Ноябрь",
      "Декабрь"},
     {"Январь", "Февраль", "Март", "Апрель", "Май", "Июнь", "Июль", "Август", "Сентябрь", "Октябрь", "Ноябрь",
      "Декабрь"},
     {"Воскресенье", "Понедельник", "Вторник", "Среда", "Четверг", "Пятница", "Суббота"},
     {"Вс", "Пн", "Вт", "Ср", "Чт", "Пт", "Сб"}},
    {{"січня", "лютого", "березня", "квітня", "травня", "червня", "липня", "серпня", "вересня", "жовтня", "листопада",
      "грудня"},
     {"січня", "лютого", "березня", "квітня", "травня", "червня", "липня", "серпня", "вересня", "жовтня", "листопада",
      "грудня"},
     {"неділя", "понеділок", "вівторок", "середа", "четвер", "п’ятниця", "субота"},
     {"неділя", "понеділок", "вівторок", "середа", "четвер", "п’ятниця", "субота"}},
    {{"styczeń", "luty", "marzec", "kwiecień", "maj", "czerwiec", "lipiec", "sierpień", "wrzesień", "październik",
      "listopad", "grudzień"},
     {"styczeń", "luty", "marzec", "kwiecień", "maj", "czerwiec", "lipiec", "sierpień", "wrzesień", "październik",
      "listopad", "grudzień"},
     {"niedziela", "poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota"},
     {"niedziela", "poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota"}},
    {{"január", "február", "március", "április", "május", "június", "július", "augusztus", "szeptember", "október",
      "november", "december"},
     {"jan", "febr", "márc", "ápr", "máj", "jún", "júl", "aug", "szept", "okt", "nov", "dec"},
     {"vasárnap", "hétfő", "kedd", "szerda", "csütörtök", "péntek", "szombat"},
     {"vasárnap", "hétfő", "kedd", "szerda", "csütörtök", "péntek", "szombat"}},
    {{"ianuarie", "februarie", "martie", "aprilie", "mai", "iunie", "iulie", "august", "septembrie", "octombrie",
      "noiembrie", "decembrie"},
     {"ianuarie", "februarie", "martie", "aprilie", "mai", "iunie", "iulie", "august", "septembrie", "octombrie",
      "noiembrie", "decembrie"},
     {"duminică", "luni", "marți", "miercuri", "joi", "vineri", "sâmbătă"},
     {"duminică", "luni", "marți", "miercuri", "joi", "vineri", "sâmbătă"}},
    {{"tammikuuta", "helmikuuta", "maaliskuuta", "huhtikuuta", "toukokuuta", "kesäkuuta", "heinäkuuta", "elokuuta",
      "syyskuuta", "lokakuuta", "marraskuuta", "joulukuuta"},
     {"tammi", "helmi", "maalis", "huhti", "touko", "kesä", "heinä", "elo", "syys", "loka", "marras", "joulu"},
     {"sunnuntai", "maanantai", "tiistai", "keskiviikko", "torstai", "perjantai", "lauantai"},
     {"sunnuntai", "maanantai", "tiistai", "keskiviikko", "torstai", "perjantai", "lauantai"}},
    {{"يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"},
     {"يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"},
     {"الأحد", "الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت"},
     {"الأحد", "الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت"}},
}};

std::string two(unsigned n) { return (n < 10 ? "0" : "") + std::to_string(n); }

// Years as headings write them: 二〇二四.
std::string han(unsigned n) {
  static constexpr std::string_view digits[] = {"〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"};
  std::string out;
  for (char const c : std::to_string(n)) out += digits[c - '0'];
  return out;
}

std::string zone_of(std::chrono::minutes offset) {
  auto const m = static_cast<unsigned>(std::abs(offset.count()));
  return two(m / 60) + two(m % 60);
}

}  // namespace

std::size_t languages() noexcept { return tables.size(); }
bool is_number(date_part part) noexcept { return part <= date_part::second || part == date_part::zone; }

std::span<date_zone const> likely_zones() noexcept {
  static constexpr auto h = [](int hours) { return date_zone{std::chrono::minutes{60 * hours}}; };
  static constexpr auto m = [](int minutes) { return date_zone{std::chrono::minutes{minutes}}; };
  static constexpr std::array all{h(0),  h(1),  h(2),  h(-5),  h(-4), h(-8), h(-7), h(8),   h(9),
                                  h(-6), h(3),  h(-3), h(10),  h(11), h(7),  h(5),  h(4),   m(330),
                                  h(6),  h(12), h(13), h(-10), h(-9), h(-2), h(-1), m(570), m(345)};
  return all;
}

std::optional<std::chrono::sys_days> day_in(std::string_view address) {
  using namespace std::chrono;
  auto const digit = [&](std::size_t i) { return i < address.size() && address[i] >= '0' && address[i] <= '9'; };
  auto const number = [&](std::size_t& at, std::size_t most) {
    int out = 0;
    for (auto const end = at + most; at < end && digit(at); ++at) out = 10 * out + (address[at] - '0');
    return out;
  };
  for (std::size_t i = 1; i + 8 <= address.size(); ++i) {
    if (!digit(i) || digit(i - 1)) continue;
    auto at = i;
    auto const y = number(at, 4);
    auto const joint = at < address.size() ? address[at] : ' ';
    if (at != i + 4 || y < 1990 || y > 2100 || (joint != '/' && joint != '-') || !digit(++at)) continue;
    auto const m = number(at, 2);
    if (at >= address.size() || address[at] != joint || !digit(++at)) continue;
    auto const d = number(at, 2);
    year_month_day const date{year{y}, month{static_cast<unsigned>(m)}, day{static_cast<unsigned>(d)}};
    if (date.ok() && !digit(at)) return sys_days{date};
  }
  return {};
}

std::string written(date_style const& style, std::chrono::sys_seconds time, std::chrono::minutes offset) {
  using namespace std::chrono;
  auto const local = time + offset;
  auto const midnight = floor<std::chrono::days>(local);
  year_month_day const date{midnight};
  auto const seconds_of_day = static_cast<unsigned>((local - midnight).count());
  auto const hour = seconds_of_day / 3600, hour12 = hour % 12 == 0 ? 12 : hour % 12;
  auto const month = static_cast<unsigned>(date.month()), day = static_cast<unsigned>(date.day());
  auto const year = static_cast<unsigned>(static_cast<int>(date.year()));
  auto const weekday_index = weekday{midnight}.c_encoding();
  auto const& names_of = tables[style.language];
  std::string out;
  switch (style.part) {
    case date_part::year:
      return std::to_string(year);
    case date_part::year2:
      return two(year % 100);
    case date_part::month:
      return std::to_string(month);
    case date_part::month0:
      return two(month);
    case date_part::day:
      return std::to_string(day);
    case date_part::day0:
      return two(day);
    case date_part::hour:
      return std::to_string(hour);
    case date_part::hour0:
      return two(hour);
    case date_part::hour12:
      return std::to_string(hour12);
    case date_part::hour120:
      return two(hour12);
    case date_part::minute:
      return two(seconds_of_day / 60 % 60);
    case date_part::second:
      return two(seconds_of_day % 60);
    case date_part::year_han:
      return han(year);
    case date_part::zone:
      return zone_of(offset);
    case date_part::month_name:
      out = names_of.months[month - 1];
      break;
    case date_part::month_short:
      out = names_of.months_short[month - 1];
      break;
    case date_part::weekday_name:
      out = names_of.weekdays[weekday_index];
      break;
    case date_part::weekday_short:
      out = names_of.weekdays_short[weekday_index];
      break;
    case date_part::half_day:
      out = hour < 12 ? "am" : "pm";
      break;
    case date_part::ordinal:
      out = day % 10 == 1 && day != 11   ? "st"
            : day % 10 == 2 && day != 12 ? "nd"
            : day % 10 == 3 && day != 13 ? "rd"
                                         : "th";
      break;
  }
  return in_case(out, style.letters);
}

bool looks_like_date(std::string_view text) {
  auto const words = words_of(text);
  if (words.empty() || words.size() > 8 || text.size() > 80) return false;
  for (auto const& t : tables)  // names that are several words: ideographs
    if (std::find(t.months.begin(), t.months.end(), trimmed(text)) != t.months.end()) return true;
  if (trimmed(text).starts_with("二〇") || trimmed(text).starts_with("一九")) return true;
  for (auto const& w : words) {
    bool const digits = std::all_of(w.begin(), w.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits && w.size() == 4 && (w.starts_with("19") || w.starts_with("20"))) return true;
    for (auto const& t : tables)
      if (w.size() > 2 && (std::find(t.months.begin(), t.months.end(), w) != t.months.end() ||
                           std::find(t.months_short.begin(), t.months_short.end(), w) != t.months_short.end()))
        return true;
  }
  return false;
}

// Most words are no names of days or months; those need no further look.
bool is_date_name(std::string_view token) {
  static std::set<std::string, std::less<>> const names = [] {
    std::set<std::string, std::less<>> out;
    auto const add = [&](auto const& row) {
      for (auto const& n : row)
        out.insert({std::string{n}, in_case(n, letter_case::lower), in_case(n, letter_case::upper)});
    };
    for (auto const& t : tables) add(t.months), add(t.months_short), add(t.weekdays), add(t.weekdays_short);
    return out;
  }();
  return names.contains(token);
}

void explain(std::string_view token, std::chrono::sys_seconds time, std::chrono::minutes offset,
             std::vector<date_style>& out) {
  bool const number = !token.empty() && token.front() >= '0' && token.front() <= '9';
  bool const name = !number && is_date_name(token);
  for (auto const part : all_date_parts) {
    if (is_number(part) != number) continue;
    if (number) {
      if (date_style const s{part, 0, letter_case::as_is}; written(s, time, offset) == token) out.push_back(s);
      continue;
    }
    bool const named = part >= date_part::month_name && part <= date_part::weekday_short;
    if (named && !name) continue;
    for (std::uint8_t l = 0; l < (named ? languages() : 1); ++l)
      for (auto const c : {letter_case::as_is, letter_case::lower, letter_case::upper})
        if (date_style const s{part, l, c}; written(s, time, offset) == token) out.push_back(s);
  }
}

}  // namespace cistern::stitch::templates
