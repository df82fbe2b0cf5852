#pragma once

/// Records as JSON, in one place: what the API shows is decided here.

#include <boost/json/object.hpp>

#include "sync/budget.hpp"
#include "sync/engine/engine.hpp"

namespace cistern::proxy {

/// "2026-11-16T08:00:00Z"; null for a time that never was.
[[nodiscard]] boost::json::value view(std::chrono::sys_seconds time);
[[nodiscard]] boost::json::object view(store::subscription const& feed,
                                       std::optional<sync::feed_plan::outlook> const& ahead);
[[nodiscard]] boost::json::object view(store::job const& job);
[[nodiscard]] boost::json::object view(store::carry_rules const& rules);
[[nodiscard]] boost::json::object view(sync::pass_record const& pass);
[[nodiscard]] boost::json::object view(sync::engine_status const& status);
[[nodiscard]] boost::json::object view(store::usage const& usage);
[[nodiscard]] boost::json::object view(sync::network_link const& link);
/// What was spent and what may be; null where nothing limits it.
[[nodiscard]] boost::json::object view(sync::budget& spending);

}  // namespace cistern::proxy
