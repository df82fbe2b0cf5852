#include "proxy/own_pages.hpp"

#include "proxy/answer_head.hpp"
#include "proxy/fetch_api.hpp"
#include "proxy/link_json.hpp"
#include "proxy/pac.hpp"

#include <boost/asio/ip/address.hpp>

namespace cistern::proxy {
namespace {

constexpr std::string_view text_type = "text/plain; charset=utf-8";
constexpr std::string_view page_policy =
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\n";
constexpr std::string_view change_header =
    "X-Cistern";  // a page elsewhere cannot set it without a preflight that we never grant

}  // namespace

own_pages::own_pages(parts given) : parts_{std::move(given)}, page_{parts_.webroot} {}

/// Our own pages are for whoever asks this machine by address or as localhost. Any other name is a page elsewhere that
/// had its name pointed here to read ours through a visitor's browser (DNS rebinding).
bool own_pages::is_own_host(std::string_view host) {
  if (auto const colon = host.rfind(':'); colon != host.npos && host.find(']', colon) == host.npos)
    host = host.substr(0, colon);
  if (host.empty() || store::same_token(host, "localhost")) return true;  // HTTP/1.0 needs no Host; browsers send one
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  boost::asio::ip::make_address(host, error);
  return !error;
}

std::optional<std::pair<unsigned, std::string>> own_pages::refusal(sync::head_view const& head) {
  bool const changes = head.method != "GET" && head.method != "HEAD";
  if (!is_own_host(head.host)) return std::pair{421u, std::string{"Open this as http://localhost and its port.\n"}};
  if (changes && head.target.starts_with("/api/") && !head.find(change_header))
    return std::pair{403u, std::string{"A change needs the header X-Cistern.\n"}};
  return std::nullopt;
}

void own_pages::answer(sync::head_view const& head, std::string_view body, outgoing& out, bool is_local) const {
  auto const target = head.target.substr(0, head.target.find('?'));
  bool const head_only = head.method == "HEAD";
  bool const reading = head_only || head.method == "GET";
  auto const say = [&](unsigned status, std::string text, std::string_view type = text_type,
                       std::string_view extra = {}) {
    write_own(out.head, out.body, status, type, std::move(text), out.keep, head_only, extra);
  };
  if (auto const refused = refusal(head)) return say(refused->first, refused->second);
  if (target == "/api/v1/link" && head.method == "POST") return link_command(body, out);
  if (target == "/api/v1/fetch" && parts_.fetching != nullptr) {
    if (!is_local) return say(403, "This is for programs on the machine itself.\n");
    auto reply = answer_fetch(*parts_.fetching, head.method, head.target);
    return say(reply.status, std::move(reply.json), "application/json", "Cache-Control: no-store\r\n");
  }
  bool const known = target == "/" || target == "/healthz" || target == "/readyz" || target == "/proxy.pac" ||
                     target == "/api/v1/link";
  if (!known) return say(404, "There is nothing here.\n");
  if (!reading) return say(405, "This can only be read.\n", text_type, "Allow: GET, HEAD\r\n");
  if (target == "/proxy.pac") return say(200, make_pac({parts_.address, parts_.carried_hosts()}), pac_content_type);
  auto const facts = parts_.facts();
  if (target == "/") return say(200, page_.render(facts), "text/html; charset=utf-8", page_policy);
  if (target == "/api/v1/link") return say(200, link_json(*parts_.link), "application/json");
  say(facts.healthy ? 200 : 503, facts.healthy ? "ok\n" : facts.state + "\n");
}

void own_pages::link_command(std::string_view body, outgoing& out) const {
  using sync::link_mode;
  auto const mode = body == "online"    ? std::optional{link_mode::online}
                    : body == "offline" ? std::optional{link_mode::offline}
                    : body == "auto"    ? std::optional{link_mode::automatic}
                                        : std::nullopt;
  if (mode) parts_.link->force(*mode);
  write_own(out.head, out.body, mode ? 200 : 400, text_type,
            mode ? std::string{body} + "\n" : "Say online, offline or auto.\n", out.keep, false);
}

}  // namespace cistern::proxy
