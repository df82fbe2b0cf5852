#pragma once

#include <string>
#include <string_view>

#include "proxy/is_navigation.hpp"
#include "store/cache_control.hpp"
#include "store/header_block.hpp"
#include "store/preconditions.hpp"
#include "sync/framing.hpp"

namespace cistern::proxy {

/// A request as a cache sees it, read in one pass. Views point into the head it was read from.
struct asked {
  std::string_view method;
  std::string url;  // normalised; empty when the target is no http(s) URL
  store::request_directives directives{};
  store::client_conditions conditions{};
  visit_hints hints{};
  std::string_view accept_encoding{};
  bool has_accept_encoding = false;
  bool has_authorization = false;
  bool is_head = false;
  bool one_dot_zero = false;

  [[nodiscard]] bool reads() const { return is_head || method == "GET"; }
};

/// `url` is where the request goes: the absolute form's target, or what a door of ours made of it.
[[nodiscard]] asked read_request(sync::head_view const& head, std::string url);

/// The fields that go on to the origin: hop-by-hop ones are left, Via is added. Conditions and ranges stay.
[[nodiscard]] store::header_block forwarded_fields(sync::head_view const& head);

/// Would the client understand a body in that coding (RFC 9110 §12.5.3)?
[[nodiscard]] bool accepts_coding(asked const& request, std::string_view coding);

}  // namespace cistern::proxy
