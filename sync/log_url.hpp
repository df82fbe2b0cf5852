#pragma once

/// What of a URL, or of any text from outside, may stand in a log line. Events are logged as
/// `spdlog::info("fetch url={} status={}", log_url(url), status)`: a name, then fields; the program turns that into
/// text or JSON lines (tools/cistern/log.hpp).

#include <string>
#include <string_view>

namespace cistern::sync {

/// The URL without user name, password and fragment, and with its query as "?…" unless `log_queries(true)` was said:
/// session tokens and search words are nobody's business. Also quoted as by `log_value`.
[[nodiscard]] std::string log_url(std::string_view url);

/// The text as one value of a field: as it is when it is one plain word, else in quotes with `"`, `\` and control
/// characters escaped, so that no header or URL can forge a line or a field. Cut at 2,000 bytes.
[[nodiscard]] std::string log_value(std::string_view text);

/// For the whole process, set by the program from `log.scrub_queries`; any thread.
void log_queries(bool shown);

}  // namespace cistern::sync
