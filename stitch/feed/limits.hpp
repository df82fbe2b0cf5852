#pragma once

#include <cstddef>

namespace cistern::stitch::feed {

/// What a feed may cost. Past a limit the rest is left out and the feed counts as repaired; nothing is refused for it.
struct limits {
  std::size_t bytes = 64U << 20;       // of one document, after unpacking
  std::size_t field_bytes = 4U << 20;  // of one title, link, text
  std::size_t tag_bytes = 256U << 10;  // of one start tag with all its attributes
  std::size_t attributes = 64;         // of one element
  std::size_t depth = 200;             // open elements; libxml2 itself stops at 256
  std::size_t items = 200'000;
  std::size_t tags = 2'000'000;          // start tags in a document; fifty ordinary megabytes have half a million
  std::size_t categories = 500;          // of one item
  std::size_t enclosures = 100;          // of one item
  std::size_t entity_bytes = 16U << 10;  // of one internal entity, everything in it expanded
  std::size_t expansion = 1U << 20;      // of all uses of internal entities together
  std::size_t entities = 256;            // declared
  std::size_t json_depth = 64;
  std::size_t repairs = 200'000;   // a document with more damage is no document
  std::size_t bad_dates = 10'000;  // each costs many tries
  std::size_t person_bytes = 4096;
  std::size_t base_bytes = 2048;       // of an xml:base, joined to those around it
  std::size_t growth = 32U << 20;      // what absolute links and inherited names may add to a document
  std::size_t text_growth = 4U << 20;  // and to one text of it
  std::size_t sanitizing = 12U << 20;  // html::sanitizing_work of all texts together; nine megabytes of ordinary HTML
};

/// What is left of a limit that a whole document shares.
class allowance {
public:
  explicit allowance(std::size_t most) : left_{most} {}
  [[nodiscard]] std::size_t left() const { return left_; }
  /// Takes `amount`, or everything there is: then false, and nothing more is granted.
  bool spend(std::size_t amount) {
    bool const enough = amount <= left_;
    left_ = enough ? left_ - amount : 0;
    return enough;
  }

private:
  std::size_t left_;
};

}  // namespace cistern::stitch::feed
