#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace cistern::proxy {

/// Safe inside an element and inside a quoted attribute.
[[nodiscard]] std::string escape_html(std::string_view text);

/// A page of webroot/ with holes. `{{name}}` is filled with the value escaped, `{{{name}}}` with it as it is, which is
/// for HTML that our own code made. Values are not looked at for further holes; a name without a value leaves nothing.
class page_template {
public:
  using values = std::map<std::string, std::string, std::less<>>;

  explicit page_template(std::string text) : text_{std::move(text)} {}
  /// Throws std::runtime_error with a sentence for the person who started the program.
  static page_template load(std::filesystem::path const& file);

  [[nodiscard]] std::string fill(values const& with) const;

private:
  std::string text_;
};

}  // namespace cistern::proxy
