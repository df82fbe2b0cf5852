#include "store/hop_by_hop.hpp"

#include "store/field_list.hpp"

#include <algorithm>
#include <array>

namespace cistern::store {
namespace {

template <std::size_t N>
bool is_one_of(std::array<std::string_view, N> const& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view known) { return same_token(known, name); });
}

constexpr std::array<std::string_view, 12> hop_by_hop_names{
    "Connection", "Keep-Alive",    "Proxy-Connection", "Proxy-Authenticate",        "Proxy-Authorization",
    "TE",         "Trailer",       "Trailers",         "Proxy-Authentication-Info", "Transfer-Encoding",
    "Upgrade",    "HTTP2-Settings"};

constexpr std::array<std::string_view, 11> not_to_be_named{
    "Host", "Content-Length", "Content-Type", "Content-Encoding", "Content-Range", "Cache-Control",
    "Vary", "Authorization",  "Cookie",       "Set-Cookie",       "Location"};

bool named_by_connection(header_block const& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(), [&](header_block::field const& f) {
    return same_token(f.name, "Connection") && list_has(f.value, name);
  });
}

}  // namespace

bool is_hop_by_hop(std::string_view name) { return is_one_of(hop_by_hop_names, name); }

header_block end_to_end(header_block const& fields) {
  bool const has_connection = fields.has("Connection");
  header_block out;
  for (auto const& f : fields) {
    if (is_hop_by_hop(f.name)) continue;
    if (has_connection && !is_one_of(not_to_be_named, f.name) && named_by_connection(fields, f.name)) continue;
    out.add(f.name, f.value);
  }
  return out;
}

}  // namespace cistern::store
