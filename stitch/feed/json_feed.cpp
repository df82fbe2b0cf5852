#include "stitch/feed/json_feed.hpp"

#include "stitch/feed/date.hpp"
#include "stitch/feed/json_mender.hpp"
#include "stitch/feed/text.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;
namespace json = boost::json;
using error = boost::system::error_code;

constexpr std::size_t most_values = 100'000;  // in one item
constexpr std::size_t most_bytes = 8U << 20;  // in one item

// A list where one value belongs means its first.
json::value const* single(json::value const* v) {
  return v && v->is_array() && !v->get_array().empty() ? &v->get_array().front() : v;
}

// One value where a list belongs is a list of one.
template <class F>
void each(json::value const* v, F const& f) {
  if (v && v->is_array())
    for (auto const& one : v->get_array()) f(one);
  else if (v)
    f(*v);
}

string_view text_of(json::value const* v) {
  v = single(v);
  if (!v || !v->is_string()) return {};
  return {v->get_string().data(), v->get_string().size()};
}

string_view text_of(json::object const& o, string_view key) { return text_of(o.if_contains(key)); }

// Ids, titles and dates are strings; publishers also send numbers.
string written(json::value const* v) {
  v = single(v);
  if (!v) return {};
  if (v->is_int64()) return std::to_string(v->get_int64());
  if (v->is_uint64()) return std::to_string(v->get_uint64());
  if (v->is_double()) {
    auto const d = v->get_double();
    if (std::floor(d) == d && std::fabs(d) < 1e15) return std::to_string(static_cast<std::int64_t>(d));
    std::array<char, 32> shortest{};
    return {shortest.data(), std::to_chars(shortest.data(), shortest.data() + shortest.size(), d).ptr};
  }
  return string{text_of(v)};
}

// Who has no name is known by his address.
string author_name(json::value const& v) {
  if (!v.is_object()) return string{trimmed(written(&v))};
  auto const& o = v.get_object();
  auto const name = written(o.if_contains("name"));
  return string{trimmed(trimmed(name).empty() ? text_of(o, "url") : string_view{name})};
}

void add_authors(draft& to, json::value const* given, int rank) {
  each(given, [&](json::value const& v) { to.add_author(rank, author_name(v)); });
}

void offer(offered_text& slot, int rank, string_view text, text_kind kind = text_kind::plain) {
  slot.offer(rank, string{text}, {}, kind);
}

void add_attachment(draft& to, json::value const& given, limits const& bounds) {
  if (!given.is_object() || to.enclosures.size() >= bounds.enclosures) return;
  auto const& o = given.get_object();
  offered_enclosure out{string{trimmed(text_of(o, "url"))}, {}, string{trimmed(text_of(o, "mime_type"))}, {}, 0};
  if (out.url.empty()) return;
  if (auto const* size = single(o.if_contains("size_in_bytes"))) {
    if (size->is_int64() && size->get_int64() >= 0) out.length = static_cast<std::uint64_t>(size->get_int64());
    if (size->is_uint64()) out.length = size->get_uint64();
    if (size->is_string() || size->is_double()) out.length = read_length(written(size));
  }
  to.enclosures.push_back(std::move(out));
}

draft item_from(json::object const& from, limits const& bounds) {
  draft out;
  out.guid_is_link = false;
  offer(out.id, 0, written(from.if_contains("id")));
  offer(out.link, 0, text_of(from, "url"));
  offer(out.link, 1, text_of(from, "external_url"));
  offer(out.title, 0, written(from.if_contains("title")));
  offer(out.summary, 0, text_of(from, "summary"));
  offer(out.content, 0, text_of(from, "content_html"), text_kind::html);
  offer(out.content, 1, text_of(from, "content_text"));
  offer(out.image, 0, text_of(from, "image"));
  offer(out.image, 1, text_of(from, "banner_image"));
  out.published.offer(0, written(from.if_contains("date_published")));
  out.updated.offer(0, written(from.if_contains("date_modified")));
  add_authors(out, from.if_contains("authors"), 0);
  add_authors(out, from.if_contains("author"), 1);
  each(from.if_contains("tags"), [&](json::value const& tag) { out.add_category(written(&tag), bounds.categories); });
  each(from.if_contains("attachments"), [&](json::value const& v) { add_attachment(out, v, bounds); });
  return out;
}

/// Forwards the parser's events into one value at a time: an item, or a member of the feed.
struct handler {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = 1U << 20;
  static constexpr std::size_t max_string_size = 4U << 20;

  limits bounds;
  std::function<void(draft&&)> on_item;
  draft channel;
  feed header;
  json::value_stack stack;
  string key, part;  // the feed's member being read; pieces of a key or string
  std::size_t depth = 0, values = 0, bytes = 0, items = 0;
  bool in_items = false, has_items = false, itemlike = false, has_version = false, has_number = false;

  handler(limits const& given, std::function<void(draft&&)> sink) : bounds{given}, on_item{std::move(sink)} {}

  // The depth at which one value is complete.
  std::size_t unit() const { return in_items ? 2 : 1; }
  bool inside() const { return depth > unit(); }

  bool count(error& ec, std::size_t size = 0) {
    bytes += size;
    if (++values <= most_values && bytes <= most_bytes) return true;
    ec = json::error::array_too_large;
    return false;
  }

  void complete() {
    auto const value = stack.release();
    values = bytes = 0;
    stack.reset();
    if (in_items)
      item(value);
    else
      member(value);
  }

  void item(json::value const& value) {
    if (!value.is_object() || items >= bounds.items) return;
    auto const& o = value.get_object();
    itemlike =
        itemlike || o.contains("content_html") || o.contains("content_text") || (o.contains("id") && o.contains("url"));
    ++items;
    on_item(item_from(o, bounds));
  }

  void member(json::value const& value);
  void version(string_view text);

  bool on_document_begin(error&) { return true; }
  bool on_document_end(error&) { return true; }
  bool on_object_begin(error& ec) {
    if (++depth == 1) return true;
    return count(ec);
  }
  bool on_object_end(std::size_t n, error&) {
    if (depth-- == 1) return true;
    stack.push_object(n);
    if (depth == unit()) complete();
    return true;
  }
  bool on_array_begin(error& ec) {
    if (depth == 1 && key == "items") has_items = in_items = true;
    ++depth;
    return count(ec);
  }
  bool on_array_end(std::size_t n, error&) {
    --depth;
    if (in_items && depth == 1) {
      in_items = false;
      return true;
    }
    stack.push_array(n);
    if (depth == unit()) complete();
    return true;
  }
  bool on_key_part(json::string_view text, std::size_t, error&) { return part.append(text.data(), text.size()), true; }
  bool on_key(json::string_view text, std::size_t, error& ec) {
    part.append(text.data(), text.size());
    auto const whole = lowered(std::exchange(part, {}));
    if (depth == 1) return key = whole, true;
    if (!count(ec, whole.size())) return false;
    return stack.push_key(whole), true;
  }
  bool on_string_part(json::string_view text, std::size_t, error&) {
    return part.append(text.data(), text.size()), true;
  }
  bool on_string(json::string_view text, std::size_t, error& ec) {
    part.append(text.data(), text.size());
    auto const whole = std::exchange(part, {});
    if (!count(ec, whole.size())) return false;
    stack.push_string(whole);
    return scalar();
  }
  bool on_number_part(json::string_view, error&) { return true; }
  bool on_int64(std::int64_t n, json::string_view, error& ec) { return count(ec) && (stack.push_int64(n), scalar()); }
  bool on_uint64(std::uint64_t n, json::string_view, error& ec) {
    return count(ec) && (stack.push_uint64(n), scalar());
  }
  bool on_double(double n, json::string_view, error& ec) { return count(ec) && (stack.push_double(n), scalar()); }
  bool on_bool(bool b, error& ec) { return count(ec) && (stack.push_bool(b), scalar()); }
  bool on_null(error& ec) { return count(ec) && (stack.push_null(), scalar()); }
  bool on_comment_part(json::string_view, error&) { return true; }
  bool on_comment(json::string_view, error&) { return true; }
  bool scalar() {
    if (depth == unit()) complete();
    return true;
  }
};

// http or https, with www or without: what counts of the version's address is its end. Some say only the number.
void handler::version(string_view text) {
  constexpr string_view address = "jsonfeed.org/version/";
  auto const lower = lowered(text.substr(0, 100));
  auto const at = lower.find(address);
  auto number = trimmed(at == string::npos ? string_view{lower} : string_view{lower}.substr(at + address.size(), 8));
  while (number.ends_with('/')) number.remove_suffix(1);
  has_version = has_version || at != string::npos;
  has_number = at == string::npos && (number == "1" || number == "1.0" || number == "1.1");
  if (at != string::npos || has_number) header.format = "json feed " + string{number == "1" ? "1.0" : number};
}

void handler::member(json::value const& value) {
  auto const text = text_of(&value);
  if (key == "version") {
    version(written(&value));
  } else if (key == "title") {
    offer(channel.title, 0, written(&value));
  } else if (key == "home_page_url") {
    offer(channel.link, 0, text);
  } else if (key == "feed_url") {
    offer(channel.self, 0, text);
  } else if (key == "next_url") {
    offer(channel.next, 0, text);
  } else if (key == "description") {
    offer(channel.summary, 0, text);
  } else if (key == "language") {
    offer(channel.language, 0, text);
  } else if (key == "hubs") {
    each(&value, [this](json::value const& hub) {
      if (hub.is_object()) offer(channel.hub, 0, text_of(hub.get_object(), "url"));
    });
  } else if (key == "authors" || key == "author") {
    add_authors(channel, &value, key == "authors" ? 0 : 1);
  } else if (key == "items" && value.is_object()) {
    has_items = true;
    item(value);
  }
}

}  // namespace

struct json_feed_reader::state {
  json::basic_parser<handler> parser;
  json_mender mender;
  bool ended = false, failed = false;

  state(limits const& bounds, std::function<void(draft&&)> on_item)
      : parser{options(bounds), bounds, std::move(on_item)} {
    parser.handler().stack.reset();
  }

  static json::parse_options options(limits const& bounds) {
    json::parse_options out;
    out.max_depth = bounds.json_depth;
    out.allow_comments = true;
    out.allow_trailing_commas = true;
    out.allow_invalid_utf8 = true;
    return out;
  }

  void write(string_view given, bool more) {
    if (ended || failed) return;
    error ec;
    string text;
    mender.push(given, text);
    auto const used = parser.write_some(more, text.data(), text.size(), ec);
    failed = static_cast<bool>(ec);
    ended = !failed && (used < text.size() || parser.done());
  }
};

json_feed_reader::json_feed_reader(limits const& bounds, std::function<void(draft&&)> on_item)
    : state_{std::make_unique<state>(bounds, std::move(on_item))} {}
json_feed_reader::~json_feed_reader() = default;
json_feed_reader::json_feed_reader(json_feed_reader&&) noexcept = default;

void json_feed_reader::push(string_view utf8) { state_->write(utf8, true); }
void json_feed_reader::finish() { state_->write({}, false); }

bool json_feed_reader::done() const { return state_->ended || state_->failed; }
bool json_feed_reader::repaired() const { return state_->failed || state_->mender.repairs() > 0; }
draft& json_feed_reader::channel() { return state_->parser.handler().channel; }

feed& json_feed_reader::header() {
  auto& out = state_->parser.handler().header;
  if (out.format.empty()) out.format = "json feed";
  return out;
}

bool json_feed_reader::is_feed() const {
  auto const& h = state_->parser.handler();
  if (h.has_version) return true;
  // Without a version it must look like one: items that are items, in something with a name or an address.
  bool const named = !h.channel.title.empty() || !h.channel.self.empty() || !h.channel.link.empty();
  return h.has_items && h.itemlike && (named || h.has_number);
}

}  // namespace cistern::stitch::feed
