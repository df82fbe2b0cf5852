#include "stitch/template/pattern.hpp"

#include "stitch/template/links.hpp"
#include "stitch/template/text.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <map>

namespace cistern::stitch::templates {
namespace {

enum class token_class : std::uint8_t { digits, letters, other };

token_class class_of(char c) {
  if (c >= '0' && c <= '9') return token_class::digits;
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80) != 0)
    return token_class::letters;
  return token_class::other;
}

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
  return f == field::title || f == field::cased_title || f == field::category || f == field::author || f == field::slug
             ? value.size() >= 4
             : value.size() >= 3;
}

std::vector<piece> pieces_of(std::string_view value, item_fields const& item) {
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

struct date_vote {
  std::vector<std::optional<date_style>> styles;  // by piece
  std::chrono::minutes offset{};
  bool updated = false;
  std::size_t score = 0;
};

using row = std::pair<std::vector<piece> const*, item_fields const*>;

std::optional<std::chrono::sys_seconds> date_of(item_fields const& item, bool updated) {
  return updated ? item.updated : item.published;
}

date_vote vote(std::vector<row> const& rows, std::chrono::minutes offset, bool updated) {
  date_vote out;
  out.offset = offset;
  out.updated = updated;
  auto const width = rows[0].first->size();
  out.styles.resize(width);
  std::vector<date_style> styles;
  for (std::size_t i = 0; i < width; ++i) {
    auto const& first = (*rows[0].first)[i];
    if (first.kind != piece_kind::literal || class_of(first.text[0]) == token_class::other) continue;
    std::map<std::pair<int, std::pair<int, int>>, std::size_t> tally;
    bool varies = false;
    for (auto const& [pieces, item] : rows) {
      auto const when = date_of(*item, updated);
      varies |= (*pieces)[i].text != first.text;
      if (!when) continue;
      styles.clear();
      explain((*pieces)[i].text, *when, offset, styles);
      for (auto const& s : styles) ++tally[{static_cast<int>(s.part), {s.language, static_cast<int>(s.letters)}}];
    }
    std::size_t best = 0;
    for (auto const& [style, count] : tally) {
      if (count <= best) continue;
      best = count;
      out.styles[i] = date_style{static_cast<date_part>(style.first), static_cast<std::uint8_t>(style.second.first),
                                 static_cast<letter_case>(style.second.second)};
    }
    if (best * 10 < rows.size() * (varies ? 8 : 10))
      out.styles[i].reset();
    else
      out.score += best * (varies ? 4 : 1);
  }
  return out;
}

// A lone number that happens to fit is no date: some part must vary with the items, or several must stand together.
bool convincing(date_vote const& v, std::vector<row> const& rows) {
  std::size_t parts = 0, varying = 0;
  bool named = false, year = false;
  for (std::size_t i = 0; i < v.styles.size(); ++i) {
    if (!v.styles[i]) continue;
    ++parts;
    named |= !is_number(v.styles[i]->part) && v.styles[i]->part != date_part::ordinal &&
             v.styles[i]->part != date_part::half_day;
    year |= v.styles[i]->part == date_part::year;
    auto const& first = (*rows[0].first)[i].text;
    varying += std::any_of(rows.begin(), rows.end(), [&](row const& r) { return (*r.first)[i].text != first; });
  }
  return (varying >= 1 && rows.size() >= 2 && (parts >= 2 || year || named || rows.size() >= 4)) || parts >= 3 ||
         (parts >= 2 && (named || year)) || (year && parts == 1);
}

date_vote best_vote(std::vector<row> const& rows) {
  date_vote best;
  for (bool const updated : {false, true}) {
    auto const dated =
        std::count_if(rows.begin(), rows.end(), [&](row const& r) { return date_of(*r.second, updated).has_value(); });
    if (dated == 0) continue;
    for (auto const offset : zone_offsets()) {
      auto v = vote(rows, offset, updated);
      if (v.score > best.score && convincing(v, rows)) best = std::move(v);
    }
  }
  best.styles.resize(rows[0].first->size());
  return best;
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
  return out;
}

bool pattern::constant() const noexcept {
  return std::all_of(pieces.begin(), pieces.end(), [](piece const& p) { return p.kind == piece_kind::literal; });
}
bool pattern::explained() const noexcept {
  return std::none_of(pieces.begin(), pieces.end(), [](piece const& p) { return p.kind == piece_kind::unexplained; });
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
  auto const when = date_of(item, uses_updated);
  for (auto const& p : pieces) {
    switch (p.kind) {
      case piece_kind::literal:
        out += p.text;
        break;
      case piece_kind::unexplained:
        break;
      case piece_kind::date:
        if (!when) return {};
        out += written(p.style, *when, offset);
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
                                                "title, capitalised"};
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

}  // namespace

pattern learn_pattern(std::vector<sample> const& samples, bool date_expected) {
  pattern out;
  if (samples.empty()) return out;
  std::vector<std::vector<piece>> rows;
  std::map<std::string, std::vector<std::size_t>> shapes;
  bool const same =
      std::all_of(samples.begin(), samples.end(), [&](sample const& s) { return s.value == samples[0].value; });
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
  std::vector<row> cluster;
  for (auto const i : chosen) cluster.emplace_back(&rows[i], samples[i].item);
  bool const may_be_date = std::any_of(rows[chosen[0]].begin(), rows[chosen[0]].end(), [&](piece const& p) {
    return p.kind == piece_kind::literal &&
           (class_of(p.text[0]) == token_class::digits || (date_expected && class_of(p.text[0]) != token_class::other));
  });
  date_vote dates;
  dates.styles.resize(rows[chosen[0]].size());
  if (may_be_date && rows[chosen[0]].size() <= 40) {
    std::vector<row> few;  // from all over the list: neighbours mostly share a month
    for (std::size_t i = 0; i < std::min<std::size_t>(12, cluster.size()); ++i)
      few.push_back(cluster[i * cluster.size() / std::min<std::size_t>(12, cluster.size())]);
    dates = best_vote(few);
    auto const parts =
        std::count_if(dates.styles.begin(), dates.styles.end(), [](auto const& s) { return s.has_value(); });
    if (!date_expected && same && samples.size() > 1 && parts < 3)
      dates.styles.assign(dates.styles.size(), std::nullopt);
  }
  out.offset = dates.offset;
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
  out.support = static_cast<double>(chosen.size()) / static_cast<double>(samples.size());
  return out;
}

}  // namespace cistern::stitch::templates
