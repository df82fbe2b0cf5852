#include "stitch/template/date_vote.hpp"

#include "stitch/template/text.hpp"

#include <algorithm>
#include <map>

namespace cistern::stitch::templates {
namespace {

std::optional<std::chrono::sys_seconds> date_of(item_fields const& item, bool updated) {
  return updated ? item.updated : item.published;
}

bool is_ordinal(std::string_view token) {
  auto const t = lower(token);
  return t == "st" || t == "nd" || t == "rd" || t == "th";
}

// A text that consists of names of months and days, or of what follows a day's number, and nothing else: a calendar
// leaf whose parts stand apart.
bool only_names(std::vector<piece> const& pieces) {
  std::size_t names = 0;
  for (auto const& p : pieces) {
    if (p.kind != piece_kind::literal) return false;
    if (class_of(p.text[0]) == token_class::other) continue;
    if (!is_date_name(p.text) && !is_ordinal(p.text)) return false;
    ++names;
  }
  return names > 0 && names <= 2;
}

bool could_be_part(std::string_view token) {
  return class_of(token[0]) == token_class::digits || is_date_name(token) || is_ordinal(token);
}

struct tally {
  std::map<std::pair<int, std::pair<int, int>>, std::size_t> of;
  [[nodiscard]] std::size_t count(date_part part) const {
    auto const found = of.find({static_cast<int>(part), {0, 0}});
    return found == of.end() ? 0 : found->second;
  }
};

std::optional<date_part> padded(date_part part) {
  switch (part) {
    case date_part::month:
      return date_part::month0;
    case date_part::day:
      return date_part::day0;
    case date_part::hour:
      return date_part::hour0;
    case date_part::hour12:
      return date_part::hour120;
    default:
      return {};
  }
}

// Numbers of two digits only say nothing about a leading zero. The other number of the date tells, or else its form:
// dates in numbers alone have it, and so has a clock of 24 hours.
void settle_padding(date_vote& v, std::vector<tally> const& tallies) {
  std::size_t with = 0, without = 0;
  bool named = false, half_day = false;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < v.styles.size(); ++i) {
    if (!v.styles[i]) continue;
    auto const part = v.styles[i]->part;
    named |= part == date_part::month_name || part == date_part::month_short;
    half_day |= part == date_part::half_day;
    with += part == date_part::month0 || part == date_part::day0;
    auto const other = padded(part);
    if (!other) continue;
    if (tallies[i].count(part) == tallies[i].count(*other))
      open.push_back(i);
    else
      without += part == date_part::month || part == date_part::day;
  }
  for (auto const i : open) {
    auto& part = v.styles[i]->part;
    bool const clock = part == date_part::hour || part == date_part::hour12;
    if (clock ? !half_day : with != without ? with > without : !named) part = *padded(part);
  }
}

struct ballot {
  date_vote vote;
  bool complete = true;  // every part that could be one of a date is explained in every row
};

ballot count_votes(std::vector<dated_row> const& rows, date_zone zone, bool updated) {
  ballot out;
  out.vote.zone = zone;
  out.vote.updated = updated;
  auto const width = rows[0].first->size();
  out.vote.styles.resize(width);
  std::vector<tally> tallies(width);
  std::vector<date_style> styles;
  for (std::size_t i = 0; i < width; ++i) {
    auto const& first = (*rows[0].first)[i];
    if (first.kind != piece_kind::literal || class_of(first.text[0]) == token_class::other) continue;
    bool varies = false, part = false;
    for (auto const& [pieces, item] : rows) {
      auto const& token = (*pieces)[i].text;
      auto const when = date_of(*item, updated);
      varies |= token != first.text;
      part |= could_be_part(token);
      if (!when) continue;
      styles.clear();
      explain(token, *when, zone.at(item->zone), styles);
      for (auto const& s : styles)
        ++tallies[i].of[{static_cast<int>(s.part), {s.language, static_cast<int>(s.letters)}}];
    }
    std::size_t best = 0;
    for (auto const& [style, count] : tallies[i].of) {
      if (count <= best) continue;
      best = count;
      out.vote.styles[i] =
          date_style{static_cast<date_part>(style.first), static_cast<std::uint8_t>(style.second.first),
                     static_cast<letter_case>(style.second.second)};
    }
    out.complete &= !part || best == rows.size();
    if (best * 10 < rows.size() * (varies ? 8 : 10))
      out.vote.styles[i].reset();
    else
      out.vote.score += best * (varies ? 4 : 1);
  }
  settle_padding(out.vote, tallies);
  return out;
}

// A lone number that happens to fit is no date: some part must vary with the items, or several must stand together.
bool convincing(date_vote const& v, std::vector<dated_row> const& rows) {
  std::size_t parts = 0, varying = 0;
  bool named = false, year = false;
  for (std::size_t i = 0; i < v.styles.size(); ++i) {
    if (!v.styles[i]) continue;
    ++parts;
    named |= !is_number(v.styles[i]->part) && v.styles[i]->part != date_part::ordinal &&
             v.styles[i]->part != date_part::half_day;
    year |= v.styles[i]->part == date_part::year;
    auto const& first = (*rows[0].first)[i].text;
    varying += std::any_of(rows.begin(), rows.end(), [&](dated_row const& r) { return (*r.first)[i].text != first; });
  }
  return (varying >= 1 && rows.size() >= 2 && (parts >= 2 || year || named || rows.size() >= 4)) || parts >= 3 ||
         (parts >= 2 && (named || year)) || (year && parts == 1);
}

date_vote best_vote(std::vector<dated_row> const& rows, std::span<date_zone const> zones, bool names) {
  date_vote best;
  for (bool const updated : {false, true}) {
    auto const dated = std::count_if(rows.begin(), rows.end(),
                                     [&](dated_row const& r) { return date_of(*r.second, updated).has_value(); });
    if (dated == 0) continue;
    for (auto const& zone : zones) {
      auto b = count_votes(rows, zone, updated);
      bool const believed = names ? b.complete && rows.size() > 1 : convincing(b.vote, rows);
      if (b.vote.score > best.score && believed) best = std::move(b.vote);
      if (b.complete && believed) break;
    }
  }
  best.styles.resize(rows[0].first->size());
  return best;
}

}  // namespace

token_class class_of(char c) noexcept {
  if (c >= '0' && c <= '9') return token_class::digits;
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80) != 0)
    return token_class::letters;
  return token_class::other;
}

bool is_digits(std::string_view text) noexcept {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return class_of(c) == token_class::digits; });
}

date_vote vote_on_dates(std::vector<dated_row> const& rows, std::span<date_zone const> zones, bool expected) {
  constexpr std::size_t longest = 40, most = 12;
  auto const& first = *rows[0].first;
  date_vote out;
  out.styles.resize(first.size());
  auto const has = [&](token_class c) {
    return std::any_of(first.begin(), first.end(),
                       [&](piece const& p) { return p.kind == piece_kind::literal && class_of(p.text[0]) == c; });
  };
  bool const names =
      !expected && std::all_of(rows.begin(), rows.end(), [](dated_row const& r) { return only_names(*r.first); });
  bool const may_be = has(token_class::digits) || names || (expected && has(token_class::letters));
  if (!may_be || first.size() > longest) return out;
  std::vector<dated_row> few;  // from all over the list: neighbours mostly share a month
  auto const taken = std::min(most, rows.size());
  for (std::size_t i = 0; i < taken; ++i) few.push_back(rows[i * rows.size() / taken]);
  auto best = best_vote(few, zones, names);
  auto const parts = std::count_if(best.styles.begin(), best.styles.end(), [](auto const& s) { return s.has_value(); });
  bool const same = std::all_of(rows.begin(), rows.end(), [&](dated_row const& r) {
    return std::equal(first.begin(), first.end(), r.first->begin(), r.first->end());
  });
  if (!expected && !names && same && rows.size() > 1 && parts < 3) return out;
  return best;
}

}  // namespace cistern::stitch::templates
