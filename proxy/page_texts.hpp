#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cistern::proxy {

/// The sentences of our own pages in one language, from webroot/texts/LANGUAGE.json: one flat object of strings.
/// "{name}" in a sentence is a place to fill. A sentence that depends on a number has two forms, "key.one" and
/// "key.other"; languages with more forms word it so that two suffice. "lang" and "dir" ("ltr", "rtl") describe the
/// language. A value: made once, then used from every thread. Sentences are plain text; whoever puts them into a page
/// escapes them.
class page_texts {
public:
  using arguments = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  /// Nothing when it is not one object of strings.
  [[nodiscard]] static std::optional<page_texts> parse(std::string_view json);
  /// Throws what to do about it when the file is not there or no such object.
  [[nodiscard]] static page_texts load(std::filesystem::path const& file);

  /// The sentence, filled; the key itself when there is none, which shows in tests and harms nobody.
  [[nodiscard]] std::string say(std::string_view key, arguments filled = {}) const;
  /// By number; "{n}" is the number.
  [[nodiscard]] std::string count(std::string_view key, std::uint64_t n) const;
  [[nodiscard]] std::map<std::string, std::string, std::less<>> const& all() const { return sentences_; }

private:
  std::map<std::string, std::string, std::less<>> sentences_;
};

}  // namespace cistern::proxy
