#include "proxy/intercept.hpp"

#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>

namespace cistern::proxy {
namespace {

using namespace std::chrono_literals;
constexpr auto look_again_after = 5s;

}  // namespace

interception::interception(std::filesystem::path const& folder, std::function<std::vector<std::string>()> carried)
    : carried_{std::move(carried)} {
  if (!folder.empty() && authority::exists(folder)) authority_ = std::make_unique<authority>(folder);
}

void interception::keep_in_step() {
  std::scoped_lock const lock{mutex_};
  auto const now = std::chrono::steady_clock::now();
  if (looked_ != std::chrono::steady_clock::time_point{} && now - looked_ < look_again_after) return;
  looked_ = now;
  try {
    if (!authority_->renew(carried_())) spdlog::warn("ca.not_renewed reason=\"the root's key is not here\"");
  } catch (std::exception const& error) {
    spdlog::error("ca.not_renewed error={}", sync::log_value(error.what()));
  }
}

std::shared_ptr<SSL_CTX> interception::context_for(std::string const& host) {
  if (!authority_) return nullptr;
  keep_in_step();
  return authority_->is_refused(host) ? nullptr : authority_->context_for(host);
}

void interception::note_refusal(std::string const& host) {
  authority_->note_refusal(host);
  spdlog::info("ca.refused host={} tunnelled=true", sync::log_value(host));
}

}  // namespace cistern::proxy
