#pragma once

#include "sync/errc.hpp"
#include "sync/http/allowance.hpp"
#include "sync/http/pace.hpp"
#include "sync/http/receive_window.hpp"
#include "sync/http/traffic.hpp"

#include <boost/asio/compose.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_prefix.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace cistern::sync {

/// Whose bytes a connection moves now, and under which limits; empty pointers are none.
struct exchange_terms {
  std::shared_ptr<traffic> meter{};
  std::shared_ptr<allowance> spends{};
  std::shared_ptr<pace> keeps{};
};

/// The stream below TLS: not a byte is read or written that its terms do not allow. An allowance that is used up is
/// errc::budget_spent. Time spent waiting for one's turn does not count against the stream's time-out: it is not the
/// peer's fault.
class limited_stream {
public:
  using executor_type = counted_stream::executor_type;
  using lowest_layer_type = boost::asio::ip::tcp::socket;
  using time_point = std::chrono::steady_clock::time_point;

  explicit limited_stream(boost::asio::ip::tcp::socket socket, std::shared_ptr<traffic> total)
      : stream_{std::move(socket)} {
    stream_.rate_policy().total = std::move(total);
  }

  [[nodiscard]] executor_type get_executor() noexcept { return stream_.get_executor(); }
  [[nodiscard]] lowest_layer_type& lowest_layer() noexcept { return stream_.socket(); }
  [[nodiscard]] boost::asio::ip::tcp::socket& socket() { return stream_.socket(); }

  /// For the operations begun from now on.
  void expires_at(time_point at) {
    expiry_ = at;
    stream_.expires_at(at);
  }
  void set_terms(exchange_terms terms) {
    stream_.rate_policy().exchange = std::move(terms.meter);
    spends_ = std::move(terms.spends);
    keeps_ = std::move(terms.keeps);
  }

  template <class Buffers, class Token>
  auto async_read_some(Buffers const& buffers, Token&& token) {
    if (unlimited(buffers)) return stream_.async_read_some(buffers, std::forward<Token>(token));
    return boost::asio::async_compose<Token, void(boost::system::error_code, std::size_t)>(
        move_op<true, Buffers>{*this, buffers}, token, *this);
  }
  template <class Buffers, class Token>
  auto async_write_some(Buffers const& buffers, Token&& token) {
    if (unlimited(buffers)) return stream_.async_write_some(buffers, std::forward<Token>(token));
    return boost::asio::async_compose<Token, void(boost::system::error_code, std::size_t)>(
        move_op<false, Buffers>{*this, buffers}, token, *this);
  }

private:
  /// Bytes that were granted and have not moved yet; given back when the operation ends, however it does.
  class grant {
  public:
    grant() = default;
    grant(grant&& other) noexcept
        : bytes{std::exchange(other.bytes, 0)}, spends{std::move(other.spends)}, keeps{std::move(other.keeps)} {}
    grant& operator=(grant&&) = delete;
    ~grant() { settle(0); }

    /// The moment from which they may move; `bytes` is 0 when there are none.
    time_point ask(std::size_t wanted, limited_stream const& from);
    void settle(std::size_t moved);
    std::size_t bytes{};

  private:
    std::shared_ptr<allowance> spends;
    std::shared_ptr<pace> keeps;
  };

  template <bool Reading, class Buffers>
  struct move_op {
    limited_stream& stream;
    Buffers buffers;
    grant held{};
    std::unique_ptr<boost::asio::steady_timer> timer{};
    enum { beginning, refused, waiting, moving } state = beginning;

    template <class Self>
    void operator()(Self& self, boost::system::error_code error = {}, std::size_t moved = 0);
    template <class Self>
    void move(Self& self);
  };

  template <class Buffers>
  [[nodiscard]] bool unlimited(Buffers const& buffers) const {
    return (!spends_ && !keeps_) || boost::asio::buffer_size(buffers) == 0;
  }
  void narrow_window();

  counted_stream stream_;
  time_point expiry_{time_point::max()};
  receive_window window_;
  std::shared_ptr<allowance> spends_;
  std::shared_ptr<pace> keeps_;
};

template <bool Reading, class Buffers>
template <class Self>
void limited_stream::move_op<Reading, Buffers>::operator()(Self& self, boost::system::error_code error,
                                                           std::size_t moved) {
  switch (state) {
    case beginning: {
      auto const from = held.ask(boost::asio::buffer_size(buffers), stream);
      if (held.bytes == 0) {
        state = refused;
        boost::asio::post(stream.get_executor(), std::move(self));
        return;
      }
      auto const now = std::chrono::steady_clock::now();
      if (from <= now) return move(self);
      state = waiting;
      // Not the stream's to wait for: its time-out begins anew behind the wait.
      if (stream.expiry_ != time_point::max()) stream.expires_at(stream.expiry_ + (from - now));
      timer = std::make_unique<boost::asio::steady_timer>(stream.get_executor(), from);
      auto& wait = *timer;
      wait.async_wait(std::move(self));
      return;
    }
    case refused:
      return self.complete(errc::budget_spent, 0);
    case waiting:
      if (error) return self.complete(error, 0);
      return move(self);
    case moving:
      held.settle(moved);
      return self.complete(error, moved);
  }
}

template <bool Reading, class Buffers>
template <class Self>
void limited_stream::move_op<Reading, Buffers>::move(Self& self) {
  state = moving;
  auto& to = stream.stream_;
  auto const allowed = boost::beast::buffers_prefix(held.bytes, buffers);
  if constexpr (Reading) {
    stream.narrow_window();
    to.async_read_some(allowed, std::move(self));
  } else {
    to.async_write_some(allowed, std::move(self));
  }
}

}  // namespace cistern::sync
