#pragma once

/// What is not worth a byte of a slow link: third parties that count, follow and advertise.
///
/// A rule is one line:
///   ads.example            that host and every host below it
///   ||ads.example^         the same, as block lists write it
///   ||cdn.example/track*   that host, and a path that begins so
///   /pixel.gif*            this path on any host; a pattern is the whole of path and query, `*` is any text
///   */collect?*            the same, in any folder
///   @@||cdn.example/lib*   an exception, stronger than every rule
///   rule$all               also where the page and the address belong to one site; otherwise only third parties match
/// Empty lines and lines that begin with `#` or `!` are comments.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cistern::stitch::html {

class blocklist {
public:
  /// No rules.
  blocklist() = default;
  /// The rules Cistern brings along.
  [[nodiscard]] static blocklist const& standard();

  /// Adds one line. False when it is no rule; nothing changes then.
  [[nodiscard]] bool add(std::string_view rule);

  /// Whether a page at `page_url` is better off without `url`.
  [[nodiscard]] bool blocks(std::string_view url, std::string_view page_url) const;

  [[nodiscard]] std::size_t size() const noexcept { return rules_; }

private:
  struct pattern {
    std::string text;  // of path and query, with '*'; empty: any
    bool exception = false;
    bool everywhere = false;  // own site too
  };
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>{}(s); }
  };
  enum class verdict { none, blocked, excepted };
  static void weigh(std::vector<pattern> const& patterns, std::string_view path, bool third_party, verdict& so_far);

  std::unordered_map<std::string, std::vector<pattern>, hash, std::equal_to<>> hosts_;
  std::vector<pattern> paths_;  // on any host
  std::size_t rules_ = 0;
};

/// Whether `text` is what the pattern says; '*' stands for any text, capitals do not matter.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view text) noexcept;

}  // namespace cistern::stitch::html
