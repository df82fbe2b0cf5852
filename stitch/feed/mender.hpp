#pragma once

/// Makes well-formed XML of what publishers send, as it streams, so that libxml2's parser behind it always sees a
/// balanced document in its own terms: bare ampersands, HTML's names for characters, references to nothing, tags that
/// are not closed or close what is not open, attributes without quotes, junk in front of and behind the document.
/// libxml2's own recovery loses each of these: it drops unknown references silently and lets a wrong end tag close
/// whatever is open, so that everything behind it is filed under the wrong element.
///
/// The prolog never reaches libxml2: comments, instructions and the DOCTYPE end here. Internal entities are expanded
/// within `limits`; external ones mean nothing. Time is linear; memory is the longest tag.

#include "stitch/feed/limits.hpp"
#include "stitch/feed/sax.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::stitch::feed {

class xml_mender {
public:
  /// `root` is the one element a document may start with; without it, any that a feed starts with.
  explicit xml_mender(limits const& bounds, std::string_view root = {}) : limits_{bounds}, root_{root} {}

  /// Clean UTF-8 in, a balanced document for `to`: its markup to be parsed, its long texts as they are.
  void push(std::string_view text, sax_parser& to);
  /// No more will come; what is open stays open.
  void end_input(sax_parser& to);
  /// Closes what is still open.
  void close(sax_parser& to);

  /// Nobody wants more of the text that is being read: leave it out up to the next tag.
  void mute() { muted_ = true; }

  /// The document's first element is not one that a feed can start with: it was not passed on.
  [[nodiscard]] bool refused() const { return refused_; }
  /// A root element has been passed on.
  [[nodiscard]] bool started() const { return !open_.empty() || ended_; }
  /// The root element ended, or there is no hope: nothing that follows counts.
  [[nodiscard]] bool ended() const { return ended_; }
  /// The document ended before its root element did.
  [[nodiscard]] bool cut_short() const { return cut_short_; }
  /// It ended inside a tag or a CDATA section, not between two.
  [[nodiscard]] bool cut_inside() const { return cut_inside_; }
  [[nodiscard]] bool repaired() const { return repaired_; }

private:
  enum class mode { prolog, content, cdata, comment };
  struct open_tag {
    std::uint32_t name_at;  // in names_
    std::uint32_t hash;     // of the name without regard to case
  };
  struct attribute {
    std::string_view name, value;
    char quote;
  };

  void take(std::string_view text);
  void flush();
  void open_gap(std::string_view text);
  void close_gap();
  void put(std::string_view plain);
  void pass(std::string_view run);
  std::size_t pass_around(std::string_view text);
  std::size_t consume(std::string_view text, bool last);
  std::size_t prolog(std::string_view text, bool last);
  std::size_t markup(std::string_view text, bool last);
  std::size_t declaration(std::string_view text, bool last);
  std::size_t tag(std::string_view text, bool last);
  std::size_t comment(std::string_view text, bool last);
  std::size_t cdata(std::string_view text, bool last);
  std::size_t reference(std::string_view text, bool last);
  void start_tag(std::string_view text);
  void end_tag(std::string_view text);
  std::size_t open_end_tag(std::string_view text) const;
  bool read_attributes(std::string_view text);
  void append_value(std::string& out, std::string_view value);
  void read_doctype(std::string_view text);
  std::string expanded(std::string_view value) const;
  void close_until(std::size_t depth);
  void repair();
  bool inside_item() const;
  void close_open_item(std::string_view name);
  std::string_view open_name(std::size_t index) const;

  bool is_root(std::string_view name) const;

  limits limits_;
  std::string root_;
  mode mode_ = mode::prolog;
  sax_parser* to_ = nullptr;  // during a call
  std::string xml_, text_;    // for the parser, and around it; never both filled
  std::string pending_;
  std::string names_;  // the names of the open elements, one behind the other
  std::vector<open_tag> open_;
  std::vector<attribute> attributes_;
  std::map<std::string, std::string, std::less<>> entities_;
  std::size_t expansion_ = 0;
  std::size_t repairs_ = 0;
  std::size_t tags_ = 0;
  std::size_t wasted_ = 0;    // bytes looked at for the end of what was no tag
  std::size_t too_deep_ = 0;  // open elements past the depth limit, which are left out
  int nesting_ = 0;           // of entities in entities
  bool page_ = false;         // HTML came first: only an XML declaration can start a feed now
  bool ended_ = false;
  bool refused_ = false;
  bool cut_short_ = false;
  bool cut_inside_ = false;
  bool repaired_ = false;
  bool muted_ = false;
  bool around_ = false;     // the text between two tags goes around the parser
  bool fresh_gap_ = false;  // no text came since the last tag
};

}  // namespace cistern::stitch::feed
