#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

/// What a template is filled with. Inside a list's section its entries hide what is outside.
struct page_values {
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, std::vector<page_values>, std::less<>> lists;
  std::map<std::string, std::string, std::less<>> markup{};  // made by us or by the sanitiser, never what came as it is
};

/// A page of our own with places to fill. Everything filled in is escaped, but for what is in `markup`.
///   {{name}}               the text of that name; nothing when there is none
///   {{&name}}              the markup of that name, as it is
///   {{#name}}…{{/name}}    once for each entry of a list, or once if a text of that name is not empty
///   {{^name}}…{{/name}}    when there is neither
/// A value: made once, then used from every thread.
class page_template {
public:
  /// Nothing when sections are not closed in order.
  [[nodiscard]] static std::optional<page_template> parse(std::string_view source);
  /// Throws std::runtime_error with a sentence for the person who started the program.
  [[nodiscard]] static page_template load(std::filesystem::path const& file);
  [[nodiscard]] std::string render(page_values const& values) const;

private:
  struct node {
    enum class kind { text, value, markup, section, without };
    kind what = kind::text;
    std::string text;  // the text, or the name
    std::vector<node> inside;
  };
  using scope = std::vector<page_values const*>;

  static bool parse_nodes(std::string_view& rest, std::string_view section, std::vector<node>& into, int depth);
  static void render_nodes(std::vector<node> const& nodes, scope& values, std::string& out);
  static void render_section(node const& section, scope& values, std::string& out);

  std::vector<node> nodes_;
};

}  // namespace cistern::proxy
