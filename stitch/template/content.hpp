#pragma once

/// An item's HTML as a row of words in a tree, so that it can be compared with what a page shows of it and cut where
/// the page cuts, with every tag closed and every link whole.

#include "stitch/html/document.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::stitch::templates {

struct shown_word {
  std::string_view text;
  html::node_id node;   // the text node it is in
  std::uint32_t begin;  // inside that node's text
  [[nodiscard]] std::uint32_t end() const noexcept { return begin + static_cast<std::uint32_t>(text.size()); }
};

/// The words below a node range that a reader sees, in order.
[[nodiscard]] std::vector<shown_word> shown_words(html::document const& page, html::node_id first, html::node_id end);

class content {
public:
  explicit content(std::string_view html);  // sanitised by the caller

  [[nodiscard]] std::vector<shown_word> const& words() const noexcept { return words_; }
  /// How many words there are up to the end of each top-level block with words or a picture, in order; of each line
  /// where there are no blocks.
  [[nodiscard]] std::vector<std::size_t> const& blocks() const noexcept { return blocks_; }
  /// How many words stand before each place where the text could end: counted in blank-separated words and characters.
  [[nodiscard]] std::vector<std::uint32_t> const& spaced() const noexcept { return spaced_; }
  /// The same when tags were taken out without a blank for them.
  [[nodiscard]] std::vector<std::uint32_t> const& unbroken() const noexcept { return unbroken_; }
  [[nodiscard]] std::vector<std::uint32_t> const& characters() const noexcept { return characters_; }
  /// How many words there are up to the end of each sentence.
  [[nodiscard]] std::vector<std::size_t> const& sentences() const noexcept { return sentences_; }
  [[nodiscard]] std::size_t more() const noexcept { return more_; }  // words before a <!--more--> comment, or all
  /// Words before the first run of empty lines between blocks, where a mark was taken out, or all.
  [[nodiscard]] std::size_t gap() const noexcept { return gap_; }

  /// The first `count` words as HTML, or the pictures above the first one. `inline_only` leaves block tags out.
  [[nodiscard]] std::string html(std::size_t count, bool inline_only) const;
  [[nodiscard]] std::string text(std::size_t count) const;
  /// The inside of the first paragraph with words in it, wherever it stands.
  [[nodiscard]] std::string first_paragraph() const;

private:
  [[nodiscard]] html::node_id end_of_head() const;
  void set_blocks();
  void set_lines();
  void set_more();
  void set_sentences();
  void set_counts();
  void add_between(html::node_id from, html::node_id to, std::string& out) const;
  html::document page_;
  std::vector<shown_word> words_;
  std::vector<std::size_t> blocks_, sentences_;
  std::vector<std::uint32_t> spaced_, unbroken_, characters_;
  std::size_t more_ = 0, gap_ = 0;
};

/// How far the words `shown` follow `told` from its beginning, skipping a few on either side where they differ.
struct following {
  std::size_t matched = 0;    // words that agree
  std::size_t shown_end = 0;  // one past the last of them
  std::size_t told_end = 0;
};
[[nodiscard]] following follow(std::vector<shown_word> const& shown, std::size_t from,
                               std::vector<shown_word> const& told);

}  // namespace cistern::stitch::templates
