#include "stitch/css/references.hpp"

#include "stitch/css/tokenizer.hpp"

#include <algorithm>
#include <charconv>

namespace cistern::stitch::css {
namespace {

using std::string_view;

// A unicode-range is not made of tokens one would want to look at (U+4?? is three of them), so its text is read.
bool names_latin(string_view ranges) {
  for (std::size_t at = 0; at < ranges.size();) {
    auto const comma = std::min(ranges.find(',', at), ranges.size());
    auto piece = ranges.substr(at, comma - at);
    at = comma + 1;
    auto const plus = piece.find('+');
    if (plus == string_view::npos) continue;
    piece.remove_prefix(plus + 1);
    auto const bound = [](string_view text, char wildcard) {
      std::string digits{text.substr(0, text.find_first_not_of("0123456789abcdefABCDEF?"))};
      std::ranges::replace(digits, '?', wildcard);
      unsigned value = 0;
      std::from_chars(digits.data(), digits.data() + std::min<std::size_t>(6, digits.size()), value, 16);
      return value;
    };
    auto const dash = piece.find('-');
    auto const last = dash == string_view::npos ? piece : piece.substr(dash + 1);
    if (bound(piece, '0') <= 'A' && bound(last, 'f') >= 'A') return true;
  }
  return false;
}

class reader {
public:
  reader(string_view sheet, limits const& l) : sheet_{sheet.substr(0, l.size)}, tokens_{sheet_}, most_{l.references} {}

  std::vector<reference> run() {
    for (auto t = tokens_.next(); t.kind != token_kind::end; t = tokens_.next()) {
      on(t);
      if (found_.size() >= most_) break;
    }
    end_statement(sheet_.size());
    return std::move(found_);
  }

private:
  enum class rule : std::uint8_t { none, import, font_face, nothing_fetched, other };
  enum class inside : std::uint8_t { block, url, image_set, format, other };
  struct scope {
    inside what;
    char closed_by;
    rule kind;  // of a block: the rule it belongs to
  };

  void on(token const& t) {
    switch (t.kind) {
      case token_kind::at_keyword:
        return begin_rule(t);
      case token_kind::ident:
        last_name_ = t;
        if (!scopes_.empty() && scopes_.back().what == inside::format) set_format(t);
        return;
      case token_kind::colon:
        return on_colon(t);
      case token_kind::url:
        return add(t, true);
      case token_kind::string:
        return on_string(t);
      case token_kind::function:
        return open({function_kind(t), ')', rule::other});
      case token_kind::open:
        return on_open(t);
      case token_kind::close:
        return on_close(t);
      case token_kind::semicolon:
        if (scopes_.empty() || scopes_.back().what == inside::block) end_statement(t.begin);
        return;
      default:
        return;
    }
  }

  void begin_rule(token const& t) {
    if (!scopes_.empty() && scopes_.back().what != inside::block) return;
    end_statement(t.begin);
    rule_ = rule::other;
    if (tokens_.is(t, "import") && scopes_.empty()) rule_ = rule::import;
    if (tokens_.is(t, "font-face")) rule_ = rule::font_face;
    if (tokens_.is(t, "namespace") || tokens_.is(t, "document") || tokens_.is(t, "-moz-document"))
      rule_ = rule::nothing_fetched;
  }

  void on_colon(token const& t) {
    if (in_value_ || last_name_.kind != token_kind::ident) return;
    if (!scopes_.empty() && scopes_.back().what != inside::block) return;
    in_value_ = true;
    property_ = last_name_;
    value_begin_ = t.end;
    ++group_;
  }

  inside function_kind(token const& t) const {
    if (tokens_.is(t, "url") || tokens_.is(t, "src")) return inside::url;
    if (tokens_.is(t, "image-set") || tokens_.is(t, "-webkit-image-set")) return inside::image_set;
    return tokens_.is(t, "format") ? inside::format : inside::other;
  }

  // A closing bracket looks for its partner, so the depth is kept at more than anyone writes and no further.
  void open(scope s) {
    if (scopes_.size() < deepest)
      scopes_.push_back(s);
    else
      ++deeper_;
  }

  void on_open(token const& t) {
    if (t.sign != '{') return open({inside::other, t.sign == '(' ? ')' : ']', rule::other});
    if (!scopes_.empty() && scopes_.back().what != inside::block) return open({inside::other, '}', rule::other});
    open({inside::block, '}', rule_});
    rule_ = rule::none;
    forget_declaration();
  }

  void on_close(token const& t) {
    if (deeper_ > 0) {
      --deeper_;
      return;
    }
    // A '}' ends whatever was left open inside its block; a ')' without its '(' ends nothing.
    auto const match = std::find_if(scopes_.rbegin(), scopes_.rend(),
                                    [&](scope const& s) { return s.closed_by == t.sign || s.what == inside::block; });
    if (match == scopes_.rend() || match->closed_by != t.sign) return;
    bool const block = match->what == inside::block;
    if (block) end_statement(t.begin);
    scopes_.erase(match.base() - 1, scopes_.end());
  }

  void on_string(token const& t) {
    if (scopes_.empty() || scopes_.back().what == inside::block) {
      if (rule_ == rule::import && !imported_) add(t, false);
      return;
    }
    auto& top = scopes_.back();
    if (top.what == inside::url) {
      top.what = inside::other;  // modifiers may follow the address, no second address
      add(t, false);
    } else if (top.what == inside::image_set) {
      add(t, false);
    } else if (top.what == inside::format) {
      set_format(t);
    }
  }

  void set_format(token const& t) {
    if (found_.empty() || found_.back().group != group_ || found_.back().kind != reference_kind::font) return;
    found_.back().format = tokens_.value(t);
    std::ranges::transform(found_.back().format, found_.back().format.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  }

  [[nodiscard]] bool in_font_face() const {
    auto const block =
        std::find_if(scopes_.rbegin(), scopes_.rend(), [](scope const& s) { return s.what == inside::block; });
    return block != scopes_.rend() && block->kind == rule::font_face;
  }

  void add(token const& t, bool bare) {
    bool const prelude = rule_ != rule::none && !in_value_;
    if (prelude && rule_ == rule::nothing_fetched) return;
    reference r;
    r.written = tokens_.value(t);
    r.begin = t.begin;
    r.end = t.end;
    r.bare_url = bare;
    r.group = group_;
    if (prelude && rule_ == rule::import) {
      if (imported_) return;  // an address in its supports() condition
      imported_ = true;
      r.kind = reference_kind::import;
      condition_begin_ = t.end;
    } else if (in_font_face() && in_value_ && tokens_.is(property_, "src")) {
      r.kind = reference_kind::font;
      font_begin_ = std::min(font_begin_, found_.size());
    } else if (in_value_ && tokens_.is(property_, "cursor")) {
      r.kind = reference_kind::cursor;
    }
    found_.push_back(std::move(r));
  }

  void forget_declaration() {
    in_value_ = false;
    last_name_ = {};
  }

  void end_statement(std::size_t where) {
    if (rule_ == rule::import && imported_) {
      auto text = sheet_.substr(condition_begin_, where - condition_begin_);
      if (text.starts_with(')')) text.remove_prefix(1);  // of url("...")
      found_.back().condition = text;
    }
    imported_ = false;
    rule_ = rule::none;
    if (in_value_ && in_font_face() && tokens_.is(property_, "unicode-range"))
      latin_ = names_latin(sheet_.substr(value_begin_, where - value_begin_));
    forget_declaration();
    bool const ends_font = where < sheet_.size() && sheet_[where] == '}' && in_font_face();
    if (!ends_font) return;
    for (auto i = font_begin_; i < found_.size(); ++i) found_[i].latin = latin_;
    font_begin_ = none;
    latin_ = true;
  }

  static constexpr std::size_t deepest = 64, none = ~std::size_t{0};

  string_view sheet_;
  tokenizer tokens_;
  std::size_t most_;
  std::vector<reference> found_;
  std::vector<scope> scopes_;
  std::size_t deeper_ = 0;
  rule rule_ = rule::none;
  bool in_value_ = false, imported_ = false, latin_ = true;
  token property_, last_name_;
  std::size_t value_begin_ = 0, condition_begin_ = 0, font_begin_ = none;
  std::uint32_t group_ = 0;
};

}  // namespace

std::vector<reference> references(string_view sheet, limits const& l) { return reader{sheet, l}.run(); }

}  // namespace cistern::stitch::css
