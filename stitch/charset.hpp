#pragma once

/// Bytes of a document as they arrive -> clean UTF-8.
///
/// The order of belief: byte-order mark or the pattern of zero bytes, the Content-Type's charset, the document's own
/// XML declaration, UTF-8. A label is a web label (iso-8859-1 means windows-1252, gb2312 means gb18030). A label that
/// the first 16 KB contradict is not believed (us-ascii is windows-1252, or UTF-8 when they are that); bytes that
/// cannot be read are read as windows-1252 or become U+FFFD. What has no label, or UTF-8's, and whose first 16 KB are
/// no UTF-8 is guessed (charset_guess.hpp). What comes out is valid UTF-8 without the control characters XML forbids;
/// C1 controls become the windows-1252 characters they were meant to be. Memory is bounded by the first 16 KB and by
/// what one push gives.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace cistern::stitch {

/// The charset parameter of a Content-Type header, empty when there is none: blanks and quotes are forgiven.
[[nodiscard]] std::string charset_of_content_type(std::string_view content_type);

class utf8_decoder {
public:
  /// `label` is what the transport said, empty when it said nothing.
  explicit utf8_decoder(std::string_view label = {});
  ~utf8_decoder();
  utf8_decoder(utf8_decoder&&) noexcept;
  utf8_decoder& operator=(utf8_decoder&&) noexcept;

  /// Appends what can be decoded so far to `out`.
  void push(std::string_view bytes, std::string& out);
  /// No more bytes will come.
  void finish(std::string& out);

  /// Something could not be read as it stood.
  [[nodiscard]] bool repaired() const { return repairs() > 0; }
  /// How many bytes or characters that was.
  [[nodiscard]] std::size_t repairs() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A whole document at once.
[[nodiscard]] std::string to_utf8(std::string_view bytes, std::string_view label = {});

/// The name under which iconv knows a web label; "windows-1252" and "utf-8" are read without iconv. Empty when unknown.
[[nodiscard]] std::string encoding_of_label(std::string_view label);

}  // namespace cistern::stitch
