#include "stitch/feed/opml.hpp"

#include "stitch/charset.hpp"
#include "stitch/entities.hpp"
#include "stitch/feed/mender.hpp"
#include "stitch/feed/sax.hpp"
#include "stitch/feed/text.hpp"
#include "stitch/url.hpp"

#include <algorithm>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;

constexpr std::size_t most_outlines = 100'000;

string full_name(xml_name const& name) {
  return name.prefix ? string{name.prefix} + ':' + name.local : string{name.local};
}

class opml_builder final : public xml_events {
public:
  opml_document document;
  bool has_body = false;

  void start(xml_name const& name, std::span<xml_attribute const> attributes) override {
    auto const depth = names_.size();
    bool const head = depth == 2 && names_.back() == "head";
    names_.push_back(lowered(name.local));
    bool const kept = same(name.local, "outline") && count_ < most_outlines;
    has_body = has_body || (depth == 1 && names_.back() == "body");
    in_head_ = head && !kept && document.head.size() < 64;  // an outline is one wherever it stands
    if (in_head_) document.head.emplace_back(full_name(name), string{});
    if (kept) {
      ++count_;
      outline made;
      for (auto const& [key, value] : attributes) made.attributes.emplace_back(full_name(key), value);
      open_.push_back(std::move(made));
    }
    outlines_.push_back(kept);
  }

  void end() override {
    if (in_head_ && !document.head.empty()) document.head.back().second = trimmed(document.head.back().second);
    in_head_ = false;
    names_.pop_back();
    bool const outer = outlines_.back();
    outlines_.pop_back();
    if (!outer || open_.empty()) return;
    auto made = std::move(open_.back());
    open_.pop_back();
    (open_.empty() ? document.outlines : open_.back().children).push_back(std::move(made));
  }

  void text(string_view characters) override {
    if (in_head_ && document.head.back().second.size() < 64 * 1024) document.head.back().second += characters;
  }

private:
  std::vector<string> names_;
  std::vector<bool> outlines_;
  std::vector<outline> open_;
  std::size_t count_ = 0;
  bool in_head_ = false;
};

void append_attribute(string& out, string_view name, string_view value) {
  ((out += ' ') += name) += "=\"";
  string escaped;
  append_escaped(escaped, value, reference_place::attribute);
  for (char const c : escaped) {  // line breaks would come back as blanks
    if (c == '\n')
      out += "&#10;";
    else if (c == '\r')
      out += "&#13;";
    else if (c == '\t')
      out += "&#9;";
    else
      out += c;
  }
  out += '"';
}

// Depth is bounded by what the parser lets in.
void append_outline(string& out, outline const& from, std::size_t depth) {
  out.append(2 * depth, ' ') += "<outline";
  for (auto const& [name, value] : from.attributes) append_attribute(out, name, value);
  if (from.children.empty()) {
    out += "/>\n";
    return;
  }
  out += ">\n";
  for (auto const& child : from.children) append_outline(out, child, depth + 1);
  out.append(2 * depth, ' ') += "</outline>\n";
}

string name_of(outline const& o) {
  for (string_view const key : {"text", "title"})
    if (auto const name = trimmed(o.attribute(key)); !name.empty()) return string{name};
  return {};
}

void collect(outline const& from, std::vector<string>& folders, std::vector<subscription>& out) {
  auto const url = trim_url(from.attribute("xmlUrl"));
  if (!url.empty()) {
    auto title = name_of(from);
    out.push_back({string{url}, string{trim_url(from.attribute("htmlUrl"))}, std::move(title), folders});
  }
  if (from.children.empty()) return;
  if (url.empty()) folders.push_back(name_of(from));
  for (auto const& child : from.children) collect(child, folders, out);
  if (url.empty()) folders.pop_back();
}

std::vector<outline>& folder_at(std::vector<outline>& list, std::vector<string> const& path) {
  auto* at = &list;
  for (auto const& name : path) {
    auto found = std::ranges::find_if(
        *at, [&name](outline const& o) { return o.attribute("xmlUrl").empty() && name_of(o) == name; });
    if (found == at->end()) {
      at->push_back({{{"text", name}}, {}});
      found = at->end() - 1;
    }
    at = &found->children;
  }
  return *at;
}

}  // namespace

string_view outline::attribute(string_view name) const {
  for (auto const& [key, value] : attributes)
    if (same(key, name)) return value;
  return {};
}

result<opml_document> parse_opml(string_view bytes) {
  limits bounds;
  bounds.bytes = 32U << 20;
  xml_mender mender{bounds, "opml"};
  opml_builder built;
  sax_parser parser{built};
  mender.push(to_utf8(bytes.substr(0, bounds.bytes)), parser);
  mender.end_input(parser);
  mender.close(parser);
  parser.finish();
  if (mender.refused() || !mender.started() || (!built.has_body && built.document.outlines.empty()))
    return errc::not_opml;
  return std::move(built.document);
}

string write_opml(opml_document const& document) {
  string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head>\n";
  for (auto const& [name, value] : document.head) {
    ((out += "    <") += name) += '>';
    append_escaped(out, value);
    ((out += "</") += name) += ">\n";
  }
  out += "  </head>\n  <body>\n";
  for (auto const& child : document.outlines) append_outline(out, child, 2);
  return out += "  </body>\n</opml>\n";
}

std::vector<subscription> subscriptions(opml_document const& document) {
  std::vector<subscription> out;
  std::vector<string> folders;
  for (auto const& each : document.outlines) collect(each, folders, out);
  return out;
}

opml_document make_opml(string_view title, std::vector<subscription> const& list) {
  opml_document out;
  if (!title.empty()) out.head.emplace_back("title", title);
  for (auto const& each : list) {
    outline made;
    made.attributes = {
        {"type", "rss"}, {"text", each.title.empty() ? each.feed_url : each.title}, {"xmlUrl", each.feed_url}};
    if (!each.page_url.empty()) made.attributes.emplace_back("htmlUrl", each.page_url);
    folder_at(out.outlines, each.folders).push_back(std::move(made));
  }
  return out;
}

}  // namespace cistern::stitch::feed
