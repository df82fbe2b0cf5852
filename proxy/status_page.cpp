#include "proxy/status_page.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <cstdio>
#include <utility>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using response = http::response<http::string_body>;

constexpr auto quiet = net::as_tuple(net::use_awaitable);

/// Our own pages are for whoever asks this machine by address or as localhost. Any other name is a page elsewhere that
/// had its name pointed here to read ours through a visitor's browser (DNS rebinding).
bool is_own_host(std::string_view host) {
  if (auto const colon = host.rfind(':'); colon != host.npos && host.find(']', colon) == host.npos)
    host = host.substr(0, colon);
  if (host.empty() || boost::beast::iequals(host, "localhost"))
    return true;  // HTTP/1.0 needs no Host; browsers send one
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  net::ip::make_address(host, error);
  return !error;
}

std::string row(std::string_view name, std::string_view value) {
  return "<div><dt>" + escape_html(name) + "</dt><dd>" + escape_html(value) + "</dd></div>\n";
}

response plain(http::status status, unsigned version, std::string text) {
  response out{status, version};
  out.set(http::field::content_type, "text/plain; charset=utf-8");
  out.body() = std::move(text);
  return out;
}

}  // namespace

std::string readable_bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

std::string readable_time(std::chrono::seconds time) {
  auto const s = time.count();
  if (s < 60) return std::to_string(s) + " s";
  if (s < 3600) return std::to_string(s / 60) + " min";
  if (s < 86'400) return std::to_string(s / 3600) + " h " + std::to_string(s / 60 % 60) + " min";
  return std::to_string(s / 86'400) + " d " + std::to_string(s / 3600 % 24) + " h";
}

status_page::status_page(std::filesystem::path const& webroot, status_source facts)
    : page_{page_template::load(webroot / "status.html")}, facts_{std::move(facts)} {}

std::string status_page::render() const {
  auto const facts = facts_();
  std::string rows = row("Address", facts.address) + row("Running for", readable_time(facts.uptime)) +
                     row("Connections", std::to_string(facts.connections));
  if (auto const& kept = facts.repository) {
    rows += row("Kept", std::to_string(kept->objects) + " objects, " + readable_bytes(kept->bytes));
    rows += row("Space used", readable_bytes(kept->used_bytes) + " of " + readable_bytes(kept->quota));
    rows += row("Repository", kept->path);
  }
  return page_.fill(
      {{"state", facts.state}, {"mood", facts.healthy ? "well" : "ill"}, {"version", facts.version}, {"facts", rows}});
}

net::awaitable<after> status_page::answer(request_head& head, connection& peer) {
  auto const& request = head.get();
  auto const version = request.version();
  auto const target = request.target().substr(0, request.target().find('?'));
  bool const reading = request.method() == http::verb::get || request.method() == http::verb::head;

  response out;
  if (!is_own_host(request[http::field::host])) {
    out = plain(http::status::misdirected_request, version, "Open this as http://localhost and its port.\n");
  } else if (target != "/" && target != "/healthz") {
    out = plain(http::status::not_found, version, "There is nothing here.\n");
  } else if (!reading) {
    out = plain(http::status::method_not_allowed, version, "This can only be read.\n");
    out.set(http::field::allow, "GET, HEAD");
  } else if (target == "/healthz") {
    auto const facts = facts_();
    out = plain(facts.healthy ? http::status::ok : http::status::service_unavailable, version,
                facts.healthy ? "ok\n" : facts.state + '\n');
  } else {
    out = plain(http::status::ok, version, render());
    out.set(http::field::content_type, "text/html; charset=utf-8");
    out.set("Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'");
    out.set("Referrer-Policy", "no-referrer");
  }
  out.set(http::field::cache_control, "no-store");
  out.set("X-Content-Type-Options", "nosniff");
  // A body that nobody wanted stands between this request and the next.
  bool const keep = request.keep_alive() && head.is_done() && !peer.stopping;
  out.keep_alive(keep);
  out.content_length(out.body().size());
  if (request.method() == http::verb::head) out.body().clear();

  peer.stream.expires_after(peer.limits.body_timeout);
  auto const [error, sent] = co_await http::async_write(peer.stream, out, quiet);
  co_return error || !keep ? after::close : after::keep;
}

}  // namespace cistern::proxy
