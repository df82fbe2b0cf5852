#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

/// Safe inside an element and inside a quoted attribute: & < > " ' become entities, NUL becomes U+FFFD.
[[nodiscard]] std::string escape_html(std::string_view text);

/// What a page is filled with. Inside a list's section its entries hide what is outside.
struct page_values {
  std::map<std::string, std::string, std::less<>> texts{};
  std::map<std::string, std::vector<page_values>, std::less<>> lists{};
};

/// A page of webroot/ with holes. A value: made once, then used from every thread.
///   {{name}}               the text of that name, escaped; nothing when there is none
///   {{{name}}}             the text as it is, which is for HTML that our own code made
///   {{#name}}…{{/name}}    once for each entry of a list, or once if a text of that name is not empty
///   {{^name}}…{{/name}}    when there is neither
/// Values are not looked at for further holes.
class page_template {
public:
  using values = std::map<std::string, std::string, std::less<>>;

  /// A text whose sections are not closed in order is taken as it is, holes and all; `parse` says so.
  explicit page_template(std::string text);
  [[nodiscard]] static std::optional<page_template> parse(std::string_view text);
  /// Throws std::runtime_error with a sentence for the person who started the program.
  static page_template load(std::filesystem::path const& file);

  [[nodiscard]] std::string fill_all(page_values const& with) const;
  [[nodiscard]] std::string fill(values const& with) const { return fill_all(page_values{with, {}}); }

private:
  struct node {
    enum class kind { text, escaped, raw, section, without };
    kind what = kind::text;
    std::string text;  // the text, or the name
    std::vector<node> inside;
  };
  using scope = std::vector<page_values const*>;

  page_template() = default;
  static bool parse_nodes(std::string_view& rest, std::string_view section, std::vector<node>& into, int depth);
  static void fill_nodes(std::vector<node> const& nodes, scope& with, std::string& out);
  static void fill_section(node const& section, scope& with, std::string& out);

  std::vector<node> nodes_;
};

}  // namespace cistern::proxy
