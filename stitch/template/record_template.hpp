#pragma once

/// Writes the record of an item that a list does not show yet, from what its other records have in common.

#include "stitch/template/excerpt.hpp"
#include "stitch/template/pattern.hpp"
#include "stitch/template/record_view.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace cistern::stitch::templates {

/// Parsed texts and fields of items, made when first asked for.
class item_cache {
public:
  item_cache(item_table const& items) : items_{items} {}
  [[nodiscard]] item_text const& text(feed::item const& item);
  [[nodiscard]] item_fields const& fields(feed::item const& item, std::string_view link);

private:
  item_table const& items_;
  std::unordered_map<feed::item const*, std::unique_ptr<item_text>> texts_;
  std::unordered_map<feed::item const*, std::unique_ptr<item_fields>> fields_;
};

class record_template {
public:
  /// `samples`: records with known items, those of the page to be stitched first. Views must outlive the template.
  record_template(std::vector<record_view> samples, item_table const& items, item_cache& cache);

  [[nodiscard]] bool usable() const noexcept { return !samples_.empty(); }
  /// The bytes of a record for this item. `except`: a sample that may not serve as the model.
  [[nodiscard]] std::string write(item_id id, feed::item const& item, record const* except = nullptr) const;

  /// How well the template reproduces records that are there: the share whose words it gets right.
  [[nodiscard]] double self_test() const;

  [[nodiscard]] excerpt_rule const& excerpt() const noexcept { return excerpt_; }
  [[nodiscard]] std::map<std::uint64_t, pattern> const& patterns() const noexcept { return patterns_; }
  [[nodiscard]] std::vector<record_view> const& samples() const noexcept { return samples_; }

private:
  struct edit {
    std::uint32_t begin, end;
    std::string text;
  };
  [[nodiscard]] record_view const& model_for(feed::item const& item, record const* except) const;
  void learn_excerpt_rule();
  [[nodiscard]] excerpt_sample excerpt_sample_of(record_view const& v, bool from_content, std::size_t shown) const;
  void learn_patterns();
  void learn_categories();
  void write_leaf(record_view const& model, leaf const& l, item_fields const& item, std::vector<edit>& edits) const;
  void write_body(record_view const& model, feed::item const& item, std::vector<edit>& edits) const;
  void write_categories(record_view const& model, feed::item const& item, std::vector<edit>& edits) const;

  std::vector<record_view> samples_;
  item_table const& items_;
  item_cache& cache_;
  std::map<std::uint64_t, pattern> patterns_;
  std::map<std::uint64_t, std::size_t> seen_;  // how many samples have the leaf
  struct title_cut {
    std::size_t length = 0;  // in characters
    std::string ending;
  };
  void learn_title_cut(std::uint64_t path, std::vector<sample> const& rows);
  std::map<std::uint64_t, title_cut> title_cuts_;  // of leaves that show long titles cut
  std::size_t witnesses_ = 0;                      // distinct items among the samples
  excerpt_rule excerpt_;
  std::map<std::string, std::string> category_links_;  // lower-case name -> bytes
  std::string category_joint_ = ", ";
};

}  // namespace cistern::stitch::templates
