#include "tools/cistern/fetch_desk.hpp"

#include "proxy/form.hpp"
#include "sync/budget.hpp"
#include "sync/ledger.hpp"
#include "tools/cistern/address_note.hpp"
#include "tools/cistern/budget_settings.hpp"
#include "tools/cistern/daemon_call.hpp"
#include "tools/cistern/fetch_settings.hpp"
#include "tools/cistern/repository_settings.hpp"
#include "tools/cistern/serve_settings.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <stdexcept>
#include <thread>

namespace cistern::tools {
namespace {

using namespace std::chrono_literals;
using phase = sync::fetcher::phase;

phase phase_of(std::string_view name) {
  return name == "fetching"   ? phase::fetching
         : name == "waiting"  ? phase::waiting
         : name == "complete" ? phase::complete
                              : phase::failed;
}

std::string text_in(boost::json::object const& from, char const* name) {
  auto const* const value = from.if_contains(name);
  return value != nullptr && value->is_string() ? std::string{value->as_string()} : std::string{};
}

std::optional<std::uint64_t> number_in(boost::json::object const& from, char const* name) {
  auto const* const value = from.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<std::uint64_t>();
}

sync::fetcher::state read_state(std::string_view text) {
  boost::json::error_code error;
  auto const value = boost::json::parse(text, error);
  if (error || !value.is_object())
    throw std::runtime_error{"the daemon's answer cannot be read; is it of this version?"};
  auto const& facts = value.as_object();
  sync::fetcher::state out;
  out.now = phase_of(text_in(facts, "state"));
  out.have = number_in(facts, "have").value_or(0);
  out.total = number_in(facts, "total");
  out.why = text_in(facts, "why");
  out.next_try = std::chrono::milliseconds{number_in(facts, "next_try_ms").value_or(0)};
  out.final_url = text_in(facts, "final_url");
  return out;
}

}  // namespace

struct fetch_desk::here {
  explicit here(config const& settings)
      : kept{repository_options_from(settings.store)},
        spending{budget_rules_from(settings.budget), wall, [this] { return link.metered(); },
                 [this](sync::budget_period const& now) { return sync::read_ledger(kept, now); }},
        fetching{kept, link, wall, with_budget(download_settings_from(settings))},
        fetcher{fetching, link, names, client_options_from(settings.fetch), fetcher_settings_from(settings)} {}
  sync::download_settings with_budget(sync::download_settings from) {
    from.spending = &spending;
    return from;
  }

  store::repository kept;
  sync::system_clock wall;
  sync::network_link link{wall};
  sync::resolver names;
  sync::budget spending;
  sync::downloads fetching;
  sync::fetcher fetcher;
};

fetch_desk::fetch_desk(config const& settings)
    : settings_{settings}, address_{noted_address(settings.store.path).value_or(settings.server.listen)} {
  try {
    here_ = std::make_unique<here>(settings);
  } catch (store::damaged_error const&) {
    throw;
  } catch (store::open_error const&) {
    if (!call_daemon(address_, "GET", "/healthz", {})) throw;
  }
}

fetch_desk::~fetch_desk() = default;

sync::fetcher::state fetch_desk::call(char const* method, std::string const& url) {
  auto const answer = call_daemon(address_, method, "/api/v1/fetch?url=" + proxy::encode_form(url), {});
  if (!answer) throw std::runtime_error{"the daemon at " + address_ + " no longer answers; fetch again to go on"};
  if (answer->status != 200) throw std::runtime_error{"the daemon would not: " + answer->body};
  return read_state(answer->body);
}

void fetch_desk::insist(std::string const& url, std::uint64_t bytes) {
  if (here_) return here_->spending.grant(url, bytes);
  boost::json::object const wish{{"url", url}, {"bytes", bytes}};
  auto const answer = call_daemon(address_, "POST", "/api/v1/budget", boost::json::serialize(wish));
  if (!answer || answer->status != 200) throw std::runtime_error{"the daemon would not; is it of this version?"};
}

void fetch_desk::want(std::string const& url) {
  if (here_) {
    here_->fetcher.want(url);
  } else {
    call("POST", url);
  }
}

sync::fetcher::state fetch_desk::look(std::string const& url) {
  return here_ ? here_->fetcher.look(url).value_or(sync::fetcher::state{}) : call("GET", url);
}

void fetch_desk::leave(std::string const& url) {
  if (!here_) return static_cast<void>(call("DELETE", url));
  here_->fetcher.leave(url);
  for (int i = 0; i < 40 && here_->fetching.active() > 0; ++i) std::this_thread::sleep_for(50ms);
}

store::repository& fetch_desk::repository() {
  if (here_) return here_->kept;
  auto options = repository_options_from(settings_.store);
  options.read_only = true;
  if (!reader_) reader_ = std::make_unique<store::repository>(options);
  return *reader_;
}

std::chrono::milliseconds fetch_desk::pace() const { return here_ ? 50ms : 250ms; }

}  // namespace cistern::tools
