#pragma once

#include "store/repository.hpp"
#include "sync/content_digest.hpp"
#include "sync/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::sync {

/// Puts one body into the repository while it arrives: from nothing, behind what an earlier try left, in place of it,
/// or beside it until it is known which. Calls are made one after the other, by sync/downloads.cpp; an error of the
/// repository means that nothing more is kept, while what was durable before stays.
class body_keeper {
public:
  body_keeper(store::repository& kept, store::object_head head) : kept_{kept}, head_{std::move(head)} {}

  // At most one of these, before the first byte.
  /// The next byte is the one behind `partial`.
  void continue_behind(store::stored_object partial);
  /// The body comes from its first byte on: it is compared with `partial`, whose bytes are kept as far as they agree.
  void shadow(store::stored_object partial);
  /// Another entity: the bytes of `partial` go when the first new ones come.
  void replace(store::stored_object partial);

  /// Durable when it returns.
  boost::asio::awaitable<result<void>> add(std::string_view block);
  /// The last bytes, then the object is complete and a fact. errc::wrong_digest: it was not what was expected, and is
  /// gone. `leftovers` are other unfinished objects of the URL: superseded.
  boost::asio::awaitable<result<store::stored_object>> complete(std::string_view last,
                                                                std::optional<content_digest> expected,
                                                                std::vector<store::object_ref> leftovers);
  /// What there is of it is not wanted.
  boost::asio::awaitable<void> drop();

  [[nodiscard]] store::stored_object const& object() const { return *object_; }
  /// How much of the body has been given, or was there.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  /// Two transfers ended at this very byte: as sure as one can be of a body whose end is only the connection's.
  [[nodiscard]] bool ended_alike() const { return shadowing_ && object_ && position_ == object_->size; }

private:
  result<std::size_t> equal_bytes(std::string_view block) const;
  boost::asio::awaitable<result<void>> append(std::string_view bytes);
  boost::asio::awaitable<result<void>> start_over();
  boost::asio::awaitable<result<void>> check_digest(content_digest expected) const;

  store::repository& kept_;
  store::object_head head_;
  std::optional<store::stored_object> object_{};
  std::uint64_t position_ = 0;
  bool shadowing_ = false;
  bool restart_ = false;  // with the next write
  bool refresh_ = false;  // the head, with the next write
};

}  // namespace cistern::sync
