#include "proxy/exchange.hpp"
#include "proxy/form.hpp"
#include "proxy/web_proxy.hpp"
#include "store/url.hpp"
#include "sync/budget.hpp"
#include "sync/errc.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <random>

/// What the proxy says in a site's place: not here yet, the site is in trouble, and the small requests that those pages
/// make.

namespace cistern::proxy {
namespace {

namespace net = boost::asio;

constexpr std::string_view page_type = "text/html; charset=utf-8";
constexpr std::size_t most_neighbours = 12;
constexpr std::uint64_t one_page = 10'000'000;  // bytes beyond the budget, as the button says

std::string origin_of(std::string_view url) { return std::string{url.substr(0, url.find('/', url.find("://") + 3))}; }

std::string make_nonce() {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  return std::to_string(random()) + std::to_string(random());
}

origin_trouble kind_of_trouble(boost::system::error_code why) {
  switch (sync::kind_of(why)) {
    case sync::errc::name_not_found:
      return origin_trouble::no_such_host;
    case sync::errc::refused:
      return origin_trouble::refused;
    case sync::errc::tls_untrusted:
    case sync::errc::tls_failed:
      return origin_trouble::bad_certificate;
    case sync::errc::bad_framing:
    case sync::errc::too_large:
      return origin_trouble::bad_answer;
    case sync::errc::truncated:
    case sync::errc::reset:
      return origin_trouble::broke_off;
    default:
      return origin_trouble::timed_out;
  }
}

unsigned status_for(boost::system::error_code why) {
  return kind_of_trouble(why) == origin_trouble::timed_out ? 504 : 502;
}

}  // namespace

/// The friendly page for a person; a quick 504 for everything else, so that a page's parts do not make it wait.
net::awaitable<after> web_proxy::not_here(exchange& x, link_trouble why, boost::system::error_code failure) {
  bool const link_is_up = why == link_trouble::site || why == link_trouble::budget;
  unsigned const status = link_is_up ? status_for(failure) : 504;
  if (who_asks(x.request.hints) != visitor::person) {
    // named first: g++ 12 destroys the temporaries of a ?: inside a co_await expression twice
    std::string words = link_is_up ? failure.message() + "\n" : "Not stored, and the link is down.\n";
    co_return co_await say(x, status, text_type, std::move(words), {});
  }
  offline_facts facts{.url = x.request.url, .why = why};
  facts.now = parts_.wall.now();
  if (link_is_up)
    facts.origin = kind_of_trouble(failure);
  else if (why != link_trouble::forced)  // nothing was lost: somebody wished it so
    facts.down_since = parts_.fetching.link().since();
  switch (parts_.queue.state_of(x.request.url)) {
    case sync::queue_runner::progress::none:
      facts.queue = queue_state::none;
      break;
    case sync::queue_runner::progress::queued:
      facts.queue = queue_state::queued;
      break;
    case sync::queue_runner::progress::fetching:
      facts.queue = queue_state::fetching;
      break;
  }
  auto const site = origin_of(x.request.url) + "/";
  static_cast<void>(parts_.kept.each_object([&](store::stored_object const& o) {
    if (!o.complete || !o.url.starts_with(site)) return true;
    ++facts.stored_here;
    bool const page = o.headers.find("Content-Type").value_or("").starts_with("text/html") && o.status == 200;
    if (page && facts.nearby.size() < most_neighbours)
      facts.nearby.push_back({.url = o.url, .title = {}, .stored = o.responded});
    return facts.stored_here < 10'000;
  }));
  auto const here = x.peer.via ? std::string{"/"} : site;  // through the gateway the site has another name
  page_addresses const where{.queue_url = here + ".well-known/cistern/queue",
                             .insist_url = here + ".well-known/cistern/insist",
                             .status_url = here + ".well-known/cistern/status?url=" + encode_form(x.request.url),
                             .dashboard_url = settings_.dashboard,
                             .token = token_,
                             .nonce = make_nonce()};
  auto const extra = "Content-Security-Policy: " + own_page_policy(where.nonce) +
                     "\r\nCache-Status: cistern; fwd=uri-miss; detail=" + (link_is_up ? "origin-error" : "offline") +
                     "\r\n";
  co_return co_await say(x, status, page_type, offline_page(offline_template_, texts_, where, facts), extra);
}

net::awaitable<after> web_proxy::origin_trouble_page(exchange& x, found_on_hand const& found,
                                                     boost::system::error_code why, unsigned answered) {
  auto const status = answered != 0 ? answered : status_for(why);
  if (who_asks(x.request.hints) != visitor::person)
    co_return co_await say(x, status, text_type, why.message() + "\n", {});
  auto const site = origin_of(x.request.url) + "/";
  trouble_facts facts{.url = x.request.url, .what = kind_of_trouble(why)};
  if (answered != 0) facts.what = origin_trouble::status;
  facts.status = answered;
  facts.now = parts_.wall.now();
  if (found.best) {
    facts.copy_of = found.best->object.responded;
    facts.copy_url = (x.peer.via ? std::string{"/"} : site) +
                     ".well-known/cistern/copy?url=" + encode_form(x.request.url) + "&token=" + token_;
  }
  auto const here = x.peer.via ? std::string{"/"} : site;  // through the gateway the site has another name
  page_addresses const where{.queue_url = here + ".well-known/cistern/queue",
                             .status_url = here + ".well-known/cistern/status?url=" + encode_form(x.request.url),
                             .dashboard_url = settings_.dashboard,
                             .token = token_,
                             .nonce = make_nonce()};
  auto const extra = "Content-Security-Policy: " + own_page_policy(where.nonce) + "\r\n";
  co_return co_await say(x, status, page_type, trouble_page(offline_template_, texts_, where, facts), extra);
}

/// Requests of our own pages, under the site's name so that they work through any door. They only concern that site.
net::awaitable<after> web_proxy::answer_reserved(exchange& x, std::string_view path) {
  auto const query = path.find('?') == path.npos ? std::string_view{} : path.substr(path.find('?') + 1);
  auto const action = path.substr(0, path.find('?')).substr(std::string_view{"/.well-known/cistern/"}.size());
  bool const checking = action == "here" && x.request.url.find("://" + std::string{authority::check_host} + "/") < 6;
  if (checking) co_return co_await say(x, 200, text_type, "here\n", "Access-Control-Allow-Origin: *\r\n");
  auto const form = co_await x.body.read_all(64 << 10);
  if (!form) {
    x.keep = false;
    co_return co_await say(x, x.body.refusal(), text_type, "The request's body cannot be read.\n", {});
  }
  bool const changes = action == "queue" || action == "insist";
  auto const named = store::normalise_url(form_field(changes ? std::string_view{*form} : query, "url"));
  if (!named || origin_of(*named) != origin_of(x.request.url))
    co_return co_await say(x, 400, text_type, "That page is of another site.\n", {});
  if (action == "queue" && x.head.method == "POST") {
    if (form_field(*form, "token") != token_)
      co_return co_await say(x, 403, text_type, "Go back to the page and try again.\n", {});
    auto const queued = co_await parts_.queue.enqueue(*named, x.peer.from.address().to_string());
    if (!queued) co_return co_await say(x, 503, text_type, "The queue could not be written; is the disk full?\n", {});
    bool const by_script = x.head.find("Accept").value_or("").find("application/json") != std::string_view::npos;
    if (by_script) co_return co_await say(x, 204, text_type, {}, {});
    co_return co_await say(x, 303, text_type, {}, "Location: " + *named + "\r\n");
  }
  if (action == "insist" && x.head.method == "POST") {
    if (form_field(*form, "token") != token_)
      co_return co_await say(x, 403, text_type, "Go back to the page and try again.\n", {});
    if (auto* const spending = parts_.fetching.settings().spending) spending->grant(*named, one_page);
    co_return co_await say(x, 303, text_type, {}, "Location: " + *named + "\r\n");
  }
  if (action == "status") {
    auto const stored = parts_.kept.find(*named);
    auto const waiting = parts_.queue.state_of(*named);
    boost::json::object facts;
    facts["state"] = stored && *stored                                   ? "stored"
                     : waiting == sync::queue_runner::progress::fetching ? "fetching"
                     : waiting == sync::queue_runner::progress::queued   ? "queued"
                                                                         : "none";
    facts["link"] = parts_.fetching.link().state() == sync::link_state::up ? "up" : "down";
    co_return co_await say(x, 200, "application/json", boost::json::serialize(facts), {});
  }
  if (action == "copy") {
    if (form_field(query, "token") != token_)
      co_return co_await say(x, 403, text_type, "Go back to the page and try again.\n", {});
    copies_.give(x.peer.from.address().to_string(), *named, parts_.wall.now());
    co_return co_await say(x, 303, text_type, {}, "Location: " + *named + "\r\n");
  }
  co_return co_await say(x, 404, text_type, "There is nothing here.\n", {});
}

}  // namespace cistern::proxy
