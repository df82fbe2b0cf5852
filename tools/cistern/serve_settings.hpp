#pragma once

/// What the rooms need of the configuration, in their own types.

#include "proxy/web_proxy.hpp"
#include "sync/downloads.hpp"
#include "sync/engine/engine.hpp"
#include "sync/link.hpp"
#include "sync/link_watch/watcher.hpp"
#include "tools/cistern/config.hpp"

namespace cistern::tools {

[[nodiscard]] sync::client_options client_options_from(fetch_config const& settings);
[[nodiscard]] sync::download_settings download_settings_from(config const& settings);
[[nodiscard]] sync::engine_settings engine_settings_from(config const& settings);
[[nodiscard]] sync::watch_settings watch_settings_from(link_config const& settings, store::repository& repository);
[[nodiscard]] sync::link_mode link_mode_from(link_config const& settings);
[[nodiscard]] proxy::web_proxy_settings web_settings_from(config const& all, std::uint16_t own_port,
                                                          std::string dashboard);

/// Where the certificate authority is, when there is one.
[[nodiscard]] std::filesystem::path authority_folder(config const& settings);

/// Where the dashboard's links lead: to the gateway, as far as it goes there.
[[nodiscard]] std::function<std::string(std::string_view url, std::string_view host)> door_from(
    gateway_config const& settings);
/// For the dashboard's texts.
[[nodiscard]] std::string describe(proxy::interception::standing standing);

/// "up", "down since …", "forced offline", for people.
[[nodiscard]] std::string describe(sync::network_link const& link);

}  // namespace cistern::tools
