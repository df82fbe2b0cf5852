#pragma once

#include <functional>
#include <string>

namespace cistern::sync {

/// While it lives its listener is told, on any client's thread, the host of every origin that asks for a certificate of
/// the client's. We have none to show; the browser may. One place for all clients, because it is a fact about the
/// origin and not about who found out.
class certificate_wishes {
public:
  using listener = std::function<void(std::string const& host)>;
  explicit certificate_wishes(listener told);
  ~certificate_wishes();
  certificate_wishes(certificate_wishes const&) = delete;
  certificate_wishes& operator=(certificate_wishes const&) = delete;

  /// Tells all that live. For the TLS layer.
  static void tell(std::string const& host);

private:
  listener told_;
};

}  // namespace cistern::sync
