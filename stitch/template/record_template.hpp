#pragma once

/// Writes the record of an item that a list does not show yet, from what its other records have in common.

#include "stitch/template/category_places.hpp"
#include "stitch/template/excerpt_choice.hpp"
#include "stitch/template/item_cache.hpp"
#include "stitch/template/pattern.hpp"
#include "stitch/template/record_view.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cistern::stitch::templates {

class record_template {
public:
  /// `samples`: records with known items, those of the page to be stitched first. Views must outlive the template.
  /// `others`: records of another list from which its rules for texts, and its labels, may be learned too.
  record_template(std::vector<record_view> samples, std::vector<record_view> const& others, item_table const& items,
                  item_cache& cache);

  [[nodiscard]] bool usable() const noexcept { return !samples_.empty(); }
  /// The bytes of a record for this item. `except`: a sample that may not serve as the model.
  [[nodiscard]] std::string write(item_id id, feed::item const& item, record const* except = nullptr) const;

  /// How well the template reproduces records that are there: the share whose words it gets right.
  [[nodiscard]] double self_test() const;

  /// A record of the page to be stitched, for an item that says something else now. Nothing unless the template, asked
  /// for what the item said before, gives exactly the words that the record shows.
  [[nodiscard]] std::optional<std::string> rewrite(record const& r, feed::item const& was, feed::item const& is) const;

  [[nodiscard]] excerpt_choice const& excerpt(std::size_t body) const { return excerpts_[body]; }
  [[nodiscard]] std::string describe_excerpts() const;
  [[nodiscard]] std::map<std::uint64_t, pattern> const& patterns() const noexcept { return patterns_; }
  [[nodiscard]] std::vector<record_view> const& samples() const noexcept { return samples_; }

private:
  struct edit {
    std::uint32_t begin, end;
    std::string text;
  };
  [[nodiscard]] double misplaced_categories(record_view const& v, feed::item const& item) const;
  [[nodiscard]] record_view const& model_for(feed::item const& item, record const* except) const;
  [[nodiscard]] std::string write_like(record_view const& model, item_id id, feed::item const& item) const;
  [[nodiscard]] std::set<html::node_id> strange_texts(record_view const& v) const;
  [[nodiscard]] bool passes(record_view const& v, std::map<std::string_view, std::size_t> const& spread) const;
  void learn_patterns(std::vector<record_view> const& others);
  void learn_categories();
  void write_leaf(record_view const& model, leaf const& l, item_fields const& item, std::vector<edit>& edits) const;
  void write_attribute(record_view const& model, leaf const& l, std::optional<std::string> const& text, bool trusted,
                       std::vector<edit>& edits) const;
  void write_link(leaf const& l, item_fields const& item, std::vector<edit>& edits) const;
  void write_body(record_view const& model, std::size_t body, feed::item const& item, std::vector<edit>& edits) const;
  void write_categories(record_view const& model, feed::item const& item, std::vector<edit>& edits) const;
  [[nodiscard]] std::string write_category(record_view const& model, categories_shown const& at,
                                           std::string const& name) const;

  std::vector<record_view> samples_;
  item_table const& items_;
  item_cache& cache_;
  std::map<std::uint64_t, pattern> patterns_;
  std::map<std::uint64_t, std::size_t> seen_;  // how many samples have the leaf
  std::set<std::uint64_t> labels_;             // leaves that say the same in another list
  [[nodiscard]] bool has_witnesses(std::uint64_t path) const { return seen_.at(path) > 1 || labels_.contains(path); }
  struct title_cut {
    std::size_t length = 0;  // in characters
    std::string ending;
  };
  void learn_title_cut(std::uint64_t path, std::vector<sample> const& rows);
  std::map<std::uint64_t, title_cut> title_cuts_;  // of leaves that show long titles cut
  std::size_t witnesses_ = 0;                      // distinct items among the samples
  std::array<excerpt_choice, 2> excerpts_;         // of the first body and the second
  struct category_place {
    std::map<std::string, std::string> links;  // bare name -> bytes
    std::string joint = ", ";
    category_choice choice;
  };
  std::map<std::string, category_place> category_places_;
};

}  // namespace cistern::stitch::templates
