#pragma once

/// JSON as publishers send it -> JSON that a strict parser takes: line breaks and tabs inside of strings, half
/// surrogate pairs, escapes that do not exist. What is meant is kept; control characters are dropped. Streams, in
/// constant memory.

#include <cstddef>
#include <string>
#include <string_view>

namespace cistern::stitch::feed {

class json_mender {
public:
  /// Appends what can be said so far to `out`; a piece of an escape waits for its rest.
  void push(std::string_view utf8, std::string& out);
  [[nodiscard]] std::size_t repairs() const { return repairs_; }

private:
  enum class spot { outside, slash, line_comment, block_comment, star, text };

  void outside(char c);
  void in_text(char c, std::string& out);
  void in_escape(char c, std::string& out);
  void end_unicode(std::string& out);
  void drop_half(std::string& out);

  spot spot_ = spot::outside;
  std::string escape_;  // from its backslash on
  std::string half_;    // an escape that is the first half of a pair
  std::size_t repairs_ = 0;
};

}  // namespace cistern::stitch::feed
