#pragma once

/// Header fields on their way through the gateway.

#include "proxy/gateway_names.hpp"
#include "proxy/gateway_policy.hpp"
#include "store/header_block.hpp"
#include "sync/framing.hpp"

#include <string>
#include <string_view>

namespace cistern::proxy {

/// A browser's request, as if it had been made to the site: absolute target, Host, Origin, Referer and If-None-Match
/// translated, what names the gateway left out. Cookies are left out of what a page of another site asks for, unless it
/// is a link that is followed. `target` is the origin-form target.
[[nodiscard]] std::string translated_request(sync::head_view const& head, gateway_names const& names,
                                             gateway_names::site const& to, bool secure);

struct field_options {
  gateway_names const& names;
  gateway_names::site const& site;
  std::string_view url;  // what was asked for, the site's own address
  own_scripts const& ours;
  bool body_changes = false;  // validators, digests, ranges and the like no longer fit
};

/// A site's response fields as the browser is to see them: addresses and origins in the gateway's names; cookies kept
/// to the one name they came from; promises about https, alternatives and reports left out.
[[nodiscard]] store::header_block translated_fields(store::header_block const& fields, field_options const& options);

/// A cookie that stays where it came from: without Domain (which could reach every carried site below ".com.localhost")
/// and, where the gateway is plain http, without Secure.
[[nodiscard]] std::string translated_cookie(std::string_view cookie, bool trustworthy);

/// An entity tag of a changed body, and back. Weak, because another version of ours may change it differently.
[[nodiscard]] std::string changed_tag(std::string_view etag);
[[nodiscard]] std::string original_tags(std::string_view list);

}  // namespace cistern::proxy
