#pragma once

/// Addresses as browsers read them (the URL Standard, whatwg.org), for everything that turns what a page or feed says
/// into something that can be fetched.
///
/// Two departures, both because a feed's address is also shown and compared: letters outside ASCII are left as they are
/// (an IRI stays an IRI), and `http://host` does not grow a slash. Time and memory are linear in the input.

#include <string>
#include <string_view>

namespace cistern::stitch {

/// The scheme without its colon, or nothing when `url` is relative.
[[nodiscard]] std::string_view scheme_of(std::string_view url);

/// Has a scheme, so that no base can change where it points.
[[nodiscard]] inline bool is_absolute(std::string_view url) { return !scheme_of(url).empty(); }

/// `reference` as seen from `base`. Blanks and control characters around it and line breaks inside it are dropped.
/// With an empty or unusable base a relative reference comes back as it is; an empty reference gives the base.
[[nodiscard]] std::string resolve(std::string_view base, std::string_view reference);

/// Resolves many references against one base, at the cost of a copy for the plain ones.
class url_resolver {
public:
  explicit url_resolver(std::string_view base);
  void append(std::string_view reference, std::string& out) const;
  [[nodiscard]] std::string const& base() const { return base_; }

private:
  std::string base_;
  std::string origin_;  // "http://host:81", empty when the base is no web address
  std::string folder_;  // the origin and the path up to its last slash
};

/// An http or https address with a host: what can be fetched or offered as a link to read.
[[nodiscard]] bool is_web_url(std::string_view url);

/// Without blanks and control characters at both ends.
[[nodiscard]] std::string_view trim_url(std::string_view text);

}  // namespace cistern::stitch
