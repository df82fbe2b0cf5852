#include "proxy/intercept.hpp"

#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>

namespace cistern::proxy {
namespace {

using namespace std::chrono_literals;
constexpr auto look_again_after = 5s;
constexpr std::size_t most_wishes = 2'000;

}  // namespace

interception::interception(std::filesystem::path const& folder, std::function<std::vector<std::string>()> carried)
    : source_{std::move(carried)}, listening_{[this](std::string const& host) { note_certificate_wish(host); }} {
  if (!folder.empty() && authority::exists(folder)) authority_ = std::make_unique<authority>(folder);
}

void interception::keep_in_step() {
  std::scoped_lock const lock{mutex_};
  auto const now = std::chrono::steady_clock::now();
  if (looked_ != std::chrono::steady_clock::time_point{} && now - looked_ < look_again_after) return;
  looked_ = now;
  try {
    auto const now_carried = source_();
    carried_ = {now_carried.begin(), now_carried.end()};
    bool const renewed = authority_->renew(now_carried);
    if (!renewed && !warned_) spdlog::warn("ca.not_renewed reason=\"the root's key is not here\"");
    warned_ = !renewed;
  } catch (std::exception const& error) {
    spdlog::error("ca.not_renewed error={}", sync::log_value(error.what()));
  }
}

interception::standing interception::standing_of(std::string const& host) {
  if (!authority_) return standing::off;
  keep_in_step();
  std::scoped_lock const lock{mutex_};
  if (host != authority::check_host && !carried_.contains(host)) return standing::not_carried;
  if (!authority_->covers(host)) return standing::not_covered;
  if (authority_->is_refused(host)) return standing::refused;
  return wishes_.contains(host) ? standing::wants_certificate : standing::read_here;
}

std::shared_ptr<SSL_CTX> interception::context_for(std::string const& host, bool online) {
  auto const how = standing_of(host);
  bool const ours = how == standing::read_here || (how == standing::wants_certificate && !online);
  return ours ? authority_->context_for(host) : nullptr;
}

void interception::note_certificate_wish(std::string const& host) {
  std::scoped_lock const lock{mutex_};
  if (wishes_.size() >= most_wishes) wishes_.clear();
  if (wishes_.insert(host).second) spdlog::info("ca.client_certificate host={} tunnelled=true", sync::log_value(host));
}

void interception::note_refusal(std::string const& host) {
  authority_->note_refusal(host);
  spdlog::info("ca.refused host={} tunnelled=true", sync::log_value(host));
}

}  // namespace cistern::proxy
