#include "stitch/feed/date_zones.hpp"

#include <array>
#include <unordered_map>
#include <utility>

namespace cistern::stitch::feed {
namespace {

using std::string_view;
using namespace std::chrono;

constexpr auto abbreviations = std::to_array<std::pair<string_view, int>>({
    {"ut", 0},     {"utc", 0},     {"uct", 0},     {"gmt", 0},    {"zulu", 0},   {"wet", 0},     {"west", 60},
    {"est", -300}, {"edt", -240},  {"et", -300},   {"cst", -360}, {"cdt", -300}, {"ct", -360},   {"mst", -420},
    {"mdt", -360}, {"mt", -420},   {"pst", -480},  {"pdt", -420}, {"pt", -480},  {"akst", -540}, {"akdt", -480},
    {"hst", -600}, {"hast", -600}, {"hdt", -540},  {"ast", -240}, {"adt", -180}, {"at", -240},   {"nst", -210},
    {"ndt", -150}, {"brt", -180},  {"brst", -120}, {"art", -180}, {"clt", -240}, {"cot", -300},  {"pet", -300},
    {"vet", -240}, {"bst", 60},    {"cet", 60},    {"cest", 120}, {"met", 60},   {"mest", 120},  {"mez", 60},
    {"mesz", 120}, {"wat", 60},    {"eet", 120},   {"eest", 180}, {"cat", 120},  {"sast", 120},  {"eat", 180},
    {"msk", 180},  {"msd", 240},   {"trt", 180},   {"gst", 240},  {"pkt", 300},  {"ist", 330},   {"npt", 345},
    {"ict", 420},  {"wib", 420},   {"wita", 480},  {"wit", 540},  {"hkt", 480},  {"sgt", 480},   {"myt", 480},
    {"pht", 480},  {"awst", 480},  {"jst", 540},   {"kst", 540},  {"acst", 570}, {"acdt", 630},  {"aest", 600},
    {"aedt", 660}, {"nzst", 720},  {"nzdt", 780},
});

struct region_group {
  string_view names;  // each between blanks
  int offset;
  clock_rule rule;
};

// The tz database's names, where its rules fit in a line. Others are read as UTC, as unknown zones are.
constexpr auto regions = std::to_array<region_group>({
    {" europe/london europe/dublin europe/lisbon ", 0, clock_rule::europe},
    {" europe/paris europe/berlin europe/brussels europe/amsterdam europe/madrid europe/rome europe/vienna "
     "europe/zurich europe/prague europe/warsaw europe/budapest europe/copenhagen europe/stockholm europe/oslo "
     "europe/belgrade europe/luxembourg europe/zagreb europe/ljubljana europe/bratislava europe/malta ",
     60, clock_rule::europe},
    {" europe/athens europe/helsinki europe/bucharest europe/sofia europe/kiev europe/kyiv europe/vilnius europe/riga "
     "europe/tallinn ",
     120, clock_rule::europe},
    {" europe/moscow europe/minsk europe/istanbul asia/istanbul asia/riyadh asia/baghdad africa/nairobi ", 180,
     clock_rule::fixed},
    {" america/halifax ", -240, clock_rule::north_america},
    {" america/new_york america/toronto america/detroit us/eastern ", -300, clock_rule::north_america},
    {" america/chicago america/winnipeg us/central ", -360, clock_rule::north_america},
    {" america/denver america/edmonton us/mountain ", -420, clock_rule::north_america},
    {" america/los_angeles america/vancouver us/pacific ", -480, clock_rule::north_america},
    {" america/anchorage us/alaska ", -540, clock_rule::north_america},
    {" pacific/honolulu us/hawaii ", -600, clock_rule::fixed},
    {" america/phoenix us/arizona ", -420, clock_rule::fixed},
    {" america/mexico_city america/costa_rica ", -360, clock_rule::fixed},
    {" america/bogota america/lima america/panama ", -300, clock_rule::fixed},
    {" america/caracas america/puerto_rico ", -240, clock_rule::fixed},
    {" america/sao_paulo america/buenos_aires america/montevideo ", -180, clock_rule::fixed},
    {" africa/lagos ", 60, clock_rule::fixed},
    {" africa/johannesburg africa/harare ", 120, clock_rule::fixed},
    {" asia/dubai ", 240, clock_rule::fixed},
    {" asia/karachi asia/tashkent ", 300, clock_rule::fixed},
    {" asia/kolkata asia/calcutta ", 330, clock_rule::fixed},
    {" asia/dhaka ", 360, clock_rule::fixed},
    {" asia/jakarta asia/bangkok asia/ho_chi_minh asia/saigon ", 420, clock_rule::fixed},
    {" asia/shanghai asia/hong_kong asia/singapore asia/taipei asia/manila asia/kuala_lumpur australia/perth ", 480,
     clock_rule::fixed},
    {" asia/tokyo asia/seoul ", 540, clock_rule::fixed},
    {" australia/brisbane ", 600, clock_rule::fixed},
    {" australia/sydney australia/melbourne australia/hobart australia/canberra ", 600, clock_rule::australia},
});

}  // namespace

std::optional<named_zone> zone_named(string_view word) {
  // The military's letters: RFC 822 had their signs wrong, so nobody knows what a letter means, and RFC 5322 §4.3 has
  // all of them read as UTC.
  if (word.size() == 1 && word[0] >= 'a' && word[0] <= 'z' && word[0] != 'j') return named_zone{};
  static std::unordered_map<string_view, int> const index{abbreviations.begin(), abbreviations.end()};
  if (auto const known = index.find(word); known != index.end())
    return named_zone{minutes{known->second}, clock_rule::fixed};
  if (word.find('/') == string_view::npos) return {};
  auto const needle = ' ' + std::string{word} + ' ';
  for (auto const& [names, offset, rule] : regions)
    if (names.find(needle) != string_view::npos) return named_zone{minutes{offset}, rule};
  return {};
}

bool is_summer(sys_seconds local, minutes offset, clock_rule rule) {
  if (rule == clock_rule::fixed) return false;
  auto const y = year_month_day{floor<days>(local)}.year();
  auto const between = [local](sys_seconds from, sys_seconds to) { return local >= from && local < to; };
  switch (rule) {
    case clock_rule::europe:  // everywhere at one o'clock UTC
      return between(sys_days{y / March / Sunday[last]} + hours{1} + offset,
                     sys_days{y / October / Sunday[last]} + hours{1} + offset);
    case clock_rule::north_america:
      if (y < year{2007})
        return between(sys_days{y / April / Sunday[1]} + hours{2}, sys_days{y / October / Sunday[last]} + hours{1});
      return between(sys_days{y / March / Sunday[2]} + hours{2}, sys_days{y / November / Sunday[1]} + hours{1});
    case clock_rule::australia:  // their winter is in the middle of the year
      return !between(sys_days{y / April / Sunday[1]} + hours{2}, sys_days{y / October / Sunday[1]} + hours{2});
    default:
      return false;
  }
}

}  // namespace cistern::stitch::feed
