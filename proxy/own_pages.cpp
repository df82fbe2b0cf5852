#include "proxy/own_pages.hpp"

#include "proxy/answer_head.hpp"
#include "proxy/fetch_api.hpp"
#include "proxy/form.hpp"
#include "proxy/gateway_names.hpp"
#include "proxy/link_json.hpp"
#include "proxy/pac.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>

namespace cistern::proxy {
namespace {

constexpr std::string_view text_type = "text/plain; charset=utf-8";
constexpr std::string_view page_policy =
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\n";
constexpr std::string_view change_header =
    "X-Cistern";  // a page elsewhere cannot set it without a preflight that we never grant

}  // namespace

own_pages::own_pages(parts given)
    : parts_{std::move(given)}, page_{parts_.webroot}, ca_page_{page_template::load(parts_.webroot / "ca.html")} {}

/// Our own pages are for whoever asks this machine by address or as localhost. Any other name is a page elsewhere that
/// had its name pointed here to read ours through a visitor's browser (DNS rebinding).
bool own_pages::is_own_host(std::string_view host) {
  boost::system::error_code error;
  boost::asio::ip::make_address(host, error);
  if (!error) return true;  // before the colons are looked at: those of "::1" are not before a port
  if (auto const colon = host.rfind(':'); colon != host.npos && host.find(']', colon) == host.npos)
    host = host.substr(0, colon);
  if (host.empty() || store::same_token(host, "localhost")) return true;  // HTTP/1.0 needs no Host; browsers send one
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
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

void own_pages::answer(sync::head_view const& head, std::string_view body, outgoing& out, bool judged) const {
  auto const target = head.target.substr(0, head.target.find('?'));
  bool const head_only = head.method == "HEAD";
  bool const reading = head_only || head.method == "GET";
  auto const say = [&](unsigned status, std::string text, std::string_view type = text_type,
                       std::string_view extra = {}) {
    write_own(out.head, out.body, status, type, std::move(text), out.keep, head_only, extra);
  };
  auto const refused = judged ? std::nullopt : refusal(head);
  bool const by_gateway_domain = refused && refused->first == 421 && reading && is_ours(head.host);
  if (refused && !by_gateway_domain) return say(refused->first, refused->second);
  if (target == "/api/v1/link" && head.method == "POST") return link_command(body, out);
  if (target == "/go" && reading && !parts_.gateway_domain.empty()) return go(head, out);
  if (reading && target.starts_with("/ca") && answer_certificate(target, head_only, out)) return;
  if (target == "/api/v1/fetch" && parts_.fetching != nullptr) {
    auto reply = answer_fetch(*parts_.fetching, head.method, head.target);
    return say(reply.status, std::move(reply.json), "application/json", "Cache-Control: no-store\r\n");
  }
  bool const known = target == "/" || target == "/healthz" || target == "/readyz" || target == "/proxy.pac" ||
                     target == "/api/v1/link";
  if (!known) return say(404, "There is nothing here.\n");
  if (!reading) return say(405, "This can only be read.\n", text_type, "Allow: GET, HEAD\r\n");
  if (target == "/proxy.pac") {
    auto hosts = parts_.carried_hosts();
    hosts.emplace_back(authority::check_host);
    return say(200, make_pac({parts_.address, std::move(hosts)}), pac_content_type);
  }
  auto const facts = parts_.facts();
  if (target == "/") return say(200, page_.render(facts), "text/html; charset=utf-8", page_policy);
  if (target == "/api/v1/link") return say(200, link_json(*parts_.link), "application/json");
  say(facts.healthy ? 200 : 503, facts.healthy ? "ok\n" : facts.state + "\n");
}

/// On a box that serves others, also the name that the gateway's names end in.
bool own_pages::is_ours(std::string_view host) const {
  return is_own_host(host) ||
         (!parts_.gateway_domain.empty() && store::same_token(host.substr(0, host.rfind(':')), parts_.gateway_domain));
}

bool own_pages::answer_certificate(std::string_view target, bool head_only, outgoing& out) const {
  auto const say = [&](std::string_view type, std::string text, std::string_view extra) {
    write_own(out.head, out.body, 200, type, std::move(text), out.keep, head_only, extra);
    return true;
  };
  auto const* const ca = parts_.authority;
  if (!ca) {
    if (target != "/ca") return false;
    write_own(out.head, out.body, 404, text_type, "There is no certificate authority; `cistern ca init` makes one.\n",
              out.keep, head_only);
    return true;
  }
  if (target == "/ca.pem")
    return say("application/x-pem-file", ca->root_pem(),
               "Content-Disposition: attachment; filename=\"cistern.pem\"\r\n");
  if (target == "/ca.der") return say("application/x-x509-ca-cert", ca->root_der(), {});
  if (target == "/ca.p12") return say("application/x-pkcs12", ca->root_p12(), {});
  if (target != "/ca") return false;
  page_values values;
  values.texts = {{"fingerprint", ca->fingerprint()}};
  for (auto const& host : ca->hosts()) {
    page_values one;
    one.texts = {{"host", host},
                 {"note", ca->is_refused(host) ? ": refused by a program here, so it is tunnelled" : ""}};
    values.lists["hosts"].push_back(std::move(one));
  }
  return say("text/html; charset=utf-8", ca_page_.render(values), page_policy);
}

/// An address of the web, typed or from a bookmarklet, leads to its place on the gateway.
void own_pages::go(sync::head_view const& head, outgoing& out) const {
  auto const mark = head.target.find('?');
  auto url = form_field(mark == head.target.npos ? std::string_view{} : head.target.substr(mark + 1), "url");
  if (url.find("://") == url.npos) url.insert(0, "https://");
  auto const to = gateway_address(parts_.gateway_domain, url, head.host);
  bool const clean = std::ranges::none_of(to, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 127; });
  if (to.empty() || !clean)
    return write_own(out.head, out.body, 400, text_type, "Say which page, as /go?url=https://example.org/.\n", out.keep,
                     head.method == "HEAD");
  write_own(out.head, out.body, 302, text_type, {}, out.keep, head.method == "HEAD",
            "Location: " + to + "\r\nReferrer-Policy: no-referrer\r\n");
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
