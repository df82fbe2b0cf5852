#include "proxy/dashboard/dashboard.hpp"

#include "proxy/answer_head.hpp"
#include "proxy/api/answers.hpp"
#include "proxy/dashboard/page_facts.hpp"
#include "proxy/dashboard/reading.hpp"
#include "proxy/request_body.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>


/// How requests are answered; what each page shows is in pages.cpp.

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::size_t largest_body = 24 << 20;  // an OPML file, pages and feeds for the lab
constexpr std::size_t largest_form = 64 << 10;
constexpr std::uint64_t largest_picture = 16 << 20;
constexpr int most_streams = 64;
constexpr auto between_events = 300ms;
constexpr int quiet_rounds = 50;  // then something is said, so that a connection that is dead is noticed

/// Ours run nothing but our own files, load nothing from elsewhere and are in nobody's frame. (With the referrer policy
/// "no-referrer" a form of ours would come with "Origin: null".) The one name elsewhere is ours too, by each door.
std::string policy_for(std::string const& gateway_domain) {
  std::string const check{authority::check_host};
  auto const doors = " http://" + check + " https://" + check + " http://" + check + "." + gateway_domain + ":*";
  return "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
         "connect-src 'self'" +
         (gateway_domain.empty() ? std::string{} : doors) +
         "; form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n"
         "X-Frame-Options: DENY\r\nReferrer-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"
         "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n";
}

/// The lab's pictures are srcdoc frames: sandboxed, so that nothing in them runs, and without a response of their own,
/// so that nothing of ours can be framed; they have this policy and one more of their own. It differs in styles alone,
/// which the pictures carry inside. Frames may not be led anywhere (default-src).
std::string with_pictures(std::string policy) {
  constexpr std::string_view strict = "style-src 'self'";
  return policy.replace(policy.find(strict), strict.size(), "style-src 'self' 'unsafe-inline' data:; font-src data:");
}

std::map<std::string, page_template, std::less<>> load_pages(std::filesystem::path const& folder) {
  std::map<std::string, page_template, std::less<>> out;
  for (auto const* const name :
       {"new", "item", "sites", "sync", "savings", "search", "lab", "rhythm", "setup", "login", "message"})
    out.emplace(name, page_template::load(folder / (std::string{name} + ".html")));
  return out;
}

bool is_for_program(std::string_view target) { return target.starts_with("/api/"); }

bool is_api(std::string_view path) { return path.starts_with("/api/v1/") && path != "/api/v1/link"; }

/// One more than there were, until it goes.
class counted {
public:
  explicit counted(std::atomic<int>& count) : count_{count} { ++count_; }
  ~counted() { --count_; }
  counted(counted const&) = delete;
  counted& operator=(counted const&) = delete;

private:
  std::atomic<int>& count_;
};

void write(outgoing& out, unsigned status, std::string_view type, std::string body, std::string_view extra,
           bool head_only, std::string_view policy) {
  bool const empty = status == 304;
  out.head = "HTTP/1.1 " + std::to_string(status) + ' ' + std::string{reason_of(status)} + "\r\n";
  if (!empty)
    out.head += "Content-Type: " + std::string{type} + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  if (extra.find("Cache-Control:") == extra.npos) out.head += "Cache-Control: no-store\r\n";
  (out.head += policy) += extra;
  if (!out.keep) out.head += "Connection: close\r\n";
  out.head += "\r\n";
  out.body = head_only || empty ? std::string{} : std::move(body);
}

}  // namespace

dashboard::dashboard(parts given)
    : parts_{std::move(given)},
      policy_{policy_for(parts_.gateway_domain)},
      picture_policy_{with_pictures(policy_)},
      guard_{parts_.access},
      files_{parts_.webroot / "assets", parts_.webroot / "texts" / "en.json"},
      texts_{page_texts::load(parts_.webroot / "texts" / "en.json")},
      frame_{page_template::load(parts_.webroot / "pages" / "frame.html")},
      pages_{load_pages(parts_.webroot / "pages")} {}

net::awaitable<after> dashboard::answer(sync::head_view const& head, connection& peer) {
  auto const judged = guard_.judge(head, peer.is_local(), std::chrono::steady_clock::now());
  bool const welcome = judged.what == guard::verdict::welcome;
  bool const events = head.target == "/api/v1/events" && head.method == "GET";
  request_body body{peer, head};
  if (welcome && events && !body.exists() && streams_ < most_streams) co_return co_await stream(peer);
  bool const large = is_for_program(head.target) || head.target == "/lab";
  auto const most = welcome && large ? largest_body : largest_form;
  auto text = co_await body.read_all(most);
  outgoing out{.keep = head.persistent() && !peer.stopping && text.has_value()};
  auto const path = head.target.substr(0, head.target.find('?'));
  bool const older = path == "/healthz" || path == "/readyz" || path == "/proxy.pac" || path == "/api/v1/link" ||
                     path == "/go" || path == "/ca" || path.starts_with("/ca/") || path.starts_with("/ca.") ||
                     (path == "/api/v1/fetch" && peer.is_local());  // for programs on the machine itself
  if (!text) {
    write(out, body.refusal(), "text/plain; charset=utf-8", "The request's body cannot be read.\n", {}, false, policy_);
  } else if (welcome && older) {
    parts_.own.answer(head, *text, out, true);
  } else {
    reply made;
    if (welcome)
      made = co_await respond(head, peer, std::move(*text));
    else
      made = turned_away(head, judged);
    write(out, made.status, made.type, std::move(made.body), made.extra, head.method == "HEAD",
          made.pictures ? picture_policy_ : policy_);
  }
  auto const sent = co_await peer.write(out.head, out.body);
  co_return sent&& out.keep ? after::keep : after::close;
}

net::awaitable<dashboard::reply> dashboard::respond(sync::head_view const& head, connection& peer, std::string body) {
  std::string const path{head.target.substr(0, head.target.find('?'))};
  std::string query{query_of(head.target)};
  if (is_api(path)) {
    api_request asked{std::string{head.method}, std::string{head.target}, std::move(body),
                      std::string{head.find("Content-Type").value_or("")}};
    auto made = co_await parts_.interface.answer(std::move(asked));
    co_return reply{.status = made.status, .type = std::move(made.type), .body = std::move(made.body)};
  }
  if (path == "/login" && head.method == "POST") co_return log_in(head, body, peer.from.address().to_string());
  if (path == "/lab" && head.method == "POST") {
    std::string type{head.find("Content-Type").value_or("")};
    co_return co_await lab_upload(std::move(type), std::move(body));
  }
  if (path == "/logout" && head.method == "POST") {
    guard_.log_out(head);
    auto away = "Location: /login\r\nSet-Cookie: " + guard::cookie({}) + "\r\n";
    co_return reply{.status = 303, .extra = std::move(away)};
  }
  if (head.method != "GET" && head.method != "HEAD") co_return message(405, texts_.say("message.only_read"));
  if (path.starts_with("/assets/")) co_return asset(head, std::string_view{path}.substr(8));
  if (path == "/picture") co_return picture(query_text(query, "url"));
  std::string host{head.host};
  co_return co_await page(path, std::move(query), std::move(host));
}

/// Programs get a sentence, people a page; whoever may log in is shown where.
dashboard::reply dashboard::turned_away(sync::head_view const& head, guard::judgement const& why) {
  if (is_for_program(head.target)) {
    auto refused = refuse(why.status, why.why);
    return {.status = refused.status, .type = refused.type, .body = std::move(refused.body)};
  }
  if (why.what == guard::verdict::log_in_first) return {.status = 303, .extra = "Location: /login\r\n"};
  return {.status = why.status, .type = "text/plain; charset=utf-8", .body = why.why + "\n"};
}

dashboard::reply dashboard::log_in(sync::head_view const& head, std::string_view body, std::string const& from) {
  auto const password = query_text(body, "password");
  auto const tried = guard_.try_password(password, from, std::chrono::steady_clock::now());
  static_cast<void>(head);
  if (!tried.session.empty())
    return {.status = 303, .extra = "Location: /\r\nSet-Cookie: " + guard::cookie(tried.session) + "\r\n"};
  auto values = common("login");
  bool const wait = tried.wait > 0s;
  values.texts["trouble"] =
      wait ? texts_.say("login.wait", {{"seconds", std::to_string(tried.wait.count())}}) : texts_.say("login.wrong");
  auto out = show("login", std::move(values));
  out.status = wait ? 429 : 403;
  if (wait) out.extra += "Retry-After: " + std::to_string(tried.wait.count()) + "\r\n";
  return out;
}

dashboard::reply dashboard::asset(sync::head_view const& head, std::string_view name) const {
  auto const* const file = files_.find(name);
  if (!file) return {.status = 404, .type = "text/plain; charset=utf-8", .body = "There is nothing here.\n"};
  auto extra = "Cache-Control: no-cache\r\nETag: " + file->etag + "\r\n";
  if (head.find("If-None-Match").value_or("").find(file->etag) != std::string_view::npos)
    return {.status = 304, .extra = std::move(extra)};
  return {.type = std::string{file->type}, .body = file->bytes, .extra = std::move(extra)};
}

/// A stored picture, for the reading view. Only kinds that cannot carry a script.
dashboard::reply dashboard::picture(std::string const& url) {
  reply const none{.status = 404, .type = "text/plain; charset=utf-8", .body = "That picture is not stored.\n"};
  auto const found = parts_.kept.find(url);
  if (!found || !*found) return none;
  auto const& object = **found;
  auto type = std::string{object.headers.find("Content-Type").value_or("")};
  type = type.substr(0, type.find(';'));
  bool const harmless = type == "image/png" || type == "image/jpeg" || type == "image/gif" || type == "image/webp" ||
                        type == "image/avif";
  bool const plain = object.headers.find("Content-Encoding").value_or("identity") == "identity";
  if (!harmless || !plain || object.status != 200 || object.size > largest_picture) return none;
  auto bytes = parts_.kept.read_body(object);
  if (!bytes) return none;
  parts_.kept.note_use(object);
  return {.type = std::move(type), .body = std::move(*bytes), .extra = "Cache-Control: private, max-age=600\r\n"};
}

/// Looked at a few times a second and told when something changed (server-sent events; HTML Standard §9.2).
net::awaitable<after> dashboard::stream(connection& peer) {
  counted const one{streams_};
  std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n";
  (head += policy_) += "Connection: close\r\n\r\nretry: 2000\n\n";
  bool there = co_await peer.write(head);
  std::string last;
  net::steady_timer nap{peer.executor()};
  for (int quiet = 0; there && peer.is_open() && !peer.stopping;) {
    peer.expire_in(60s);
    auto now = parts_.interface.pulse();
    if (now != last) {
      auto const event = "event: status\ndata: " + now + "\n\n";
      there = co_await peer.write(event);
      last = std::move(now);
      quiet = 0;
    } else if (++quiet >= quiet_rounds) {
      there = co_await peer.write(": still here\n\n");
      quiet = 0;
    }
    nap.expires_after(between_events);
    boost::system::error_code ignored;
    auto token = net::redirect_error(net::use_awaitable, ignored);
    co_await nap.async_wait(token);
    if (ignored) break;
  }
  co_return after::close;
}

net::awaitable<json::object> dashboard::ask(std::string target) {
  api_request asked{"GET", std::move(target), {}};
  auto const made = co_await parts_.interface.answer(std::move(asked));
  json::error_code error;
  auto value = json::parse(made.body, error);
  if (error || !value.is_object()) co_return json::object{};
  co_return std::move(value.as_object());
}

page_values dashboard::common(std::string_view name) {
  page_values out;
  for (auto const& [key, sentence] : texts_.all()) out.texts.emplace("t:" + key, sentence);
  out.texts["page"] = name;
  out.texts["at." + std::string{name}] = "page";
  out.texts["title"] = texts_.say("title." + std::string{name});
  out.texts["version"] = parts_.version;
  return out;
}

dashboard::reply dashboard::show(std::string_view name, page_values values) {
  values.markup["content"] = pages_.find(name)->second.render(values);
  return {.body = frame_.render(values)};
}

dashboard::reply dashboard::message(unsigned status, std::string words) {
  auto values = common("message");
  values.texts["words"] = std::move(words);
  auto out = show("message", std::move(values));
  out.status = status;
  return out;
}

}  // namespace cistern::proxy
