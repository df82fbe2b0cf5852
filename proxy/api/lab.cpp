#include "proxy/api/lab.hpp"

#include "proxy/multipart.hpp"
#include "stitch/charset.hpp"
#include "stitch/feed/reader.hpp"
#include "stitch/template/heatmap.hpp"
#include "stitch/template/self_check.hpp"
#include "stitch/url.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace cistern::proxy {
namespace {

namespace json = boost::json;
namespace templates = stitch::templates;
using stitch::html::document;

constexpr std::size_t largest_page = 4u << 20;
constexpr std::size_t largest_feed = 8u << 20;

/// The legend would hide what it explains; the page around the frame says it all.
constexpr std::string_view heat_style = "#cistern-legend{display:none!important}";
constexpr std::string_view stitched_style =
    "[data-cistern-item]{outline:3px solid #0a7!important;outline-offset:2px;background:#0a71!important}"
    "[data-cistern-label]{display:none!important}";

json::array texts(std::vector<std::string> const& list) { return json::array(list.begin(), list.end()); }

std::string picture_of(std::string_view page, std::string_view base, std::string_view style,
                       stitch::html::shelf const& at_hand) {
  auto made = stitch::html::still(page, {.page_url = base, .content_type = "text/html; charset=utf-8", .style = style},
                                  at_hand);
  return made ? stitch::to_utf8(*made, "utf-8") : std::string{};  // JSON takes nothing else
}

json::object view(templates::check const& check) {
  return {{"right", check.right()}, {"score", check.score},     {"items", check.items}, {"order", check.order},
          {"words", check.words},   {"outside", check.outside}, {"shown", check.shown}, {"expected", check.expected}};
}

std::optional<document> read_page(form_part const& part, std::string& problem) {
  auto const name = part.file_name.empty() ? part.name : part.file_name;
  if (part.bytes.size() > largest_page) return problem = name + " is larger than 4 MiB", std::nullopt;
  auto page = document::parse(part.bytes);
  if (!page) return problem = name + ": " + page.error().message(), std::nullopt;
  return std::move(*page);
}

std::optional<stitch::feed::feed> read_feed(form_part const& part, std::string const& base, std::string& problem) {
  auto const name = part.file_name.empty() ? part.name : part.file_name;
  if (part.bytes.size() > largest_feed) return problem = name + " is larger than 8 MiB", std::nullopt;
  stitch::feed::reader_options options;
  options.base = base;
  auto feed = stitch::feed::parse(part.bytes, std::move(options));
  if (!feed) return problem = name + " is " + feed.error().message(), std::nullopt;
  return std::move(*feed);
}

/// The last page was served when its feeds said what they say: it is what stitching should foretell.
void foretell_last(lab_input& out) {
  out.served_later = out.snapshots.back().page;
  out.feeds = out.served_feeds = out.snapshots.back().feeds;
  out.snapshots.pop_back();
}

}  // namespace

json::object view(templates::outcome const& made) {
  json::array regions;
  for (auto const& r : made.regions) {
    json::array fields;
    for (auto const& f : r.fields)
      fields.push_back(json::object{{"what", f.what}, {"support", f.support}, {"places", f.nodes.size()}});
    regions.push_back(json::object{{"place", r.place},
                                   {"rule", r.rule},
                                   {"excerpt", r.excerpt},
                                   {"records", r.shown},
                                   {"made", r.made},
                                   {"confidence", r.confidence},
                                   {"stitched", r.stitched},
                                   {"reasons", texts(r.reasons)},
                                   {"fields", std::move(fields)}});
  }
  return {{"declined", made.declined}, {"confidence", made.confidence}, {"regions", std::move(regions)}};
}

json::object examine(lab_input const& input, bool pictures, stitch::html::shelf const& at_hand) {
  auto const made = templates::stitch(input.base, input.snapshots, input.feeds, {.threshold = input.threshold});
  auto out = view(made);
  bool const all_there = made.declined && std::ranges::any_of(made.regions, &templates::region_report::stitched);
  out["up_to_date"] = all_there;  // it is known how, but there is nothing to be written
  if (input.served_later)
    if (auto const page = document::parse(made.page, {.content_type = "text/html; charset=utf-8"}))
      out["measured"] = view(templates::self_check(*page, *input.served_later, input.base, input.served_feeds));
  if (!pictures) return out;
  auto const stale = input.snapshots.back().page.source();
  out["pages"] = json::object{{"stale", picture_of(stale, input.base, {}, at_hand)},
                              {"stitched", picture_of(made.page, input.base, stitched_style, at_hand)},
                              {"heat", picture_of(templates::draw_heatmap(input.base, input.snapshots, made),
                                                  input.base, heat_style, at_hand)}};
  return out;
}

std::optional<lab_input> read_lab_form(std::string_view content_type, std::string_view body, std::string& problem) {
  auto const parts = parts_of_form(content_type, body);
  if (!parts) return problem = "send a form with files (multipart/form-data); see docs/api.md", std::nullopt;
  lab_input out;
  for (auto const& part : *parts)
    if (part.name == "base") out.base = part.bytes;
  if (!stitch::is_web_url(out.base)) return problem = "say the page's address, as https://example.org/", std::nullopt;
  bool now = false;
  for (auto const& part : *parts) {
    if (part.bytes.empty()) continue;  // a field for a file that nobody chose
    if (part.name == "page") {
      auto page = read_page(part, problem);
      if (!page) return std::nullopt;
      out.snapshots.push_back({std::move(*page), {}});
    } else if (part.name == "feed" || part.name == "now") {
      auto feed = read_feed(part, out.base, problem);
      if (!feed) return std::nullopt;
      if (part.name == "feed" && out.snapshots.empty()) return problem = "a page comes before its feeds", std::nullopt;
      auto& to = part.name == "now" ? out.feeds : out.snapshots.back().feeds;
      now = now || part.name == "now";
      to.push_back(std::move(*feed));
    }
  }
  if (out.snapshots.size() + now < 2 || out.snapshots.empty())
    return problem = "two saved pages with their feeds are needed", std::nullopt;
  for (auto const& snapshot : out.snapshots)
    if (snapshot.feeds.empty()) return problem = "every page needs the feed of the same time", std::nullopt;
  if (!now) foretell_last(out);
  return out;
}

}  // namespace cistern::proxy
