#include "tools/cistern/sync_display.hpp"

#include "tools/cistern/repository_command.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <unistd.h>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace cistern::tools {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto between_lines = 5s;
constexpr std::array<std::string_view, 5> classes{"feeds", "pages", "requisites", "homepages", "enclosures"};

std::uint64_t count_of(json::object const& from, std::string_view name) {
  auto const* const value = from.if_contains(name);
  return value && value->is_number() ? value->to_number<std::uint64_t>() : 0;
}

json::object const& object(json::object const& from, std::string_view name) {
  static json::object const none;
  auto const* const value = from.if_contains(name);
  return value && value->is_object() ? value->as_object() : none;
}

std::string in_words(std::chrono::seconds span) {
  if (span < 60s) return std::to_string(span.count()) + " s";
  if (span < 3600s) return std::to_string(span.count() / 60) + " min";
  return std::to_string(span.count() / 3600) + " h " + std::to_string(span.count() % 3600 / 60) + " min";
}

}  // namespace

std::string summary_of(json::object const& pass) {
  auto const& feeds = object(object(pass, "classes"), "feeds");
  std::uint64_t failures = 0;
  for (auto const& [name, tally] : object(pass, "classes")) failures += count_of(tally.as_object(), "failed");
  auto out = counted(count_of(feeds, "done"), "feed") + " (" + std::to_string(count_of(pass, "feeds_unchanged")) +
             " unchanged), " + counted(count_of(pass, "new_items"), "new item") + ", " +
             counted(count_of(pass, "articles_completed"), "article") + " whole, " +
             rounded_size(count_of(pass, "received"));
  if (failures > 0) out += ", " + counted(failures, "failure");
  if (auto const wanted = count_of(pass, "still_wanted")) out += ", " + counted(wanted, "job") + " still waiting";
  return out;
}

sync_display::sync_display() : terminal_{::isatty(STDOUT_FILENO) == 1} {}

void sync_display::show(json::object const& status) {
  auto const& sync = object(status, "sync");
  if (terminal_) return draw(sync);
  auto const now = std::chrono::steady_clock::now();
  if (now - told_ < between_lines) return;
  told_ = now;
  std::cout << summary_of(object(sync, "pass")) << " so far" << std::endl;
}

void sync_display::draw(json::object const& sync) {
  std::ostringstream out;
  if (lines_ > 0) out << "\x1b[" << lines_ << 'A';
  lines_ = 0;
  auto const& done = object(object(sync, "pass"), "classes");
  std::uint64_t received = 0, waiting = 0, finished = 0;
  for (auto const name : classes) {
    auto const& tally = object(done, name);
    auto const left = count_of(object(sync, "waiting"), name);
    received += count_of(tally, "received");
    finished += count_of(tally, "done");
    waiting += left;
    out << "\x1b[2K" << std::left << std::setw(11) << name << std::right << std::setw(6) << count_of(tally, "done")
        << " done" << std::setw(7) << left << " waiting" << std::setw(11) << rounded_size(count_of(tally, "received"));
    if (auto const failed = count_of(tally, "failed")) out << "  " << failed << " failed";
    out << '\n';
    ++lines_;
  }
  auto const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  auto const rate = took > 0 ? static_cast<double>(received) / took : 0;
  out << "\x1b[2K" << rounded_size(static_cast<std::uint64_t>(rate)) << "/s";
  if (finished > 0 && waiting > 0) {
    auto const left = took / static_cast<double>(finished) * static_cast<double>(waiting);
    out << ", about " << in_words(std::chrono::seconds{static_cast<std::int64_t>(left) + 1}) << " left";
  }
  out << '\n';
  ++lines_;
  std::cout << out.str() << std::flush;
}

void sync_display::finish(json::object const& status) {
  auto const& sync = object(status, "sync");
  if (terminal_) draw(sync);
  auto const& pass = object(sync, "pass");
  std::cout << summary_of(pass) << '\n';
  if (auto const* const failures = pass.if_contains("failures"))
    for (auto const& failure : failures->as_array())
      std::cout << "  " << failure.at("url").as_string().c_str() << ": " << failure.at("reason").as_string().c_str()
                << '\n';
  std::cout << std::flush;
}

}  // namespace cistern::tools
