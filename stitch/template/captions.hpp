#pragma once

/// What stands over the posts of one author inside a day: copied from where the page has it for the same author or
/// site, else written as records are.

#include "stitch/template/record_template.hpp"
#include "stitch/template/region.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>

namespace cistern::stitch::templates {

class caption_writer {
public:
  caption_writer(region const& r, drawing const& with);

  /// The bytes over this item, or nothing when they are not known.
  [[nodiscard]] std::optional<std::string> write(item_id id) const;

private:
  void learn(list const& l, html::document const& page, drawing const& with, std::size_t time,
             std::vector<record_view>& samples);
  [[nodiscard]] bool reproduces() const;

  item_table const& items_;
  std::map<std::string, std::string> by_author_, by_host_;  // bytes; empty where one host has several
  std::deque<record> captions_;                             // as if they were records; the views point to them
  std::optional<record_template> template_;
};

}  // namespace cistern::stitch::templates
