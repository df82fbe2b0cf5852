#include "tools/cistern/fetch_settings.hpp"

namespace cistern::tools {

std::string user_agent_from(fetch_config const& settings) {
  if (!settings.user_agent.empty()) return settings.user_agent;
  return "cistern/" CISTERN_VERSION " (+https://github.com/cistern-proxy/cistern)";
}

sync::fetcher_settings fetcher_settings_from(config const& settings) {
  sync::fetcher_settings out;
  out.waits.base = settings.sync.backoff_base;
  out.waits.cap = settings.sync.backoff_cap;
  out.most = settings.fetch.max_body.count;
  out.fields.add("User-Agent", user_agent_from(settings.fetch));
  out.fields.add("Accept", "*/*");
  return out;
}

}  // namespace cistern::tools
