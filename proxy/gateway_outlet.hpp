#pragma once

/// Answers on their way to a browser that came through the gateway.

#include "proxy/gateway.hpp"
#include "sync/chunk_decoder.hpp"

namespace cistern::proxy {

/// Takes the bytes that the proxy writes for the translated request and sends what the browser is to see: heads
/// translated, pages and style sheets collected and rewritten, everything else as it comes. Lives for one answer.
class gateway_outlet final : public connection::outlet {
public:
  gateway_outlet(connection& peer, gateway& through, gateway_visit const& visit)
      : peer_{peer}, gateway_{through}, visit_{visit} {}

  boost::asio::awaitable<bool> write(std::string_view first, std::string_view second) override;
  /// The answer is over: what ends with the connection is complete now. False when it could not be sent.
  boost::asio::awaitable<bool> finish();

  /// Set: an answer that says that the site cannot be reached this way is not sent, so that another way can be tried.
  bool withhold_trouble = false;
  [[nodiscard]] bool withheld() const { return state_ == state::withheld; }
  /// The answer is the site's, not one of ours in its place.
  [[nodiscard]] bool came_from_site() const { return head_.find("Via").has_value(); }

private:
  enum class state { head, passing, collecting, done, withheld };
  boost::asio::awaitable<bool> take(std::string_view bytes);
  boost::asio::awaitable<bool> on_head();
  boost::asio::awaitable<bool> collect(std::string_view bytes);
  boost::asio::awaitable<bool> send_collected();

  connection& peer_;
  gateway& gateway_;
  gateway_visit const& visit_;
  state state_ = state::head;
  std::string head_text_;
  sync::head_view head_;
  gateway::treatment what_ = gateway::treatment::pass;
  std::string body_;
  sync::chunk_decoder chunks_;
};

}  // namespace cistern::proxy
