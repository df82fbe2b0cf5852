#include "proxy/dashboard/guard.hpp"

#include "proxy/dashboard/password.hpp"
#include "proxy/own_pages.hpp"

#include <algorithm>

namespace cistern::proxy {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view cookie_name = "cistern-session";
constexpr auto session_length = 24h * 14;
constexpr std::size_t most_sessions = 1'000;
constexpr std::size_t most_guessers = 10'000;
constexpr unsigned free_tries = 4;
constexpr std::chrono::seconds longest_wait = 15min;

std::string_view without_port(std::string_view host) {
  auto const colon = host.rfind(':');
  return colon != host.npos && host.find(']', colon) == host.npos ? host.substr(0, colon) : host;
}

/// Answered to anybody who asks under a name of ours: they say nothing that is anybody's.
bool is_public(std::string_view path) {
  return path == "/healthz" || path == "/readyz" || path == "/proxy.pac" || path == "/login" ||
         path.starts_with("/assets/");
}

bool is_reading(std::string_view method) { return method == "GET" || method == "HEAD"; }

bool is_ours(std::string_view origin, std::string_view host) {
  auto const at = origin.find("://");
  return at != origin.npos && store::same_token(origin.substr(at + 3), host);
}

/// A link that a person followed from elsewhere; what it shows cannot be read from there.
bool is_followed_link(sync::head_view const& head) {
  return is_reading(head.method) && head.find("Sec-Fetch-Mode").value_or("") == "navigate" &&
         head.find("Sec-Fetch-Dest").value_or("") == "document" && !head.target.starts_with("/api/");
}

bool is_asked_by_us(sync::head_view const& head) {
  auto const origin = head.find("Origin");
  auto const site = head.find("Sec-Fetch-Site");
  if (site && *site != "same-origin" && *site != "none" && !is_followed_link(head)) return false;
  return !origin || is_ours(*origin, head.host);
}

std::string_view session_of(sync::head_view const& head) {
  auto rest = head.find("Cookie").value_or("");
  while (!rest.empty()) {
    auto const end = std::min(rest.size(), rest.find(';'));
    auto pair = rest.substr(0, end);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.starts_with(cookie_name) && pair.substr(cookie_name.size()).starts_with('='))
      return pair.substr(cookie_name.size() + 1);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return {};
}

}  // namespace

bool guard::is_our_name(std::string_view host) const {
  return own_pages::is_own_host(host) || std::ranges::any_of(options_.hosts, [&](std::string const& name) {
           return store::same_token(name, without_port(host));
         });
}

guard::judgement guard::judge(sync::head_view const& head, bool local, time now) {
  auto const path = head.target.substr(0, head.target.find('?'));
  if (!is_our_name(head.host)) return {verdict::refused, 421, "Open this as http://localhost and its port."};
  if (path == "/healthz" || path == "/readyz" || path == "/proxy.pac") return {};
  if (!is_asked_by_us(head)) return {verdict::refused, 403, "Another site asked for this; that is not allowed."};
  if (!is_reading(head.method) && path.starts_with("/api/") && !head.find("X-Cistern"))
    return {verdict::refused, 403, "A change needs the header X-Cistern."};
  // What another program on this machine passes on for somebody else is not from this machine.
  bool const passed_on = head.find("X-Forwarded-For") || head.find("Forwarded");
  if ((local && !passed_on) || is_public(path)) return {};
  if (options_.password.empty())
    return {verdict::refused, 403,
            "The dashboard is open to this machine only until it has a password: see `cistern password`."};
  if (has_session(head, now)) return {};
  return {verdict::log_in_first, 401, "Log in first."};
}

bool guard::has_session(sync::head_view const& head, time now) {
  auto const name = session_of(head);
  std::scoped_lock const lock{mutex_};
  auto const at = sessions_.find(name);
  if (name.empty() || at == sessions_.end()) return false;
  if (at->second < now) {
    sessions_.erase(at);
    return false;
  }
  at->second = now + session_length;
  return true;
}

guard::login guard::try_password(std::string_view password, std::string const& from, time now) {
  {
    std::scoped_lock const lock{mutex_};
    auto const at = guesses_.find(from);
    if (at != guesses_.end() && at->second.not_before > now)
      return {.wait = std::chrono::ceil<std::chrono::seconds>(at->second.not_before - now)};
  }
  std::unique_lock const one{hashing_, std::try_to_lock};
  if (!one) return {.wait = 1s};
  bool const right = !options_.password.empty() && is_password(password, options_.password);
  std::scoped_lock const lock{mutex_};
  if (!right) {
    if (guesses_.size() >= most_guessers)
      std::erase_if(guesses_, [&](auto const& g) { return g.second.not_before <= now; });
    auto& g = guesses_[from];
    ++g.wrong;
    auto const beyond = g.wrong > free_tries ? std::min(g.wrong - free_tries, 12u) : 0;
    auto const wait =
        beyond == 0 ? 0s : std::min<std::chrono::seconds>(longest_wait, std::chrono::seconds{1 << beyond});
    g.not_before = now + wait;
    return {.wait = wait};
  }
  guesses_.erase(from);
  std::erase_if(sessions_, [&](auto const& s) { return s.second < now; });
  if (sessions_.size() >= most_sessions)
    sessions_.erase(std::ranges::min_element(sessions_, {}, [](auto const& s) { return s.second; }));
  auto name = random_name(32);
  sessions_[name] = now + session_length;
  return {.session = std::move(name)};
}

void guard::log_out(sync::head_view const& head) {
  std::scoped_lock const lock{mutex_};
  if (auto const at = sessions_.find(session_of(head)); at != sessions_.end()) sessions_.erase(at);
}

std::string guard::cookie(std::string const& session) {
  std::string out{cookie_name};
  out += '=' + session + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=";
  return out + (session.empty() ? "0" : std::to_string(std::chrono::seconds{session_length}.count()));
}

}  // namespace cistern::proxy
