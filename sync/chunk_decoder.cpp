#include "sync/chunk_decoder.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool blank(char c) { return c == ' ' || c == '\t'; }
bool control(char c) { return c != '\t' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f); }

}  // namespace

chunk_decoder::step chunk_decoder::next(std::string_view in) {
  std::size_t used = 0;
  while (used != in.size() && state_ != state::done) {
    if (state_ == state::data) {
      auto const data = in.substr(used, static_cast<std::size_t>(std::min<std::uint64_t>(left_, in.size())));
      left_ -= data.size();
      if (left_ == 0) state_ = state::data_cr;
      return {framing_fault::none, used + data.size(), data};
    }
    if (auto const fault = take(in[used++]); fault != framing_fault::none) return {fault, used, {}};
  }
  return {framing_fault::none, used, {}};
}

framing_fault chunk_decoder::take(char c) {
  auto const expect = [&](char wanted, state then) {
    if (c != wanted) return framing_fault::bad_chunk_line;
    state_ = then;
    return framing_fault::none;
  };
  switch (state_) {
    case state::size:
      return take_size(c);
    case state::extension:
      return take_extension(c);
    case state::line_feed:
      line_ = 0;
      blanks_ = false;
      line_empty_ = true;
      return expect('\n', left_ == 0 ? state::trailer : state::data);
    case state::data_cr:
      return expect('\r', state::data_lf);
    case state::data_lf:
      return expect('\n', state::size);
    case state::trailer:
      return take_trailer(c);
    case state::trailer_lf:
      return expect('\n', state::trailer);
    case state::last_lf:
      return expect('\n', state::done);
    default:
      return framing_fault::bad_chunk_line;
  }
}

framing_fault chunk_decoder::take_size(char c) {
  if (auto const value = hex(c); value >= 0 && !blanks_) {
    // 15 digits hold more than any disk and cannot overflow.
    if (line_ == 15) return framing_fault::bad_chunk_size;
    left_ = (line_++ == 0 ? 0 : left_ * 16) + static_cast<unsigned>(value);
    return framing_fault::none;
  }
  if (line_ == 0) return framing_fault::bad_chunk_size;
  if (c == ';') {
    state_ = state::extension;
    return framing_fault::none;
  }
  if (c == '\r' && !blanks_) {
    state_ = state::line_feed;
    return framing_fault::none;
  }
  if (!blank(c) || ++line_ > max_extension) return framing_fault::bad_chunk_size;
  blanks_ = true;
  return framing_fault::none;
}

framing_fault chunk_decoder::take_extension(char c) {
  if (c == '\r') {
    state_ = state::line_feed;
    return framing_fault::none;
  }
  if (control(c)) return framing_fault::bad_chunk_line;
  if (++line_ > max_extension || ++extensions_ > max_extensions) return framing_fault::long_chunk_line;
  return framing_fault::none;
}

framing_fault chunk_decoder::take_trailer(char c) {
  if (c == '\r') {
    state_ = line_empty_ ? state::last_lf : state::trailer_lf;
    line_empty_ = true;
    return framing_fault::none;
  }
  // A folded or nameless line has no business here; what a field is called does not matter, since all are dropped.
  if (control(c) || (line_empty_ && (blank(c) || c == ':'))) return framing_fault::bad_trailer;
  line_empty_ = false;
  return ++trailer_ > max_trailer ? framing_fault::long_trailer : framing_fault::none;
}

}  // namespace cistern::sync
