#include "stitch/feed/reader.hpp"

#include "stitch/charset.hpp"
#include "stitch/feed/builder.hpp"
#include "stitch/feed/gunzip.hpp"
#include "stitch/feed/json_feed.hpp"
#include "stitch/feed/mender.hpp"
#include "stitch/feed/sax.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;

std::size_t weight(draft const& d) {
  std::size_t out = 1024;
  for (auto const* part : {&d.title, &d.summary, &d.content, &d.link, &d.id, &d.comments, &d.image, &d.own_enclosure})
    out += part->text.size() + part->base.size();
  for (auto const& name : d.categories) out += 64 + name.size();
  for (auto const& each : d.enclosures) out += 128 + each.url.size() + each.base.size();
  return out;
}

// XML knows one end of line (XML 1.0, 2.11), also in the texts that libxml2 does not see. `cr`: the text before ended
// with a carriage return.
void unify_lines(string& text, bool& cr) {
  if (std::exchange(cr, text.empty() ? cr : text.ends_with('\r')) && text.starts_with('\n')) text.erase(0, 1);
  auto to = text.find('\r');
  for (auto from = to; from < text.size();) {
    from += text.compare(from, 2, "\r\n") == 0 ? 2 : 1;
    text[to++] = '\n';
    auto const next = std::min(text.find('\r', from), text.size());
    string::traits_type::move(text.data() + to, text.data() + from, next - from);
    to += next - from;
    from = next;
  }
  if (to != string::npos) text.resize(to);
}

}  // namespace

/// bytes -> gunzip -> charset -> mender -> libxml2 -> builder -> drafts -> items; or, behind the charset, JSON.
struct feed_reader::state {
  reader_options options;
  std::function<void(item&&)> on_item;
  allowance growth;
  string packed_head;
  std::optional<gunzip> unpacker;
  utf8_decoder decoder;
  xml_mender mender;
  builder xml;
  sax_parser sax;
  std::optional<json_feed_reader> json;
  bool sniffed_packing = false, sniffed_form = false, stopped = false, damaged = false, after_cr = false;
  std::size_t used = 0;
  string utf8;
  std::deque<draft> held;
  std::size_t held_bytes = 0;
  std::optional<url_resolver> document;

  state(reader_options given, std::function<void(item&&)> sink)
      : options{std::move(given)},
        on_item{std::move(sink)},
        growth{options.bounds.growth},
        decoder{charset_of_content_type(options.content_type)},
        mender{options.bounds},
        xml{options.bounds, growth, options.base, [this](draft&& d) { hold(std::move(d)); }},
        sax{xml} {
    if (!options.base.empty()) document.emplace(options.base);
  }

  draft& channel() { return json ? json->channel() : xml.channel(); }

  static string address(offered_text const& given) {
    if (given.empty()) return {};
    auto url = resolve(given.base, given.text);
    return is_web_url(url) ? url : string{};
  }

  url_resolver base() {
    if (document) return *document;
    auto const self = address(channel().self);
    return url_resolver{self.empty() ? address(channel().link) : self};
  }

  bool knows_site_only() { return !document && address(channel().self).empty(); }

  void hold(draft&& d) {
    held_bytes += weight(d);
    held.push_back(std::move(d));
    if (held_bytes > options.hold_bytes) release();
  }

  void release() {
    if (!held.empty()) release(base(), joined(channel().authors));
  }
  void release(url_resolver const& start, string const& author) {
    auto const site_only = knows_site_only();
    while (!held.empty()) {
      on_item(finished_item(std::move(held.front()), {start, author, options.bounds, growth, site_only}));
      held.pop_front();
    }
    held_bytes = 0;
  }

  void unpacked(string_view bytes) {
    auto const room = options.bounds.bytes - std::min(used, options.bounds.bytes);
    if (bytes.size() > room) {
      bytes = bytes.substr(0, room);
      stopped = damaged = true;
    }
    used += bytes.size();
    decoder.push(bytes, utf8);
    if (decoder.repairs() > options.bounds.repairs) stopped = damaged = true;
    decoded();
  }

  // The first character that is no blank and no mark tells JSON from XML.
  void decoded() {
    if (!sniffed_form) {
      auto const head = utf8.find_first_not_of(" \t\r\n\xef\xbb\xbf");
      if (head == string::npos) return utf8.clear();  // nothing yet; looked at once, however much of it there is
      sniffed_form = true;
      if (utf8[head] == '{') {
        json.emplace(options.bounds, [this](draft&& d) { hold(std::move(d)); });
        utf8.erase(0, head);
      }
    }
    if (json) {
      json->push(utf8);
      stopped = stopped || json->done();
    } else {
      unify_lines(utf8, after_cr);
      if (xml.wants_no_text()) mender.mute();
      mender.push(utf8, sax);
      stopped = stopped || mender.refused() || mender.ended() || sax.stopped() || xml.full();
    }
    utf8.clear();
  }
};

feed_reader::feed_reader(reader_options options, std::function<void(item&&)> on_item)
    : state_{std::make_unique<state>(std::move(options), std::move(on_item))} {}
feed_reader::~feed_reader() = default;
feed_reader::feed_reader(feed_reader&&) noexcept = default;

bool feed_reader::done() const { return state_->stopped; }

void feed_reader::push(string_view bytes) {
  auto& s = *state_;
  string head;
  if (!s.sniffed_packing) {
    s.packed_head += bytes;
    if (s.packed_head.size() < 2) return;
    s.sniffed_packing = true;
    if (gunzip::is_packed(s.packed_head)) s.unpacker.emplace();
    head = std::exchange(s.packed_head, {});
    bytes = head;
  }
  // In blocks, so that no stage ever holds more than one of them.
  constexpr std::size_t block = 64 * 1024;
  while (!bytes.empty() && !s.stopped) {
    auto const part = bytes.substr(0, s.unpacker ? 1024 : block);
    bytes.remove_prefix(part.size());
    if (!s.unpacker) {
      s.unpacked(part);
      continue;
    }
    string plain;
    if (!s.unpacker->push(part, s.options.bounds.bytes - s.used + 1, plain)) bytes = {};
    s.unpacked(plain);
  }
}

result<feed> feed_reader::finish(std::function<void(feed const&)> const& before_held) {
  auto& s = *state_;
  if (!s.sniffed_packing) {
    s.sniffed_packing = true;
    s.unpacked(std::exchange(s.packed_head, {}));
  }
  s.decoder.finish(s.utf8);
  s.decoded();
  feed out;
  if (s.json) {
    s.json->finish();
    if (!s.json->is_feed()) return errc::not_a_feed;
    out = std::move(s.json->header());
    out.repaired = s.json->repaired();
  } else {
    s.mender.end_input(s.sax);
    if (s.mender.cut_short()) s.xml.cut(s.mender.cut_inside());
    s.mender.close(s.sax);
    s.sax.finish();
    if (!s.mender.started() || s.mender.refused() || !s.xml.is_feed()) return errc::not_a_feed;
    if (s.mender.repaired() && s.xml.is_bare()) return errc::not_a_feed;
    out = std::move(s.xml.header());
    out.repaired = s.mender.repaired() || s.xml.over_limit() || s.sax.stopped();
  }
  out.repaired = out.repaired || s.decoder.repaired() || s.damaged;
  auto const start = s.base();
  auto const author = joined(s.channel().authors);
  finish_channel(std::move(s.channel()), {start, {}, s.options.bounds, s.growth}, out);
  if (before_held) before_held(out);
  s.release(start, author);
  return out;
}

result<feed> parse(string_view bytes, reader_options options) {
  options.hold_bytes = std::numeric_limits<std::size_t>::max();
  std::vector<item> items;
  feed_reader reader{std::move(options), [&items](item&& i) { items.push_back(std::move(i)); }};
  reader.push(bytes);
  auto out = reader.finish();
  if (out) out->items = std::move(items);
  return out;
}

}  // namespace cistern::stitch::feed
