#include "sync/http/head_io.hpp"

#include <algorithm>
#include <array>

namespace cistern::sync {
namespace {

namespace net = boost::asio;

/// The client writes these itself, or they end here (RFC 9110 §7.6.1).
constexpr std::array<std::string_view, 13> ours = {
    "host",    "connection", "keep-alive", "proxy-connection",    "content-length",     "transfer-encoding", "te",
    "trailer", "upgrade",    "expect",     "proxy-authorization", "proxy-authenticate", "http2-settings"};

bool is_ours(std::string_view name) {
  return std::any_of(ours.begin(), ours.end(), [&](auto known) { return store::same_token(known, name); });
}

bool in_line(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
}

void append(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

/// A body is announced for the methods that may have one, so that "none" is certain too (RFC 9110 §8.6).
void append_framing(std::string& out, request const& what) {
  if (what.body && !what.body.length) {
    append(out, "Transfer-Encoding", "chunked");
  } else if (what.body) {
    append(out, "Content-Length", std::to_string(*what.body.length));
  } else if (what.method == "POST" || what.method == "PUT" || what.method == "PATCH") {
    append(out, "Content-Length", "0");
  }
}

}  // namespace

result<std::string> write_head(request const& what, parent_proxy const* parent) {
  if (!in_line(what.method) || !in_line(what.target) || !in_line(what.to.host)) return errc::bad_url;
  auto const host = authority(what.to);
  auto const absolute = parent != nullptr && !what.to.tls;
  std::string out;
  out.reserve(256 + what.target.size() + what.fields.wire().size());
  out.append(what.method).append(" ");
  if (absolute) out.append("http://").append(host);
  // The target of a server-wide OPTIONS stands alone, or is left out of the absolute form (RFC 9112 §3.2.4).
  if (!absolute || what.target != "*") out.append(what.target);
  out.append(" HTTP/1.1\r\n");
  append(out, "Host", host);
  for (auto const& field : what.fields)
    if (!is_ours(field.name)) append(out, field.name, field.value);
  append_framing(out, what);
  if (absolute && !parent->authorization.empty()) append(out, "Proxy-Authorization", parent->authorization);
  out.append("\r\n");
  return out;
}

net::awaitable<result<void>> read_head(connection& link, head_view& view, std::size_t limit, deadline until,
                                       interim_listener const& interim) {
  std::size_t seen = 0;
  for (int passed = 0; passed < 16;) {
    auto fault = framing_fault::incomplete;
    if (seen == 0 || find_head_end(link.pending(), seen) != 0) fault = parse_response_head(link.pending(), view);
    if (fault == framing_fault::none && (view.status >= 200 || view.status == 101)) co_return result<void>{};
    if (fault == framing_fault::none) {
      auto fields = store::header_block::from_wire(std::string{view.fields});
      link.consume(view.size);
      if (interim && view.status != 100) co_await interim(view.status, std::move(fields));
      seen = 0;
      ++passed;
      continue;
    }
    if (fault != framing_fault::incomplete) co_return errc::bad_framing;
    seen = link.pending().size();
    if (seen >= limit) co_return errc::too_large;
    auto const got = co_await link.fill(until);
    if (!got) co_return got.error();
    if (*got == 0) co_return errc::truncated;
  }
  co_return errc::bad_framing;
}

}  // namespace cistern::sync
