#include "tools/cistern/feed_json.hpp"

#include "stitch/feed/date.hpp"

#include <cstdio>
#include <optional>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace cistern::tools {
namespace {

using std::string;
using std::string_view;

// How many bytes at the start JSON takes as they are; sixteen at a time, since this runs over every text of the feed.
std::size_t plain_run(string_view text) {
  std::size_t at = 0;
#if defined(__SSE2__)
  auto const quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(0x20);
  for (; at + 16 <= text.size(); at += 16) {
    auto const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(text.data() + at));
    auto const control = _mm_andnot_si128(_mm_cmpeq_epi8(_mm_max_epu8(block, space), block), _mm_set1_epi8(-1));
    auto const hit = _mm_or_si128(control, _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, slash)));
    if (auto const mask = static_cast<unsigned>(_mm_movemask_epi8(hit)))
      return at + static_cast<std::size_t>(__builtin_ctz(mask));
  }
#endif
  while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x20 && text[at] != '"' && text[at] != '\\') ++at;
  return at;
}

/// Writes `"name":value` with the commas between; what is absent writes nothing.
class members {
public:
  explicit members(string& out) : out_{out} {}

  void text(string_view name, string_view value) {
    if (value.empty()) return;
    key(name);
    append_json_string(out_, value);
  }
  void time(string_view name, std::optional<std::chrono::sys_seconds> const& value) {
    if (value) text(name, stitch::feed::format_date(*value));
  }
  template <class Number>
  void number(string_view name, std::optional<Number> const& value) {
    if (!value) return;
    key(name);
    out_ += std::to_string(*value);
  }
  template <class List, class Write>
  void list(string_view name, List const& values, Write write) {
    if (values.empty()) return;
    key(name);
    out_ += '[';
    bool first = true;
    for (auto const& value : values) {
      if (!std::exchange(first, false)) out_ += ',';
      write(value);
    }
    out_ += ']';
  }

private:
  void key(string_view name) {
    if (!std::exchange(first_, false)) out_ += ',';
    append_json_string(out_, name);
    out_ += ':';
  }
  string& out_;
  bool first_ = true;
};

}  // namespace

void append_json_string(string& out, string_view text) {
  out += '"';
  std::size_t copied = 0;
  for (std::size_t i = plain_run(text); i < text.size(); i += 1 + plain_run(text.substr(i + 1))) {
    auto const c = static_cast<unsigned char>(text[i]);
    out += text.substr(copied, i - copied);
    copied = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default: {
        char code[8];
        std::snprintf(code, sizeof code, "\\u%04x", c);
        out += code;
      }
    }
  }
  out += text.substr(copied);
  out += '"';
}

void append_feed_members(string& out, stitch::feed::feed const& feed) {
  members m{out};
  m.text("format", feed.format);
  m.text("title", feed.title);
  m.text("link", feed.link);
  m.text("description", feed.description);
  m.text("self", feed.self);
  m.text("hub", feed.hub);
  m.text("next", feed.next);
  m.text("language", feed.language);
  m.time("updated", feed.updated);
  m.number("ttl_minutes", feed.ttl_minutes);
  m.list("skip_hours", feed.skip_hours, [&out](int hour) { out += std::to_string(hour); });
  m.list("skip_days", feed.skip_days, [&out](string const& day) { append_json_string(out, day); });
  m.text("update_period", feed.update_period);
  m.number("update_frequency", feed.update_frequency);
  m.time("update_base", feed.update_base);
}

void append_item(string& out, stitch::feed::item const& item) {
  out += '{';
  members m{out};
  m.text("id", item.id);
  m.text("link", item.link);
  m.text("title", item.title);
  m.text("summary", item.summary);
  m.text("content", item.content);
  m.text("author", item.author);
  m.time("published", item.published);
  m.time("updated", item.updated);
  m.list("categories", item.categories, [&out](string const& name) { append_json_string(out, name); });
  m.text("comments", item.comments);
  m.list("enclosures", item.enclosures, [&out](stitch::feed::enclosure const& e) {
    out += '{';
    members inner{out};
    inner.text("url", e.url);
    inner.text("type", e.type);
    inner.number("length", e.length);
    out += '}';
  });
  m.text("image", item.image);
  out += '}';
}

}  // namespace cistern::tools
