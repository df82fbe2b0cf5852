#include "stitch/template/pattern.hpp"

#include "stitch/template/date_vote.hpp"
#include "stitch/template/links.hpp"
#include "stitch/template/text.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <map>

namespace cistern::stitch::templates {
namespace {

void add_tokens(std::string_view text, std::vector<piece>& out) {
  for (std::size_t at = 0; at < text.size();) {
    auto end = at + 1;
    while (end < text.size() && class_of(text[end]) == class_of(text[at])) ++end;
    out.push_back(
        {.kind = piece_kind::literal, .text = std::string{text.substr(at, end - at)}, .from = {}, .style = {}});
    at = end;
  }
}

bool long_enough(field f, std::string_view value, std::string_view whole) {
  if (trimmed(whole) == value) return true;
  static constexpr field words[] = {field::title,    field::cased_title, field::small_title, field::large_title,
                                    field::category, field::author,      field::slug};
  return std::find(std::begin(words), std::end(words), f) != std::end(words) ? value.size() >= 4 : value.size() >= 3;
}

std::vector<piece> pieces_of(std::string_view value, item_fields const& item) {
  constexpr std::size_t longest = 4096;  // no page maker composes more; comparing pieces costs their square
  if (value.size() > longest)
    return {{.kind = piece_kind::literal, .text = std::string{value}, .from = {}, .style = {}}};
  struct span {
    std::size_t begin, end;
    field from;
  };
  std::vector<span> spans;
  for (auto const& [f, text] : item.values) {
    if (text.empty() || !long_enough(f, text, value)) continue;
    for (auto at = value.find(text); at != std::string_view::npos && spans.size() < 32; at = value.find(text, at + 1)) {
      auto const end = at + text.size();
      if (std::any_of(spans.begin(), spans.end(), [&](span const& s) { return at < s.end && s.begin < end; })) continue;
      spans.push_back({at, end, f});
    }
  }
  std::sort(spans.begin(), spans.end(), [](span const& x, span const& y) { return x.begin < y.begin; });
  std::vector<piece> out;
  std::size_t at = 0;
  for (auto const& s : spans) {
    add_tokens(value.substr(at, s.begin - at), out);
    out.push_back({.kind = piece_kind::field, .text = {}, .from = s.from, .style = {}});
    at = s.end;
  }
  add_tokens(value.substr(at), out);
  return out;
}

// Two values can be the same pattern when fields, kinds of tokens and punctuation agree. Spaces differ for free.
std::string shape_of(std::vector<piece> const& pieces) {
  std::string out;
  for (auto const& p : pieces) {
    if (p.kind == piece_kind::field) {
      (out += 'F') += static_cast<char>('A' + static_cast<int>(p.from));
    } else {
      switch (class_of(p.text[0])) {
        case token_class::digits:
          out += '9';
          break;
        case token_class::letters:
          out += 'x';
          break;
        case token_class::other:
          out += blank(p.text) ? " " : p.text;
          break;
      }
    }
  }
  return out;
}

}  // namespace

std::string const* item_fields::find(field f) const noexcept {
  for (auto const& [g, v] : values)
    if (g == f) return &v;
  return nullptr;
}

item_fields fields_of(feed::item const& item, std::string_view link, std::string_view base) {
  item_fields out;
  out.link = link;
  auto const add = [&](field f, std::string v) {
    if (!v.empty()) out.values.emplace_back(f, std::move(v));
  };
  std::string const path{path_of(link)};
  std::string_view stem = path;
  stem = stem.substr(0, stem.find_first_of("?#"));
  while (stem.ends_with('/')) stem.remove_suffix(1);
  auto slug = std::string{stem.substr(stem.rfind('/') + 1)};
  if (auto const dot = slug.rfind('.'); dot != std::string::npos && dot > 0) slug.resize(dot);
  add(field::title, single_spaced(item.title));
  add(field::cased_title, title_case(single_spaced(item.title)));
  add(field::small_title, in_case(single_spaced(item.title), letter_case::lower));
  add(field::large_title, in_case(single_spaced(item.title), letter_case::upper));
  add(field::link, std::string{link});
  if (path.size() > 2) add(field::path, path);
  if (path.size() > 2) add(field::relative_path, path.substr(1));
  auto const home = path_of(base);
  if (auto const directory = home.substr(0, home.rfind('/') + 1); directory.size() > 1 && path.starts_with(directory))
    add(field::relative_path, path.substr(directory.size()));
  add(field::slug, slug);
  add(field::author, single_spaced(item.author));
  add(field::image, is_web_url(item.image) ? item.image : std::string{});
  add(field::comments, is_web_url(item.comments) ? item.comments : std::string{});
  if (item.categories.size() == 1) add(field::category, single_spaced(item.categories[0]));
  add(field::encoded_title, percent_encode(item.title) == item.title ? std::string{} : percent_encode(item.title));
  add(field::encoded_link, percent_encode(link));
  if (path.size() > 2) add(field::encoded_path, percent_encode(path));
  std::stable_sort(out.values.begin(), out.values.end(),
                   [](auto const& x, auto const& y) { return x.second.size() > y.second.size(); });
  auto const sane = [](std::optional<std::chrono::sys_seconds> const& t) {  // calendars end somewhere; feeds lie
    constexpr std::chrono::sys_seconds first{std::chrono::seconds{-2'208'988'800}},
        last{std::chrono::seconds{7'258'118'400}};
    return t && *t > first && *t < last ? t : std::nullopt;
  };
  out.published = sane(item.published) ? item.published : sane(item.updated);
  out.updated = sane(item.updated) ? item.updated : out.published;
  out.zone = item.zone;
  return out;
}

bool pattern::constant() const noexcept {
  return std::all_of(pieces.begin(), pieces.end(), [](piece const& p) { return p.kind == piece_kind::literal; });
}
bool pattern::explained() const noexcept {
  return std::none_of(pieces.begin(), pieces.end(), [](piece const& p) { return p.kind == piece_kind::unexplained; });
}
bool pattern::prose() const noexcept {
  constexpr std::ptrdiff_t few = 4;
  auto const unknown =
      std::count_if(pieces.begin(), pieces.end(), [](piece const& p) { return p.kind == piece_kind::unexplained; });
  auto const told = std::count_if(pieces.begin(), pieces.end(), [](piece const& p) {
    return p.kind == piece_kind::literal ? class_of(p.text[0]) != token_class::other
                                         : p.kind != piece_kind::unexplained;
  });
  return unknown >= few && unknown > told;
}
bool pattern::uses(field f) const noexcept {
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](piece const& p) { return p.kind == piece_kind::field && p.from == f; });
}
bool pattern::uses_date() const noexcept {
  return std::any_of(pieces.begin(), pieces.end(), [](piece const& p) { return p.kind == piece_kind::date; });
}

std::optional<std::string> pattern::write(item_fields const& item) const {
  std::string out;
  auto const when = uses_updated ? item.updated : item.published;
  for (auto const& p : pieces) {
    switch (p.kind) {
      case piece_kind::literal:
        out += p.text;
        break;
      case piece_kind::unexplained:
        break;
      case piece_kind::date:
        if (!when) return {};
        out += written(p.style, *when, zone.at(item.zone));
        break;
      case piece_kind::field: {
        auto const* const v = item.find(p.from);
        if (!v) return {};
        out += *v;
        break;
      }
    }
  }
  return out;
}

std::string describe(pattern const& p) {
  static constexpr std::string_view fields[] = {"title",
                                                "link",
                                                "path",
                                                "path",
                                                "slug",
                                                "author",
                                                "image",
                                                "comments",
                                                "category",
                                                "title, encoded",
                                                "link, encoded",
                                                "path, encoded",
                                                "title, capitalised",
                                                "title, in small letters",
                                                "title, in capitals"};
  static constexpr std::string_view parts[] = {"year",    "year",    "month", "month",  "day",    "day",   "hour",
                                               "hour",    "hour",    "hour",  "minute", "second", "month", "month",
                                               "weekday", "weekday", "am/pm", "th",     "zone",   "year"};
  std::string out;
  for (auto const& x : p.pieces) {
    if (x.kind == piece_kind::literal) out += x.text;
    if (x.kind == piece_kind::unexplained) out += "{?}";
    if (x.kind == piece_kind::field) ((out += '{') += fields[static_cast<std::size_t>(x.from)]) += '}';
    if (x.kind == piece_kind::date) ((out += '{') += parts[static_cast<std::size_t>(x.style.part)]) += '}';
  }
  return out;
}

namespace {

// How many of all values have this word, whatever their shape: what only some records say is no label.
std::size_t spread_of(std::string_view word, std::vector<std::vector<piece>> const& rows) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](std::vector<piece> const& one) {
    return std::any_of(one.begin(), one.end(),
                       [&](piece const& p) { return p.kind == piece_kind::literal && p.text == word; });
  }));
}

// A day that the items' own dates do not give: when the page was built, or when somebody touched the file. The next
// item has another.
void forget_strange_days(std::vector<piece>& pieces) {
  auto const number = [&](std::size_t i, std::size_t least, std::size_t most) {
    return i < pieces.size() && pieces[i].kind == piece_kind::literal && is_digits(pieces[i].text) &&
           pieces[i].text.size() >= least && pieces[i].text.size() <= most;
  };
  auto const joint = [&](std::size_t i) {
    return pieces[i].kind == piece_kind::literal &&
           (pieces[i].text == "-" || pieces[i].text == "/" || pieces[i].text == ".");
  };
  for (std::size_t i = 0; i + 4 < pieces.size(); ++i) {
    bool const year_first = number(i, 4, 4) && number(i + 4, 1, 2), year_last = number(i, 1, 2) && number(i + 4, 4, 4);
    if ((!year_first && !year_last) || !joint(i + 1) || !number(i + 2, 1, 2) || !joint(i + 3)) continue;
    for (auto const k : {i, i + 2, i + 4})
      pieces[k] = {.kind = piece_kind::unexplained, .text = {}, .from = {}, .style = {}};
  }
}

}  // namespace

pattern learn_pattern(std::vector<sample> const& samples, std::span<date_zone const> zones, bool date_expected) {
  pattern out;
  if (samples.empty()) return out;
  std::vector<std::vector<piece>> rows;
  std::map<std::string, std::vector<std::size_t>> shapes;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    rows.push_back(pieces_of(samples[i].value, *samples[i].item));
    shapes[shape_of(rows.back())].push_back(i);
  }
  auto const best = std::max_element(shapes.begin(), shapes.end(),
                                     [](auto const& x, auto const& y) { return x.second.size() < y.second.size(); });
  auto const& chosen = best->second;
  if (rows[chosen[0]].empty()) {
    out.support = static_cast<double>(chosen.size()) / static_cast<double>(samples.size());
    return out;
  }
  std::vector<dated_row> cluster;
  for (auto const i : chosen) cluster.emplace_back(&rows[i], samples[i].item);
  auto const dates = vote_on_dates(cluster, zones, date_expected);
  out.zone = dates.zone;
  out.uses_updated = dates.updated;
  for (std::size_t i = 0; i < rows[chosen[0]].size(); ++i) {
    auto p = rows[chosen[0]][i];
    if (dates.styles[i]) {
      p = {.kind = piece_kind::date, .text = {}, .from = {}, .style = *dates.styles[i]};
    } else if (p.kind == piece_kind::literal && class_of(p.text[0]) != token_class::other) {
      std::map<std::string_view, std::size_t> tally;
      for (auto const& r : cluster) ++tally[(*r.first)[i].text];
      auto const most = std::max_element(tally.begin(), tally.end(),
                                         [](auto const& x, auto const& y) { return x.second < y.second; });
      if (most->second * 10 >= cluster.size() * 7 && spread_of(most->first, rows) * 10 >= rows.size() * 7)
        p.text = std::string{most->first};
      else
        p = {.kind = piece_kind::unexplained, .text = {}, .from = {}, .style = {}};
    }
    out.pieces.push_back(std::move(p));
  }
  forget_strange_days(out.pieces);
  out.support = static_cast<double>(chosen.size()) / static_cast<double>(samples.size());
  return out;
}

}  // namespace cistern::stitch::templates
