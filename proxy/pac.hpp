#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

/// The file browsers configure themselves with (/proxy.pac): carried hosts come to us, and go DIRECT where we do not
/// answer; everything else goes DIRECT at once. Rules are by host name only, since browsers hide the path of https
/// URLs.
struct pac_rules {
  std::string proxy;               // "localhost:8910"
  std::vector<std::string> hosts;  // "example.org"; ".example.org" also carries every name below it
};

/// Names that are none (anything but letters, digits, dots, hyphens and underscores) are left out, so nothing a
/// subscription says can become script. An empty list sends everything DIRECT. Plain ES3, which old engines run too.
[[nodiscard]] std::string make_pac(pac_rules const& rules);

inline constexpr std::string_view pac_content_type = "application/x-ns-proxy-autoconfig";

}  // namespace cistern::proxy
