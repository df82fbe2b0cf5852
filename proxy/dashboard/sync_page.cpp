/// The page that shows what the link and sync are doing: drawn whole here, kept up to date by webroot/assets/sync.js.

#include "proxy/api/answers.hpp"
#include "proxy/dashboard/dashboard.hpp"
#include "proxy/dashboard/link_chart.hpp"
#include "proxy/dashboard/page_facts.hpp"
#include "proxy/offline_page.hpp"
#include "proxy/status_page.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;
using std::chrono::sys_seconds;

constexpr std::size_t journal_rows = 20;
constexpr std::size_t queue_rows = 60;
constexpr std::size_t history_rows = 12;

/// "asked for" as the end of a key.
std::string key_of(std::string text) {
  for (char& c : text)
    if (c == ' ') c = '_';
  return text;
}

/// The sentence of that name, or the words themselves where there is none.
std::string words_for(page_texts const& texts, std::string const& group, std::string const& words) {
  auto const key = group + '.' + key_of(words);
  return texts.all().contains(key) ? texts.say(key) : words;
}

json::array const* changes_of(json::object const& link) {
  auto const* const all = link.if_contains("history");
  return all && all->is_array() ? &all->as_array() : nullptr;
}

/// The link's last changes, newest first.
json::array last_changes(json::object const& link) {
  json::array out;
  auto const* const changes = changes_of(link);
  for (auto at = changes ? changes->size() : 0; at > 0 && out.size() < history_rows; --at)
    out.push_back((*changes)[at - 1]);
  return out;
}

/// What is known of it since the first change that is remembered.
std::vector<link_span> spans_of(json::object const& link, sys_seconds now, page_texts const& texts) {
  std::vector<link_span> out;
  auto const* const changes = changes_of(link);
  if (!changes) return out;
  for (auto const& entry : *changes) {
    auto const& change = entry.as_object();
    auto const when = read_time(text_of(change, "when"));
    if (!when || *when > now) continue;
    if (!out.empty()) out.back().until = *when;
    auto const state = text_of(change, "state");
    auto title = texts.say("link." + state);
    if (auto const why = text_of(change, "reason"); !why.empty()) title += ": " + why;
    out.push_back({.style = state, .title = std::move(title), .from = *when, .until = now});
  }
  return out;
}

/// What may still be spent, where there is a limit.
void add_budget_left(page_values& values, json::object const& pulse) {
  auto const* const budget = pulse.if_contains("budget");
  if (!budget || !budget->is_object()) return;
  for (std::string const span : {"today", "month"}) {
    auto const& limit = budget->at(span + "_limit");
    if (limit.is_null()) continue;
    auto const most = limit.to_number<std::uint64_t>(), used = budget->at(span).to_number<std::uint64_t>();
    values.texts["budget." + span + "_left"] = readable_bytes(most - std::min(most, used));
  }
}

/// A heading before the first job of each class.
void tell_jobs(page_values& values, page_texts const& texts) {
  std::string last;
  auto& jobs = values.lists["jobs"];
  for (auto& job : jobs) {
    bool const now = !text_in(job, "now").empty();
    auto words = now ? texts.say("class.now") : texts.say("class." + text_in(job, "class"));
    job.texts["heading"] = words == last ? std::string{} : words;
    last = std::move(words);
    bool const plain = text_in(job, "state.is.paused").empty() && text_in(job, "attempts.some").empty();
    job.texts["paused_or_tried"] = plain ? "" : "1";
  }
  auto const total = number_in(text_in(values, "total")).value_or(0);
  if (total > jobs.size()) values.texts["hidden_jobs"] = texts.count("queue.more", total - jobs.size());
}

/// "2 new items, 1 article, 12 KiB": what a pass brought, in words; nothing new says so.
std::string brought(page_values const& entry, page_texts const& texts) {
  std::string out;
  auto const add = [&](std::string const& words) { (out += out.empty() ? "" : ", ") += words; };
  auto const number = [&](std::string_view name) {
    return number_in(text_in(entry, "details." + std::string{name})).value_or(0);
  };
  if (auto const n = number("new_items")) add(texts.count("journal.items", n));
  if (auto const n = number("articles_completed")) add(texts.count("journal.articles", n));
  if (auto const n = number("pages_stitched")) add(texts.count("journal.stitched", n));
  if (out.empty()) add(texts.say("journal.nothing"));
  add(text_in(entry, "details.received.size"));
  return out;
}

void tell_passes(page_values& values, page_texts const& texts) {
  for (auto& entry : values.lists["entries"]) {
    if (text_in(entry, "what") != "pass") continue;
    entry.texts["why"] = words_for(texts, "pass.why", text_in(entry, "details.why"));
    entry.texts["brought"] = brought(entry, texts);
    auto const end = text_in(entry, "details.ended_by");
    entry.texts["end"] = end == "nothing left" ? std::string{} : words_for(texts, "pass.end", end);
    auto const left = number_in(text_in(entry, "details.still_wanted")).value_or(0);
    entry.texts["left"] = left == 0 ? std::string{} : texts.count("journal.left", left);
    entry.texts["trouble"] = texts.count("journal.failures", entry.lists["details.failures"].size());
  }
}

}  // namespace

net::awaitable<dashboard::reply> dashboard::sync_state() {
  auto values = common("sync");
  auto const now = parts_.wall.now();
  json::error_code error;
  auto const pulse = json::parse(parts_.interface.pulse(), error);
  if (!error && pulse.is_object()) {
    add_facts(values, pulse.as_object(), texts_, now);
    add_budget_left(values, pulse.as_object());
  }
  std::string link_target = "/api/v1/link";
  auto const link = co_await ask(std::move(link_target));
  add_facts(values, json::object{{"changes", last_changes(link)}}, texts_, now);
  if (auto const spans = spans_of(link, now, texts_); spans.size() > 1) {
    values.markup["link_strip"] = draw_link(spans, texts_.say("link.strip"));
    values.texts["strip"] = "1";
    values.texts["strip_from.ago"] = relative_time(texts_, spans.front().from, now);
  }
  auto queue_target = "/api/v1/queue?limit=" + std::to_string(queue_rows);
  auto const queue = co_await ask(std::move(queue_target));
  add_facts(values, queue, texts_, now);
  tell_jobs(values, texts_);
  auto journal_target = "/api/v1/journal?limit=" + std::to_string(journal_rows);
  auto const journal = co_await ask(std::move(journal_target));
  add_facts(values, journal, texts_, now);
  tell_passes(values, texts_);
  co_return show("sync", std::move(values));
}

}  // namespace cistern::proxy
