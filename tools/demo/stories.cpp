#include "tools/demo/stories.hpp"

#include <array>
#include <string_view>

namespace cistern::demo {
namespace {

struct subject {
  std::string_view name, section, place;
};
constexpr std::array<subject, 13> subjects{{
    {"The lower cistern", "Water", "below the old wall"},
    {"The school library", "School", "in the yard behind the school"},
    {"The mill", "Work", "at the bend of the brook"},
    {"The Saturday market", "Village", "on the square"},
    {"The bridge at the ford", "Roads", "where the brook is widest"},
    {"The radio station", "Village", "in two rooms above the bakery"},
    {"The upper spring", "Water", "an hour's walk up the hill"},
    {"The night bus", "Roads", "between the valley and the town"},
    {"The seed bank", "Fields", "in the cool cellar of the parish house"},
    {"The weather mast", "Fields", "on the ridge"},
    {"The evening school", "School", "in the hall by the mill"},
    {"The boat builder", "Work", "under the willows"},
    {"The mountain hut", "Roads", "just below the pass"},
}};
struct event {
  std::string_view happens, because;
};
constexpr std::array<event, 11> events{{
    {"is full again", "after eleven dry weeks it rained for three days and three nights"},
    {"opens on Monday", "the last boards were nailed down yesterday evening"},
    {"gets a new roof", "the neighbours brought slates, rope and a great deal of soup"},
    {"needs a hundred more hands", "what two did in a month could be done by all in a day"},
    {"is worth the walk", "whoever came back said so, and went again"},
    {"was closed for repairs", "the frost had found a crack that nobody had seen"},
    {"celebrates thirty years", "those who were there at the beginning told how it was"},
    {"has a new keeper", "the old one hands over the keys, and a notebook of advice"},
    {"will be painted blue", "the vote was close, and the green paint is used elsewhere"},
    {"is on the map at last", "the surveyors came with their instruments and stayed for the evening"},
    {"goes on through the winter", "enough wood was cut, and enough people said that they would come"},
}};
constexpr std::array<std::string_view, 7> authors{"Ada Quill", "Tomas Reed", "Imke Vaart", "Noor Hadid",
                                                  "Jon Alder", "Mirela Pop", "Sefa Lindt"};
constexpr std::array<std::string_view, 4> voices{
    "“We did not think that it would go so fast,” said one who had carried stones since the morning.",
    "“Ask me again in a year,” said the oldest at the table, and then told the whole story anyway.",
    "“It is not much,” said the keeper, “but it is ours, and it works.”",
    "“Write that everybody is welcome,” somebody called from the ladder. It is hereby written."};

}  // namespace

story write_story(std::uint32_t number) {
  auto const& what = subjects[number * 5 % subjects.size()];
  auto const& how = events[number * 4 % events.size()];
  std::string const name{what.name}, because{how.because};
  story out{.number = number, .title = name + ' ' + std::string{how.happens}};
  out.author = authors[number * 3 % authors.size()];
  out.section = what.section;
  auto sentence = because;
  sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  out.summary = name + ", " + std::string{what.place} + ": " + because + ".";
  out.paragraphs = {sentence + ". That is why " + out.author + " went to see it, " + std::string{what.place} +
                        ", with a notebook and a flask of tea.",
                    std::string{voices[number % voices.size()]} + " By noon there were " +
                        std::to_string(12 + number * 7 % 40) +
                        " people, four dogs and a table with bread, and for an hour nobody looked at the road.",
                    "What it costs was read out before everybody: " + std::to_string(40 + number * 13 % 200) +
                        " for the material, nothing for the work. The accounts hang by the door, and whoever wants to "
                        "can add them up.",
                    "The next meeting is on the first evening with a clear sky. This paper will report."};
  return out;
}

}  // namespace cistern::demo
