#include "tools/cistern/feed_json.hpp"

#include "stitch/feed/date.hpp"

#include <optional>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace cistern::tools {
namespace {

using std::string;
using std::string_view;

// What JSON writes for a byte that it does not take as it is; at most six characters.
std::size_t write_escape(char* to, unsigned char c) {
  static constexpr string_view short_forms = "\"\"\\\\\nn\rr\tt";
  static constexpr string_view hex = "0123456789abcdef";
  to[0] = '\\';
  for (std::size_t i = 0; i < short_forms.size(); i += 2)
    if (static_cast<unsigned char>(short_forms[i]) == c) return to[1] = short_forms[i + 1], 2;
  to[1] = 'u';
  to[2] = to[3] = '0';
  to[4] = hex[c >> 4];
  to[5] = hex[c & 15];
  return 6;
}

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

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
    out_ += std::exchange(first_, false) ? "\"" : ",\"";
    out_ += name;
    out_ += "\":";
  }
  string& out_;
  bool first_ = true;
};

}  // namespace

// This runs over every text of the feed: sixteen bytes are copied and looked at in one go, and go to `out` by the
// block.
void append_json_string(string& out, string_view text) {
  constexpr std::size_t most_at_once = 16;
  char block[1024];
  std::size_t used = 0;
  block[used++] = '"';
  for (std::size_t at = 0; at < text.size();) {
    if (used > sizeof block - 2 * most_at_once) {
      out.append(block, used);
      used = 0;
    }
#if defined(__SSE2__)
    if (at + most_at_once <= text.size()) {
      auto const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(text.data() + at));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(block + used), bytes);
      auto const control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
      auto const hit = _mm_or_si128(
          control, _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
      auto const mask = static_cast<unsigned>(_mm_movemask_epi8(hit));
      auto const run = mask == 0 ? most_at_once : static_cast<std::size_t>(__builtin_ctz(mask));
      used += run;
      at += run;
      if (mask != 0) used += write_escape(block + used, static_cast<unsigned char>(text[at++]));
      continue;
    }
#endif
    auto const c = text[at++];
    if (is_plain(c))
      block[used++] = c;
    else
      used += write_escape(block + used, static_cast<unsigned char>(c));
  }
  block[used++] = '"';
  out.append(block, used);
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
