#pragma once

/// Which addresses belong together.

#include <string_view>

namespace cistern::stitch {

/// The host of an http(s) address, as written: no port, no user. Empty when there is none.
[[nodiscard]] std::string_view host_of(std::string_view url) noexcept;

/// The part of a host name that one owner has registered: "example.co.uk" of "www.example.co.uk", "me.github.io" of
/// itself. By a short list of the suffixes under which people register, not the public list of ten thousand: a wrong
/// guess makes a subresource first party, it opens nothing. An IP address is its own site.
[[nodiscard]] std::string_view site_of(std::string_view host) noexcept;

/// Whether a page on one address would call the other its own, without regard to case.
[[nodiscard]] bool same_site(std::string_view url, std::string_view other_url) noexcept;

}  // namespace cistern::stitch
