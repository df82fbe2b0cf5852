#include "stitch/css/media.hpp"

#include "stitch/css/tokenizer.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <vector>

namespace cistern::stitch::css {
namespace {

using std::string_view;

constexpr std::size_t longest = 16u << 10;  // bytes of a list that are looked at
constexpr int deepest = 16;

std::optional<double> number_of(string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

class query {
public:
  query(string_view text, screen const& on) : text_{text.substr(0, longest)}, tokens_{text_}, on_{on} { advance(); }

  bool any() {
    if (now_.kind == token_kind::end) return true;
    bool holds = false;
    for (;;) {
      failed_ = false;
      bool const one = media_query() && !failed_ && (now_.kind == token_kind::comma || at_end());
      holds = holds || one;
      skip_to_comma();
      if (at_end()) return holds;
      advance();
    }
  }

  double size() {
    while (!at_end()) {
      failed_ = false;
      bool holds = true;
      if (now_.kind == token_kind::open || is_name("not")) holds = condition(0);
      auto const here = length();
      bool const whole = now_.kind == token_kind::comma || at_end();
      if (holds && !failed_) return here && whole ? *here : on_.width;
      skip_to_comma();
      if (!at_end()) advance();
    }
    return on_.width;
  }

private:
  void advance() {
    do now_ = tokens_.next();
    while (now_.kind == token_kind::whitespace);
  }
  [[nodiscard]] bool at_end() const { return now_.kind == token_kind::end; }
  [[nodiscard]] bool is_name(string_view name) const {
    return now_.kind == token_kind::ident && tokens_.is(now_, name);
  }
  bool accept(string_view name) {
    if (!is_name(name)) return false;
    advance();
    return true;
  }
  bool fail() {
    failed_ = true;
    return false;
  }

  void skip_to_comma() {
    for (int depth = 0; !at_end(); advance()) {
      if (now_.kind == token_kind::open || now_.kind == token_kind::function) ++depth;
      if (now_.kind == token_kind::close && depth > 0) --depth;
      if (now_.kind == token_kind::comma && depth == 0) return;
    }
  }

  bool media_query() {
    if (now_.kind == token_kind::open) return condition(0);
    bool const negated = accept("not");
    if (negated && now_.kind == token_kind::open) return !in_parentheses(0);
    if (!negated) accept("only");
    if (now_.kind != token_kind::ident) return fail();
    bool holds = is_name("all") || is_name("screen");
    advance();
    while (accept("and")) {
      bool const next = accept("not") ? !in_parentheses(0) : in_parentheses(0);
      holds = holds && next;
    }
    return holds != negated;
  }

  bool condition(int depth) {
    if (accept("not")) return !in_parentheses(depth);
    bool holds = in_parentheses(depth);
    while (!failed_) {
      if (accept("and")) {
        bool const next = in_parentheses(depth);
        holds = holds && next;
      } else if (accept("or")) {
        bool const next = in_parentheses(depth);
        holds = holds || next;
      } else {
        break;
      }
    }
    return holds;
  }

  bool in_parentheses(int depth) {
    if (now_.kind != token_kind::open || now_.sign != '(' || depth > deepest) return fail();
    advance();
    bool const holds = now_.kind == token_kind::open || is_name("not") ? condition(depth + 1) : feature();
    if (now_.kind != token_kind::close) return fail();
    advance();
    return holds;
  }

  // "width", "min-width: 40em", "width >= 600px", "300px < width <= 600px"
  bool feature() {
    if (now_.kind == token_kind::number) {
      auto const low = value();
      auto const first = comparison();
      auto const name = take_name();
      auto const actual = actual_value(name);
      bool holds = low && actual && compare(*low, first, *actual);
      if (now_.kind == token_kind::delim) {
        auto const second = comparison();
        auto const high = value();
        holds = holds && high && compare(*actual, second, *high);
      }
      return holds;
    }
    auto const name = take_name();
    if (now_.kind == token_kind::colon) {
      advance();
      return now_.kind == token_kind::ident ? keyword_feature(name) : number_feature(name);
    }
    auto const actual = actual_value(name);
    if (now_.kind == token_kind::delim) {
      auto const how = comparison();
      auto const bound = value();
      return actual && bound && compare(*actual, how, *bound);
    }
    return actual ? *actual != 0 : name == "color" || name == "hover" || name == "pointer" || name == "grid";
  }

  bool number_feature(string_view name) {
    auto const bound = value();
    if (!bound) return fail();
    bool const least = name.find("min-") != string_view::npos, most = name.find("max-") != string_view::npos;
    std::string plain{name};
    if (auto const at = plain.find(least ? "min-" : "max-"); at != std::string::npos && (least || most))
      plain.erase(at, 4);
    auto const actual = actual_value(plain);
    if (!actual) return false;
    return least ? *actual >= *bound : most ? *actual <= *bound : *actual == *bound;
  }

  // A reader with a mouse, a light background and no wishes about motion.
  bool keyword_feature(string_view name) {
    auto const is = tokens_.value(now_);
    advance();
    if (name == "orientation") return is == (on_.width >= on_.height ? "landscape" : "portrait");
    if (name == "prefers-color-scheme") return is == "light";
    if (name == "prefers-reduced-motion" || name == "prefers-contrast" || name == "prefers-reduced-data")
      return is == "no-preference";
    if (name == "hover" || name == "any-hover") return is == "hover";
    if (name == "pointer" || name == "any-pointer") return is == "fine";
    return name == "scripting" && is == "enabled";
  }

  [[nodiscard]] std::optional<double> actual_value(string_view name) const {
    if (name == "width" || name == "device-width") return on_.width;
    if (name == "height" || name == "device-height") return on_.height;
    if (name == "resolution" || name == "-webkit-device-pixel-ratio" || name == "device-pixel-ratio")
      return on_.density;
    if (name == "aspect-ratio" || name == "device-aspect-ratio") return on_.width / on_.height;
    if (name == "color") return 8;
    if (name == "monochrome") return 0;
    return {};
  }

  enum class order { less, at_most, greater, at_least, equal, none };
  order comparison() {
    auto const sign = now_.kind == token_kind::delim ? now_.sign : '\0';
    auto const after = now_.end;
    if (sign != '<' && sign != '>' && sign != '=') return fail(), order::none;
    advance();
    if (sign == '=') return order::equal;
    bool const or_equal = now_.kind == token_kind::delim && now_.sign == '=' && now_.begin == after;
    if (or_equal) advance();
    if (sign == '<') return or_equal ? order::at_most : order::less;
    return or_equal ? order::at_least : order::greater;
  }
  static bool compare(double a, order how, double b) {
    switch (how) {
      case order::less:
        return a < b;
      case order::at_most:
        return a <= b;
      case order::greater:
        return a > b;
      case order::at_least:
        return a >= b;
      case order::equal:
        return a == b;
      case order::none:
        break;
    }
    return false;
  }

  std::string take_name() {
    if (now_.kind != token_kind::ident) return fail(), std::string{};
    auto name = tokens_.value(now_);
    for (auto& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    advance();
    return name;
  }

  // A length, a resolution, a number or a ratio.
  std::optional<double> value() {
    auto const first = length();
    if (!first || now_.kind != token_kind::delim || now_.sign != '/') return first;
    advance();
    auto const second = length();
    if (!second || *second == 0) return {};
    return *first / *second;
  }

  std::optional<double> length() {
    if (now_.kind != token_kind::number) return {};
    auto const number = number_of(tokens_.raw_value(now_));
    auto unit = std::string{text_.substr(now_.value_end, now_.end - now_.value_end)};
    for (auto& c : unit)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    advance();
    if (!number) return {};
    if (unit.empty() || unit == "px" || unit == "x" || unit == "dppx") return *number;
    if (unit == "em" || unit == "rem") return *number * 16;
    if (unit == "vw") return *number * on_.width / 100;
    if (unit == "vh") return *number * on_.height / 100;
    if (unit == "dpi") return *number / 96;
    if (unit == "dpcm") return *number * 2.54 / 96;
    if (unit == "cm") return *number * 96 / 2.54;
    if (unit == "in") return *number * 96;
    if (unit == "pt") return *number * 96 / 72;
    return {};
  }

  string_view text_;
  tokenizer tokens_;
  screen on_;
  token now_;
  bool failed_ = false;
};

}  // namespace

bool media_matches(string_view list, screen const& on) { return query{list, on}.any(); }
double source_size(string_view sizes, screen const& on) { return query{sizes, on}.size(); }

}  // namespace cistern::stitch::css
