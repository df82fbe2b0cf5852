#pragma once

/// XML events -> drafts of the channel and its items, by the table of sources. Every item leaves through `on_item` when
/// its element ends, so memory is one item's. No recursion: what is open is a stack of places.

#include "stitch/feed/draft.hpp"
#include "stitch/feed/sax.hpp"
#include "stitch/feed/sources.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace cistern::stitch::feed {

class builder final : public xml_events {
public:
  /// `growth` is the document's and outlives the builder.
  builder(limits const& bounds, allowance& growth, std::string document_base, std::function<void(draft&&)> on_item);

  void declared(std::string_view uri) override;
  void start(xml_name const& name, std::span<xml_attribute const> attributes) override;
  void end() override;
  void text(std::string_view characters) override;

  /// The input ended inside the document: an item that is still open will not be finished. Called before the closing
  /// events that the mender adds; `inside` when a field was cut, not the space between two.
  void cut(bool inside);

  /// An <rss> without a version and anything of ours inside: in a damaged document no more than the word in a text.
  [[nodiscard]] bool is_bare() const;
  [[nodiscard]] bool is_feed() const;
  [[nodiscard]] draft& channel() { return channel_; }
  /// What is not in a draft: format, hints on when to visit.
  [[nodiscard]] feed& header() { return header_; }
  [[nodiscard]] bool over_limit() const { return over_limit_; }
  /// The text being read is as long as it may be, or nobody reads it.
  [[nodiscard]] bool wants_no_text() const;
  /// There are as many items as there may be.
  [[nodiscard]] bool full() const { return items_ >= limits_.items; }

private:
  /// A leaf says nothing to us and has no items inside, a line is one with text, a box has fields of its own inside;
  /// what is ignored may be anything.
  enum class spot { root, channel, item, group, source, image, values, passed, leaf, line, box, ignored };

  static bool is_leaf(spot here) { return here == spot::leaf || here == spot::line || here == spot::box; }

  /// The element whose text is being read, with what is inside it.
  struct capture {
    source const* row = nullptr;
    std::size_t depth = 0;
    std::string text;
    text_kind kind = text_kind::loose;
    bool base64 = false;
    bool binary = false;   // by its type, so what is no base64 is nothing
    bool wrapper = false;  // the next div is XHTML's wrapper
    bool has_markup = false;
    bool tag_open = false;  // a start tag whose '>' is not written yet
    bool complete = false;  // its attributes said everything, nothing can be inside
    std::size_t base_count = 0;
    std::vector<std::string> names;       // open elements inside; empty for those left out
    std::string href, rel, type, length;  // links
    std::string name, email;              // persons
    std::string* part = nullptr;          // the one of these that is being read
    std::size_t part_depth = 0;
  };

  struct cached_row {
    xml_name name;
    place where = place::item;
    vocabulary whose = vocabulary::foreign;
    source const* row = nullptr;
  };

  std::span<xml_attribute const> own_attributes(xml_name const& name, std::span<xml_attribute const> attributes);
  void start_root(xml_name const& name, std::span<xml_attribute const> attributes);
  void start_item(xml_name const& name, std::span<xml_attribute const> attributes);
  void end_item();
  bool is_left_open(xml_name const& name);
  void leave_field();
  void leave_leaves();
  enum class field_names { all, hardly_html, no_html };
  bool is_field(xml_name const& name, field_names which);
  bool in_line() const;
  void start_field(source const& row, std::span<xml_attribute const> attributes);
  void start_inside(xml_name const& name, std::span<xml_attribute const> attributes);
  void end_inside();
  void end_field();
  int rank_of(source const& row) const;
  void end_link(source const& row);
  void end_person(source const& row);
  void next_person();
  void end_value();
  void read_interval(std::span<xml_attribute const> attributes, std::string_view minutes);
  void set_kind(source const& row, std::span<xml_attribute const> attributes);
  void attribute_fields(std::span<xml_attribute const> attributes);
  bool add_enclosure(std::span<xml_attribute const> attributes, int rank);
  void append(std::string_view characters);
  void move_base(std::string_view value);
  std::string moved_value(std::string_view attribute, std::string_view value);
  void close_tag();
  cached_row const& row_for(xml_name const& name, place where);
  bool is_own(xml_name const& name) const;
  void adopt(xml_name const& name);
  bool is_rss(xml_name const& name) const;
  bool is_item(xml_name const& name) const;
  std::string_view base() const { return bases_.empty() ? std::string_view{} : std::string_view{bases_.back().second}; }
  draft& current() { return in_item_ ? item_ : channel_; }

  limits limits_;
  allowance& growth_;
  std::string document_base_;
  std::function<void(draft&&)> on_item_;
  draft channel_, item_;
  feed header_;
  capture capture_;
  std::vector<spot> open_;
  std::vector<xml_attribute> own_attributes_;
  std::vector<std::pair<std::size_t, std::string>> bases_;  // xml:base in force, with the depth that set it
  std::array<cached_row, 256> cache_{};
  std::string own_uri_;  // the namespace this document's RSS elements are in, when it is none of RSS's
  std::string value_;    // one child of skipHours, skipDays, image, or an interval
  field values_of_ = field::none;
  std::size_t interval_depth_ = 0;
  std::size_t media_depth_ = 0;  // of the media:content that is open
  bool media_has_url_ = false;   // and is the last of the item's enclosures
  interval_rule interval_;
  std::size_t items_ = 0;
  std::size_t bad_dates_ = 0;
  bool in_item_ = false, item_lost_ = false;
  bool atom_ = false, rdf_ = false, unnamed_ = false, misnamed_ = false;
  bool prefixed_own_ = false;   // those with a prefix too
  bool wraps_channel_ = false;  // the root is no channel, but has one
  bool known_root_ = false, names_rss_ = false, names_first_rss_ = false, has_channel_ = false, over_limit_ = false;
};

}  // namespace cistern::stitch::feed
