#include "stitch/feed/builder.hpp"

#include "stitch/entities.hpp"
#include "stitch/feed/links.hpp"
#include "stitch/feed/text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace cistern::stitch::feed {
namespace {

using std::span;
using std::string;
using std::string_view;
using attributes_t = span<xml_attribute const>;

// An attribute in no namespace; names are compared without case, as old formats shout.
string_view attribute(attributes_t attributes, string_view name) {
  for (auto const& [key, value] : attributes)
    if (!key.prefix && same(key.local, name)) return value;
  return {};
}

string_view prefixed_attribute(attributes_t attributes, string_view prefix, string_view name) {
  for (auto const& [key, value] : attributes)
    if (key.prefix && key.prefix == prefix && name == key.local) return value;
  return {};
}

// RDF's own, whatever the prefix.
string_view rdf_attribute(attributes_t attributes, string_view name) {
  for (auto const& [key, value] : attributes)
    if (key.prefix && same(key.local, name) && vocabulary_of(key) == vocabulary::rdf) return value;
  return {};
}

string_view local(xml_name const& name) { return name.local; }

// A base joined to the one outside it, either of which may be relative.
string joined_base(string_view outer, string_view inner) {
  constexpr string_view nowhere = "http://nowhere.invalid/";
  if (is_absolute(inner) || outer.empty()) return resolve({}, inner);
  if (is_absolute(outer)) return resolve(outer, inner);
  auto out = resolve(string{nowhere} + string{outer}, inner);
  return out.starts_with(nowhere) ? out.substr(nowhere.size() - (inner.starts_with('/') ? 1 : 0)) : out;
}

bool is_usable_base(string_view value) {
  value = trim_url(value);
  if (value.empty() || value[0] == '#') return false;
  auto const scheme = lowered(scheme_of(value));
  return scheme.empty() || scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "file";
}

std::optional<int> read_int(string_view text) {
  text = trimmed(text);
  int value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

string_view weekday_named(string_view text) {
  for (string_view const day : {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"})
    if (same(trimmed(text), day)) return day;
  return {};
}

// Atom 0.3 has content in several forms, one inside of the other.
bool is_part(source const& row) { return row.to == field::content && row.element == "content"; }

}  // namespace

builder::builder(limits const& bounds, allowance& growth, string document_base, std::function<void(draft&&)> on_item)
    : limits_{bounds}, growth_{growth}, document_base_{std::move(document_base)}, on_item_{std::move(on_item)} {}

bool builder::is_own(xml_name const& name) const {
  return name.uri && !own_uri_.empty() && own_uri_ == name.uri && (prefixed_own_ || !name.prefix);
}

// RSS has no namespace: what a document puts its elements in is RSS, be it nobody's or, by mistake, that of an
// extension. Then only elements without a prefix are meant.
void builder::adopt(xml_name const& name) {
  auto const whose = row_for(name, place::item).whose;
  if (!name.uri || whose == vocabulary::own) return;
  if (whose != vocabulary::foreign && (atom_ || name.prefix)) return;
  own_uri_ = name.uri;
  prefixed_own_ = whose == vocabulary::foreign;
  cache_.fill({});
}

// Names are interned, so one look at the table per distinct name and place is enough.
builder::cached_row const& builder::row_for(xml_name const& name, place where) {
  auto const bits = [](char const* p) { return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(p)); };
  auto const mix = bits(name.local) * 3 + bits(name.uri) * 5 + bits(name.prefix) * 7 + (where == place::item ? 1 : 0);
  auto const first = (mix * 0x9e3779b97f4a7c15ULL) >> 56;
  auto const at = [&](std::size_t next) -> cached_row& { return cache_[(first + next) % cache_.size()]; };
  auto const is_it = [&](cached_row const& slot) {
    return slot.name.local == name.local && slot.name.uri == name.uri && slot.name.prefix == name.prefix &&
           slot.where == where;
  };
  if (is_it(at(0))) return at(0);
  if (is_it(at(1))) return at(1);
  auto& slot = at(*at(0).name.local == '\0' ? 0 : 1);
  slot = {name, where, is_own(name) ? vocabulary::own : vocabulary_of(name), nullptr};
  slot.row = find_source(where, slot.whose, lowered(string_view{name.local}.substr(0, 32)));
  return slot;
}

// An RDF document can be anything; one that names RSS on its root element is a feed, even an empty one.
void builder::declared(string_view uri) {
  if (!open_.empty()) return;
  string const text{uri};
  names_rss_ = names_rss_ || vocabulary_of({"", nullptr, text.c_str()}) == vocabulary::own;
  names_first_rss_ = names_first_rss_ || text.find("netscape.com/rdf") != string::npos;
}

void builder::move_base(string_view value) {
  if (value.size() > limits_.base_bytes) return;
  auto joined = joined_base(bases_.empty() ? document_base_ : bases_.back().second, trim_url(value));
  if (joined.size() <= limits_.base_bytes + document_base_.size()) bases_.emplace_back(open_.size(), std::move(joined));
}

// Some write atom:href where Atom has href: an attribute in its element's namespace is the element's own all the same.
attributes_t builder::own_attributes(xml_name const& name, attributes_t attributes) {
  auto const is_own = [&name](xml_attribute const& each) { return each.name.uri && each.name.uri == name.uri; };
  if (std::ranges::none_of(attributes, is_own)) return attributes;
  own_attributes_.assign(attributes.begin(), attributes.end());
  for (auto& each : own_attributes_)
    if (is_own(each)) each.name = {each.name.local, nullptr, nullptr};
  return own_attributes_;
}

void builder::start(xml_name const& name, attributes_t given) {
  if (auto const value = prefixed_attribute(given, "xml", "base"); is_usable_base(value)) move_base(value);
  if (capture_.row && is_left_open(name)) leave_field();
  if (!capture_.row && ((in_line() && is_field(name, field_names::hardly_html)) || (!in_item_ && is_item(name))))
    leave_leaves();
  auto const here = open_.empty() ? spot::root : open_.back();
  open_.push_back(spot::ignored);
  if (capture_.row) return start_inside(name, given);
  auto const attributes = own_attributes(name, given);
  if (open_.size() == 1) return start_root(name, attributes);
  if (local(name) == "interval" && !in_item_ && (here == spot::channel || is_leaf(here) || here == spot::ignored))
    return read_interval(attributes, {}), void(interval_depth_ = open_.size());
  if (here == spot::values || here == spot::image) {
    value_.clear();
    auto const wanted = values_of_ == field::skip_hours ? "hour" : values_of_ == field::skip_days ? "day" : "url";
    auto const child = local(name).substr(0, local(name) == "hours" ? 4 : string_view::npos);  // some say <hours>
    if (same(child, here == spot::image ? "url" : wanted)) open_.back() = here;
    return;
  }
  if (is_leaf(here)) open_.back() = spot::leaf;
  if (is_leaf(here) || here == spot::ignored) return;
  if (here == spot::source) {
    auto const& found = row_for(name, place::item);
    if (found.row && found.row->as == form::person && found.whose != vocabulary::dc)
      start_field(*found.row, attributes);
    return;
  }

  auto const where = in_item_ ? place::item : place::channel;
  if (!in_item_ && same(local(name), "channel")) adopt(name);
  auto const& found = row_for(name, where);
  bool const ours = found.whose == vocabulary::own || found.whose == vocabulary::atom;
  if (!in_item_ && (ours || found.whose == vocabulary::foreign)) {
    if (same(local(name), "item") || (ours && same(local(name), "entry"))) return start_item(name, attributes);
    if (same(local(name), "channel")) {
      has_channel_ = true;
      open_.back() = spot::channel;
      if (rdf_ && name.uri && string_view{name.uri}.find("netscape") != string_view::npos) header_.format = "rss 0.90";
      return attribute_fields(attributes);
    }
    if (same(local(name), "items") || same(local(name), "entries")) return void(open_.back() = spot::channel);
  }
  bool const belongs = here != spot::group || found.whose == vocabulary::media || (found.row && is_part(*found.row));
  if (found.row && belongs) return start_field(*found.row, attributes);
  bool const box = same(local(name), "image") || same(local(name), "textinput");
  if (!in_item_ && found.whose != vocabulary::foreign) open_.back() = box ? spot::box : spot::leaf;
}

bool builder::is_rss(xml_name const& name) const { return is_own(name) || vocabulary_of(name) == vocabulary::own; }

bool builder::is_item(xml_name const& name) const {
  if (same(local(name), "item")) return is_rss(name);
  return same(local(name), "entry") && (is_rss(name) || vocabulary_of(name) == vocabulary::atom);
}

// What cannot be inside of the field that is being read, so the field's end was forgotten: anything in a link that was
// complete, an item in a field of the channel, another field in one that is no more than a line.
bool builder::is_left_open(xml_name const& name) {
  if (capture_.complete || (!in_item_ && is_item(name))) return true;
  auto const& row = *capture_.row;
  if (capture_.kind == text_kind::markup) return false;
  bool const line = row.as == form::text || row.as == form::date || row.as == form::link;
  return is_field(name, line                     ? field_names::all
                        : row.to == field::title ? field_names::hardly_html
                                                 : field_names::no_html);
}

// One of the item's fields, or of the channel's; one that HTML has as well is one in some places.
bool builder::is_field(xml_name const& name, field_names which) {
  auto const* found = row_for(name, in_item_ ? place::item : place::channel).row;
  if (!found || found == capture_.row) return false;
  bool const head = found->to == field::title || found->to == field::summary || same(local(name), "link");
  return which == field_names::all || (which == field_names::hardly_html && head) || !is_html_element(local(name));
}

// Behind the text of an element that says nothing to us, which stands beside the fields.
bool builder::in_line() const {
  if (open_.size() < 2 || open_.back() != spot::line) return false;
  auto const outer = open_[open_.size() - 2];
  return !is_leaf(outer);
}

// An item or a field inside of what can have none: the end of that was forgotten, too.
void builder::leave_leaves() {
  auto const holds_items = [](spot here) { return !is_leaf(here) && here != spot::values && here != spot::image; };
  auto const last = std::find_if(open_.rbegin(), open_.rend(), holds_items);
  if (last == open_.rend() || *last == spot::ignored) return;
  std::fill(open_.rbegin(), last, spot::passed);
}

void builder::leave_field() {
  auto const depth = capture_.depth;
  end_field();
  std::fill(open_.begin() + static_cast<std::ptrdiff_t>(depth) - 1, open_.end(), spot::passed);
}

void builder::start_root(xml_name const& name, attributes_t attributes) {
  auto const whose = vocabulary_of(name);
  auto const uri = string_view{name.uri ? name.uri : ""};
  bool const atom_1 = lowered(uri.substr(0, 64)).find("2005/atom") != string::npos;
  auto const version = string{clipped(trimmed(attribute(attributes, "version")), 16)};
  auto const numbered = [&version](string format) { return version.empty() ? format : format + ' ' + version; };
  open_.back() = spot::channel;
  if (same(local(name), "rss")) {
    known_root_ = wraps_channel_ = true;
    header_.format = numbered("rss");
  } else if (same(local(name), "rdf")) {
    rdf_ = known_root_ = wraps_channel_ = true;
    header_.format = names_first_rss_ ? "rss 0.90" : "rss 1.0";
  } else if (same(local(name), "feed")) {
    // Before Atom had a namespace people made them up: such a feed is known by its version. Others get it wrong, and
    // then what is inside must tell.
    bool const named = whose == vocabulary::atom || lowered(uri).find("atom") != string::npos;
    known_root_ = atom_ = true;
    unnamed_ = uri.empty() && version.empty();
    misnamed_ = !named && !uri.empty() && !version.starts_with("0.");
    header_.format = atom_1 ? "atom 1.0" : version.empty() && !uri.empty() ? "atom 0.3" : numbered("atom");
  } else if (same(local(name), "entry")) {
    known_root_ = whose == vocabulary::atom;
    atom_ = true;
    header_.format = atom_1 ? "atom 1.0" : "atom 0.3";
  } else if (same(local(name), "channel")) {
    known_root_ = has_channel_ = whose == vocabulary::own;
    bool const cdf =
        local(name) == "CHANNEL" || !attribute(attributes, "href").empty() || !attribute(attributes, "lastmod").empty();
    header_.format = cdf ? "cdf" : uri.find("rss1.1") != string_view::npos ? "rss 1.1" : "rss";
  }
  if (!known_root_) return void(open_.back() = spot::ignored);
  if (!rdf_ || whose == vocabulary::foreign) adopt(name);
  if (same(local(name), "entry")) return start_item(name, attributes);
  attribute_fields(attributes);
}

// What the old formats say in attributes of the channel or the item itself.
void builder::attribute_fields(attributes_t attributes) {
  auto& to = current();
  to.language.offer(2, string{prefixed_attribute(attributes, "xml", "lang")}, {});
  auto about = rdf_attribute(attributes, "about");
  if (about.empty() && rdf_) about = attribute(attributes, "about");  // as the RDF of 1999 could write it
  if (in_item_ && !about.empty()) {
    to.id.offer(2, string{about}, {});
    to.link.offer(3, string{about}, base());
  }
  if (auto const href = attribute(attributes, "href"); !href.empty()) to.link.offer(2, string{href}, base());
  if (auto const changed = attribute(attributes, "lastmod"); !changed.empty()) to.updated.offer(4, changed);
}

void builder::start_item(xml_name const& name, attributes_t attributes) {
  if (items_ >= limits_.items) return void(over_limit_ = true);
  adopt(name);
  item_ = {};
  in_item_ = true;
  open_.back() = spot::item;
  attribute_fields(attributes);
}

void builder::end_item() {
  in_item_ = false;
  ++items_;
  if (!item_lost_) on_item_(std::move(item_));
}

void builder::cut(bool inside) {
  bool const nameless = item_.id.empty() && item_.link.empty();
  item_lost_ = in_item_ && (inside || capture_.row || nameless || item_.title.empty());
}

void builder::set_kind(source const& row, attributes_t attributes) {
  capture_.kind = text_kind::loose;
  if (row.as != form::html || row.to == field::none) return;
  if (row.whose == vocabulary::xhtml) return void(capture_.kind = text_kind::markup);
  if (row.whose != vocabulary::atom && !(row.whose == vocabulary::own && atom_)) return;
  auto const type = lowered(trimmed(attribute(attributes, "type")));
  auto const mode = lowered(trimmed(attribute(attributes, "mode")));
  capture_.base64 = mode == "base64";
  capture_.binary = false;
  if (type == "xhtml" || type == "application/xhtml+xml") {
    capture_.kind = text_kind::markup;
    capture_.wrapper = true;
  } else if (type == "html" || type == "text/html" || mode == "escaped") {
    capture_.kind = mode == "escaped" && (type.empty() || type == "text/plain") ? text_kind::plain : text_kind::html;
    capture_.wrapper = true;  // some put XHTML's around escaped HTML
  } else if (type.ends_with("/xml") || type.ends_with("+xml")) {
    capture_.kind = text_kind::markup;
  } else if (type.empty() || type == "text" || type.starts_with("text/")) {
    capture_.kind = text_kind::plain;
  } else if (type.find('/') != string::npos) {
    capture_.kind = text_kind::html;
    capture_.base64 = capture_.binary = true;
  }
}

void builder::start_field(source const& row, attributes_t attributes) {
  if (is_part(row) && same(trimmed(attribute(attributes, "type")).substr(0, 10), "multipart/"))
    return void(open_.back() = spot::group);
  switch (row.as) {
    case form::group:
      return void(open_.back() = spot::group);
    case form::source:
      return void(open_.back() = spot::source);
    case form::image:
      value_.clear();
      open_.back() = spot::image;
      return;
    case form::values:
      values_of_ = row.to;
      open_.back() = spot::values;
      return;
    case form::media:
      open_.back() = spot::group;
      media_depth_ = open_.size();
      media_has_url_ = add_enclosure(attributes, 1);
      return;
    default:
      break;
  }
  capture_.row = &row;
  capture_.depth = open_.size();
  capture_.text.clear();
  capture_.names.clear();
  capture_.base64 = capture_.wrapper = capture_.has_markup = capture_.tag_open = capture_.complete = false;
  capture_.part = nullptr;
  capture_.base_count = bases_.size();
  set_kind(row, attributes);
  switch (row.as) {
    case form::enclosure:
      capture_.complete = add_enclosure(attributes, row.rank);
      break;
    case form::link:
    case form::href:
      capture_.href = attribute(attributes, "href");
      capture_.rel = attribute(attributes, "rel");
      capture_.type = attribute(attributes, "type");
      capture_.length = attribute(attributes, "length");
      if (capture_.href.empty() && row.as == form::href) capture_.href = attribute(attributes, "url");
      if (capture_.href.empty()) capture_.href = rdf_attribute(attributes, "resource");
      capture_.complete = !trimmed(capture_.href).empty();
      break;
    case form::category:
      for (string_view const name : {"label", "term", "text"})
        current().add_category(attribute(attributes, name), limits_.categories);
      break;
    case form::person:
      capture_.name.clear();
      capture_.email.clear();
      break;
    case form::html:
      if (row.to == field::content && in_item_)
        if (auto const src = attribute(attributes, "src"); !src.empty()) item_.link.offer(5, string{src}, base());
      break;
    case form::text:
      if (row.element == "guid") {
        auto const promise = trimmed(attribute(attributes, "ispermalink"));
        item_.guid_is_link = promise.empty() || same(promise, "true");
      }
      if (row.to == field::hash) capture_.type = attribute(attributes, "algo");
      break;
    default:
      break;
  }
}

bool builder::add_enclosure(attributes_t attributes, int rank) {
  auto url = trimmed(attribute(attributes, "url"));
  if (url.empty()) url = trimmed(attribute(attributes, "href"));
  auto const type = trimmed(attribute(attributes, "type"));
  if (url.empty() || item_.enclosures.size() >= limits_.enclosures) return false;
  auto const medium = attribute(attributes, "medium");
  bool const in_group = capture_.row == nullptr;  // media:content
  if (in_group && (same(medium, "image") || same(type.substr(0, 6), "image/")))
    item_.image.offer(4, string{url}, base());
  auto const length = in_group ? attribute(attributes, "filesize") : attribute(attributes, "length");
  item_.enclosures.push_back({string{url}, string{base()}, string{type}, read_length(length), rank});
  return true;
}

void builder::close_tag() {
  if (!capture_.tag_open) return;
  capture_.text += '>';
  capture_.tag_open = false;
}

void builder::append(string_view characters) {
  auto& to = capture_.part ? *capture_.part : capture_.text;
  if (to.size() + characters.size() > limits_.field_bytes) {
    over_limit_ = true;
    characters = clipped(characters, limits_.field_bytes - std::min(limits_.field_bytes, to.size()));
  }
  to += characters;
}

void builder::text(string_view characters) {
  if (capture_.row) {
    if (capture_.part) return append(characters);
    close_tag();
    if (capture_.kind != text_kind::markup) return append(characters);
    string escaped;
    append_escaped(escaped, characters);
    append(escaped);
  } else if (!open_.empty() && (open_.back() == spot::values || open_.back() == spot::image || interval_depth_ > 0)) {
    if (value_.size() < 4096) value_ += characters.substr(0, 4096);
  } else if (open_.size() > 1 && (open_.back() == spot::ignored || open_.back() == spot::leaf) &&
             !trimmed(characters).empty()) {
    open_.back() = spot::line;
  }
}

// An address inside of a text whose own element says what it is relative to.
string builder::moved_value(string_view attribute, string_view value) {
  auto const most = std::min(limits_.text_growth, growth_.left());
  if (most == 0 || wants_no_text()) return string{value};
  auto out = absolute_value(attribute, value, url_resolver{base()}, most);
  if (out.size() > value.size()) growth_.spend(out.size() - value.size());
  return out;
}

// An element inside a field: markup to keep, a part of a person, or XHTML's wrapper to drop.
void builder::start_inside(xml_name const& name, attributes_t attributes) {
  auto const here = local(name);
  if (capture_.row->as == form::person && !capture_.part && (same(here, "name") || same(here, "email"))) {
    if (same(here, "name") && !trimmed(capture_.name).empty()) next_person();
    capture_.part = same(here, "name") ? &capture_.name : &capture_.email;
    capture_.part_depth = open_.size();
    return;
  }
  // RDF's short form: <foaf:Person foaf:name="Ann"/>
  if (capture_.row->as == form::person && trimmed(capture_.name).empty())
    capture_.name = prefixed_attribute(attributes, "foaf", "name");
  bool const elsewhere = same(here, "uri") || same(here, "url") || same(here, "homepage");
  bool const named = capture_.row->as == form::category && !trimmed(capture_.text).empty();
  if (!capture_.part && (named || (capture_.row->as == form::person && elsewhere))) {
    capture_.part = &value_;  // which nobody reads
    capture_.part_depth = open_.size();
    value_.clear();
    return;
  }
  if (capture_.part) return;
  if (capture_.row->as == form::category && same(here, "category"))
    current().add_category(attribute(attributes, "text"), limits_.categories);
  close_tag();
  bool const wrapper = capture_.wrapper && same(here, "div") && trimmed(capture_.text).empty();
  capture_.wrapper = false;
  if (wrapper) return capture_.names.emplace_back(), void();
  capture_.has_markup = true;
  auto const uri = string_view{name.uri ? name.uri : ""};
  bool const drawing = uri == "http://www.w3.org/2000/svg" || uri == "http://www.w3.org/1998/Math/MathML";
  // Where the publisher says that this is XHTML, a prefix that nobody declared is XHTML's.
  bool const xhtml = name.uri ? vocabulary_of(name) == vocabulary::xhtml : capture_.kind == text_kind::markup;
  bool const bare = !name.prefix || drawing || xhtml;
  auto const shown = bare ? string{here} : string{name.prefix} + ':' + string{here};
  string tag = '<' + shown;
  if (drawing && (same(here, "svg") || same(here, "math"))) ((tag += " xmlns=\"") += uri) += '"';
  for (auto const& [key, value] : attributes) {
    if (key.prefix && string_view{key.prefix} == "xml") continue;
    tag += ' ';
    if (key.prefix) (tag += key.prefix) += ':';
    ((tag += key.local) += "=\"");
    bool const moved = bases_.size() > capture_.base_count && holds_address(here, key.local);
    append_escaped(tag, moved ? moved_value(key.local, value) : string{value}, reference_place::attribute);
    tag += '"';
  }
  append(tag);
  capture_.tag_open = true;
  capture_.names.push_back(shown);
}

void builder::end_inside() {
  if (capture_.part) {
    if (open_.size() < capture_.part_depth) capture_.part = nullptr;
    return;
  }
  if (capture_.names.empty()) return;
  auto const name = std::exchange(capture_.names.back(), {});
  capture_.names.pop_back();
  if (name.empty()) return;
  if (capture_.tag_open && is_void_element(name)) {
    capture_.tag_open = false;
    return append(" />");
  }
  close_tag();
  append("</" + name + ">");
}

void builder::end() {
  auto const here = open_.back();
  open_.pop_back();
  if (open_.size() < media_depth_) media_depth_ = 0;
  if (capture_.row) {
    if (open_.size() + 1 == capture_.depth)
      end_field();
    else
      end_inside();
  } else if (interval_depth_ == open_.size() + 1) {
    read_interval({}, value_);
    interval_depth_ = 0;
  } else if (here == spot::item) {
    end_item();
  } else if (here == spot::values || here == spot::image) {
    end_value();
  }
  while (!bases_.empty() && bases_.back().first >= open_.size()) bases_.pop_back();
}

void builder::end_value() {
  auto const text = string{trimmed(std::exchange(value_, {}))};
  if (text.empty()) return;
  if (in_item_) return item_.image.offer(3, text, base());
  if (values_of_ == field::skip_hours) {
    auto const hour = read_int(text);
    if (!hour || *hour < 0 || *hour > 24) return;
    if (auto& hours = header_.skip_hours; std::ranges::find(hours, *hour % 24) == hours.end())
      hours.push_back(*hour % 24);
  } else if (auto const day = weekday_named(text); !day.empty()) {
    if (auto& days = header_.skip_days; std::ranges::find(days, day) == days.end()) days.emplace_back(day);
  }
}

void builder::read_interval(attributes_t attributes, string_view text) {
  if (!attributes.empty() || text.empty()) {
    value_.clear();
    auto const number = [&](string_view name, int fallback, int most) {
      return std::clamp(read_int(attribute(attributes, name)).value_or(fallback), 0, most);
    };
    interval_ = {.start_hour = number("starthour", 0, 24),
                 .end_hour = number("endhour", 24, 24),
                 .start_day = number("startday", 0, 6),
                 .end_day = number("endday", 6, 6),
                 .interval = {}};
    return;
  }
  auto const length = read_int(text);
  if (!length || *length < 1 || *length > 525'600 || header_.intervals.size() >= 168) return;
  interval_.interval = std::chrono::minutes{*length};
  header_.intervals.push_back(interval_);
}

bool builder::wants_no_text() const {
  if (!capture_.row) return false;
  return (capture_.part ? *capture_.part : capture_.text).size() + 4 > limits_.field_bytes;
}

bool builder::is_bare() const {
  return header_.format == "rss" && !has_channel_ && items_ == 0 && channel_.title.empty();
}

bool builder::is_feed() const {
  if (!known_root_) return false;
  if (rdf_) return names_rss_ || has_channel_ || items_ > 0;
  if (misnamed_) return items_ > 0 && !channel_.title.empty();
  if (unnamed_) return items_ > 0 || !channel_.title.empty();
  return true;
}

}  // namespace cistern::stitch::feed
