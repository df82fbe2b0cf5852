#include "proxy/status_page.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace cistern::proxy {
std::string readable_bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

std::string readable_time(std::chrono::seconds time) {
  auto const s = time.count();
  if (s < 60) return std::to_string(s) + " s";
  if (s < 3600) return std::to_string(s / 60) + " min";
  if (s < 86'400) return std::to_string(s / 3600) + " h " + std::to_string(s / 60 % 60) + " min";
  return std::to_string(s / 86'400) + " d " + std::to_string(s / 3600 % 24) + " h";
}

status_page::status_page(std::filesystem::path const& webroot) : page_{page_template::load(webroot / "status.html")} {}

std::string status_page::render(status_facts const& facts) const {
  page_values values;
  values.texts = {{"state", facts.state}, {"mood", facts.healthy ? "well" : "ill"}, {"version", facts.version}};
  auto const row = [&](std::string name, std::string value) {
    page_values one;
    one.texts = {{"name", std::move(name)}, {"value", std::move(value)}};
    values.lists["facts"].push_back(std::move(one));
  };
  row("Address", facts.address);
  row("Link", facts.link);
  row("Running for", readable_time(facts.uptime));
  row("Connections", std::to_string(facts.connections));
  if (auto const& kept = facts.repository) {
    row("Kept", std::to_string(kept->objects) + " objects, " + readable_bytes(kept->bytes));
    row("Space used", readable_bytes(kept->used_bytes) + " of " + readable_bytes(kept->quota));
    row("Waiting in the queue", std::to_string(facts.queued));
    row("Repository", kept->path);
  }
  return page_.render(values);
}

}  // namespace cistern::proxy
