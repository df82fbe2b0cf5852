#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cistern::store {

/// The one spelling under which a URL is kept: scheme and host in lower case, default port and fragment dropped, an
/// empty path made "/", dot segments removed, percent-encoding normalised once (RFC 3986 §6.2.2: unreserved
/// characters decoded, hex digits in capitals, nothing decoded twice). User information is dropped: it is a secret
/// and names no other resource. Nothing for what is no http(s) URL.
/// Normalising twice equals normalising once.
[[nodiscard]] std::optional<std::string> normalise_url(std::string_view url);

}  // namespace cistern::store
