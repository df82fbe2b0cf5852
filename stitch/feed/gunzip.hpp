#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace cistern::stitch::feed {

/// Unpacks gzip as it streams, for servers that compress what nobody asked them to. The caller bounds what comes out
/// by not asking for more: each call gives at most `most` bytes and keeps the rest of the input.
class gunzip {
public:
  gunzip();
  ~gunzip();

  /// Appends at most `most` unpacked bytes to `out`; false when the data is damaged or at its end.
  bool push(std::string_view bytes, std::size_t most, std::string& out);

  [[nodiscard]] static bool is_packed(std::string_view head) { return head.starts_with("\x1f\x8b"); }

private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace cistern::stitch::feed
