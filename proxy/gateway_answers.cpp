#include "proxy/exchange.hpp"
#include "proxy/gateway_outlet.hpp"
#include "proxy/web_proxy.hpp"

/// The proxy's answers under the gateway's names.

namespace cistern::proxy {
namespace {

namespace net = boost::asio;

constexpr std::size_t quick = 16u << 10;  // rewritten on the hot path; what is longer waits its turn

/// The answer that is ready, as the browser is to see it; false when that takes longer than a hot path may.
bool translate_now(gateway& through, gateway_visit const& visit, outgoing& out) {
  sync::head_view head;
  auto const text = std::move(out.head);
  if (sync::parse_response_head(text, head) != sync::framing_fault::none) return false;
  auto const what = through.treatment_of(visit, head);
  if (what == gateway::treatment::pass || out.body.empty()) {
    out.head = through.head_of(visit, head, what, std::nullopt);
    return true;
  }
  std::string key;
  auto made = through.remembered(visit, head, what, out.body, key);
  if (!made && out.body.size() <= quick) made = through.rewritten(visit, head, what, out.body);
  if (!made) return false;
  out.head = through.head_of(visit, head, what, made->size());
  out.body = *made;
  return true;
}

/// An outlet leaves with the answer it was set for.
struct outlet_in_place {
  outlet_in_place(connection& peer, connection::outlet& outlet) : peer_{peer} {
    peer.via = &outlet;
    peer.trouble = {};
    peer.nothing_stored = false;  // that was looked up for https, and this may be http
  }
  ~outlet_in_place() { peer_.via = nullptr; }
  outlet_in_place(outlet_in_place const&) = delete;
  outlet_in_place& operator=(outlet_in_place const&) = delete;

private:
  connection& peer_;
};

}  // namespace

bool web_proxy::is_stored(std::string_view url) const {
  auto const found = parts_.kept.find(url);
  return found && *found;
}

bool web_proxy::gateway_answer_now(gateway_names::site site, sync::head_view const& head, connection& peer,
                                   outgoing& out) {
  if (gateway_.answer_own(head, out)) return !head.chunked && head.content_length.value_or(0) == 0;
  bool const secure = !gateway_.is_plain(site);
  auto const visit = gateway_.visit(head, std::move(site), secure);
  return visit && answer_now(visit->head, peer, out) && translate_now(gateway_, *visit, out);
}

/// https first; http where that is what is stored, or all that the site speaks.
net::awaitable<after> web_proxy::answer_gateway(gateway_names::site site, sync::head_view const& head,
                                                connection& peer) {
  bool secure = !gateway_.is_plain(site);
  if (secure) {
    auto const plain = gateway_.visit(head, site, false);
    auto const safe = gateway_.visit(head, site, true);
    if (plain && safe && !is_stored(safe->url) && is_stored(plain->url)) secure = false;
  }
  for (bool tried = false;; tried = true) {
    auto const visit = gateway_.visit(head, site, secure);
    if (!visit) {
      exchange x{head, peer};
      x.keep = false;
      co_return co_await say(x, 400, "text/plain; charset=utf-8", "That address cannot be read.\n", {});
    }
    gateway_outlet outlet{peer, gateway_, *visit};
    bool const no_body = !head.chunked && head.content_length.value_or(0) == 0;
    // Who has spoken https is not asked without it: somebody on the way may just be holding it up.
    bool const may_be_plain = secure && !gateway_.is_secure(site) && !is_stored(site.origin(true) + "/");
    outlet.withhold_trouble = may_be_plain && no_body && (head.method == "GET" || head.method == "HEAD");
    auto next = after::close;
    bool whole = false;
    {
      outlet_in_place const in_place{peer, outlet};
      next = co_await answer(visit->head, peer);
      if (!outlet.withheld()) whole = co_await outlet.finish();
    }
    if (outlet.withheld()) {
      secure = false;
      continue;
    }
    if (tried && !peer.trouble) gateway_.note_plain(site);
    if (secure && outlet.came_from_site()) gateway_.note_secure(site);
    co_return whole ? next : after::close;
  }
}

}  // namespace cistern::proxy
