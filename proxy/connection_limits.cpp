#include "proxy/connection_limits.hpp"

#include <utility>

namespace cistern::proxy {

connection_limits::ticket::ticket(connection_limits& owner, boost::asio::ip::address client)
    : owner_{&owner}, client_{std::move(client)} {}

connection_limits::ticket::ticket(ticket&& other) noexcept
    : owner_{std::exchange(other.owner_, nullptr)}, client_{other.client_} {}

connection_limits::ticket::~ticket() {
  if (owner_) owner_->leave(client_);
}

std::optional<connection_limits::ticket> connection_limits::admit(boost::asio::ip::address const& client) {
  std::lock_guard const lock{mutex_};
  if (count_ >= most_) return {};
  auto& from_client = clients_[client];
  if (from_client >= most_per_client_) return {};
  ++from_client;
  ++count_;
  return ticket{*this, client};
}

std::size_t connection_limits::count() const {
  std::lock_guard const lock{mutex_};
  return count_;
}

void connection_limits::leave(boost::asio::ip::address const& client) {
  std::lock_guard const lock{mutex_};
  --count_;
  if (auto const found = clients_.find(client); --found->second == 0) clients_.erase(found);
}

}  // namespace cistern::proxy
