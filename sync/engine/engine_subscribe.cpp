// Subscriptions come and go.

#include "stitch/feed/opml.hpp"
#include "store/url.hpp"
#include "sync/decode.hpp"
#include "sync/engine/engine.hpp"
#include "sync/errc.hpp"
#include "sync/http/address_class.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using stitch::feed::feed_link;
using outcome = visit_report::outcome;

constexpr std::size_t guesses_at_most = 6;
constexpr std::size_t largest_page = 8u << 20;

/// "example.org" means its homepage.
std::optional<std::string> address_in(std::string_view text) {
  auto const blank = text.find_first_not_of(" \t");
  if (blank == text.npos) return std::nullopt;
  text.remove_prefix(blank);
  if (text.starts_with("feed://")) return store::normalise_url("http://" + std::string{text.substr(7)});
  if (text.starts_with("feed:")) text.remove_prefix(5);
  if (text.find("://") == text.npos) return store::normalise_url("https://" + std::string{text});
  return store::normalise_url(text);
}

std::vector<feed_link> feeds_on(std::string const& page, store::stored_object const& object) {
  stitch::feed::page_to_search search{.bytes = page, .base = object.url};
  search.content_type = object.headers.find("Content-Type").value_or("");
  for (auto const& field : object.headers)
    if (store::same_token(field.name, "Link")) search.link_headers.push_back(field.value);
  return stitch::feed::discover(search);
}

std::string plain_text(store::repository& kept, store::stored_object const& object) {
  auto body = object.size > largest_page ? result<std::string>{std::string{}} : kept.read_body(object);
  if (!body) return {};
  auto const packed = coding_of(object.headers.find("Content-Encoding").value_or(""));
  if (!packed || *packed == coding::identity) return std::move(*body);
  auto plain = decode_all(*packed, *body, {.max_size = largest_page});
  return plain ? std::move(*plain) : std::string{};
}

add_outcome no_luck(add_outcome::end how, std::string message) {
  add_outcome out;
  out.how = how;
  out.message = std::move(message);
  return out;
}

std::string words_for(fetch_outcome const& got, std::string const& url) {
  if (got.how == fetch_end::link_trouble) return url + " does not answer; try again when the link is up";
  if (got.error == errc::forbidden_address)
    return url + " is at a private address; set sync.allow_private = true to subscribe to sites of your own network";
  if (got.status != 0) return url + " answered " + std::to_string(got.status) + "; check the address";
  return url + " cannot be reached: " + got.error.message();
}

std::optional<store::subscription> subscribed_to(store::repository& kept, std::string const& feed_url) {
  std::optional<store::subscription> found;
  static_cast<void>(kept.scan<store::subscription>({}, [&](store::subscription const& s) {
    if (s.feed_url == feed_url || s.final_url == feed_url) found = s;
    return !found;
  }));
  return found;
}

}  // namespace

std::string folder_path(std::vector<std::string> const& names) {
  std::string out;
  for (auto const& name : names) {
    if (!out.empty()) out += '/';
    for (char const c : name) {
      if (c == '/' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::vector<std::string> folder_names(std::string_view path) {
  std::vector<std::string> out{1};
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '/') {
      out.emplace_back();
    } else {
      if (path[i] == '\\' && i + 1 < path.size()) ++i;
      out.back() += path[i];
    }
  }
  return out;
}

net::awaitable<add_outcome> engine::add(add_request request) {
  auto const url = address_in(request.url);
  if (!url)
    co_return no_luck(add_outcome::end::bad_address, '"' + request.url +
                                                         "\" is no web address; give one like "
                                                         "https://example.org");
  if (auto known = subscribed_to(parts_.kept, *url)) {
    auto out = no_luck(add_outcome::end::known, "already subscribed to " + known->feed_url);
    out.feed = std::move(known);
    co_return out;
  }
  auto const wire = std::make_shared<traffic>();
  wish what{.url = *url, .kind = store::object_kind::homepage, .keep = store::retention::needed};
  what.finish = true;
  what.meter = wire;
  what.most = settings_.feeds.largest;
  what.versions = settings_.homepages.versions;
  auto terms = settings_.feeds;
  if (is_private_name(parse_url(*url)->to.host)) terms.allow_address = {};  // it was named by its address
  what.allow_address = terms.allow_address;
  what.fields.add("User-Agent", settings_.feeds.user_agent);
  what.fields.add("Accept", "*/*");
  what.fields.add("Accept-Encoding", "gzip");
  auto const got = co_await fetch_once(parts_.fetching, *client_, std::move(what));
  bool const here = got.object && (got.how == fetch_end::complete || got.how == fetch_end::unchanged);
  if (!here) co_return no_luck(add_outcome::end::unreachable, words_for(got, *url));
  auto const page_bytes = wire->received.load();
  auto const text = plain_text(parts_.kept, *got.object);
  auto line = line_for(store::job_class::feed, 0, parse_url(*url)->to.host, *wire);

  store::subscription feed{.feed_url = *url};
  auto report = read_feed(parts_.kept, feed, text, got.status, got.fields, got.final_url);
  if (report.how == outcome::read) {
    auto done = co_await subscribe(std::move(request), std::move(feed), std::move(report), std::move(line));
    co_return done;
  }
  auto const candidates = feeds_on(text, *got.object);
  std::size_t tried = 0;
  for (auto const& candidate : candidates) {
    if (candidate.from == feed_link::origin::guess && ++tried > guesses_at_most) break;
    auto const address = store::normalise_url(candidate.url);
    if (!address) continue;
    feed = store::subscription{.feed_url = *address, .homepage_url = got.object->url};
    auto known = subscribed_to(parts_.kept, *address);
    if (known) {
      auto out = no_luck(add_outcome::end::known, "already subscribed to " + known->feed_url);
      out.feed = std::move(known);
      co_return out;
    }
    report = co_await visit_feed(*client_, parts_.kept, feed, terms, parts_.wall.now(), wire);
    if (report.how != outcome::read) continue;
    line = line_for(store::job_class::feed, 0, parse_url(*address)->to.host, *wire);
    auto done = co_await subscribe(std::move(request), std::move(feed), std::move(report), std::move(line));
    done.candidates = candidates;
    // Page and feed of the same moment: the first evidence for stitching.
    if (done.how == add_outcome::end::added) co_await take_homepage(*got.object, page_bytes);
    co_return done;
  }
  co_return no_luck(add_outcome::end::no_feed, *url + " offers no feed; give the feed's own address if it has one");
}

net::awaitable<add_outcome> engine::subscribe(add_request request, store::subscription feed, visit_report report,
                                              store::ledger_entry line) {
  auto const now = parts_.wall.now();
  add_outcome out;
  out.items = report.items.size();
  feed.folders = request.folders;
  feed.weight = request.weight;
  feed.carry = request.carry;
  feed.added = now;
  if (!request.look_only) {
    auto number = [](store::write_batch& b) { return b.next_id(); };
    auto const id = co_await parts_.kept.write(std::move(number), net::use_awaitable);
    if (!id) co_return no_luck(add_outcome::end::unreachable, "cannot be stored: " + id.error().message());
    feed.id = *id;
  }
  auto news = digest_visit(parts_.kept, std::move(feed), report, now, settings_.feeds.floors, settings_.news);
  news.feed.whole_bytes = line.received;
  out.feed = news.feed;
  if (request.look_only) {
    out.how = add_outcome::end::found;
    out.message = "found " + news.feed.feed_url;
    co_return out;
  }
  line.subscription = news.feed.id;
  auto const id = news.feed.id;
  plan_.put(news.feed, now);
  plan_.visited(news, report, line.received, now);
  news.feed.posting_pattern = plan_.learned(id);
  if (auto const next = plan_.next_visit(id, now)) news.feed.next_visit = *next;
  out.feed = news.feed;
  auto task = [news = std::move(news), line](store::write_batch& b) {
    b.put(news.feed);
    b.charge(line);
    return write_news(b, news);
  };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!written) {
    plan_.remove(id);
    co_return no_luck(add_outcome::end::unreachable, "cannot be stored: " + written.error().message());
  }
  spdlog::info("subscription.added id={} url={}", id, log_url(out.feed->feed_url));
  out.how = add_outcome::end::added;
  out.message = "subscribed to " + out.feed->feed_url;
  pass_soon("new subscription");
  co_return out;
}

net::awaitable<bool> engine::remove(std::uint64_t id) {
  auto const feed = subscription(id);
  if (!feed) co_return false;
  std::vector<store::item> items;
  static_cast<void>(parts_.kept.scan<store::item>(store::item{.subscription = id}.key().substr(0, 8),
                                                  [&](store::item const& i) { return items.push_back(i), true; }));
  std::vector<std::uint64_t> jobs;
  static_cast<void>(parts_.kept.scan<store::job>({}, [&](store::job const& j) {
    if (j.subscription == id && j.priority != store::job_class::person) jobs.push_back(j.id);
    return true;
  }));
  std::vector<store::object_ref> pages;
  for (auto const& item : items) {
    auto const stored = parts_.kept.find(store::normalise_url(item.link).value_or(""));
    if (stored && *stored && !item.starred) pages.push_back((*stored)->ref);
  }
  auto task = [feed = *feed, items = std::move(items), jobs = std::move(jobs),
               pages = std::move(pages)](store::write_batch& b) {
    for (auto const& item : items) b.erase_item(item);
    for (auto const job : jobs) b.finish_job(job);
    for (auto const& page : pages) b.set_retention(page, store::retention::evictable);
    return b.erase<store::subscription>(feed.key());
  };
  auto const done = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  co_await subscription_changed(id);
  co_return done&&* done;
}

net::awaitable<import_outcome> engine::import_opml(std::string document) {
  import_outcome out;
  auto const parsed = stitch::feed::parse_opml(document);
  if (!parsed) {
    out.problems.push_back("this is no OPML document: " + parsed.error().message());
    co_return out;
  }
  std::vector<store::subscription> fresh;
  auto const now = parts_.wall.now();
  for (auto const& outline : stitch::feed::subscriptions(*parsed)) {
    auto const url = store::normalise_url(outline.feed_url);
    if (!url) {
      out.problems.push_back('"' + outline.feed_url + "\" is no web address");
      continue;
    }
    auto const folder = folder_path(outline.folders);
    auto at = std::ranges::find(fresh, *url, &store::subscription::feed_url);
    if (at == fresh.end()) {
      auto known = subscribed_to(parts_.kept, *url);
      ++(known ? out.known : out.added);
      fresh.push_back(known.value_or(store::subscription{.feed_url = *url, .title = outline.title, .added = now}));
      at = std::prev(fresh.end());
      if (at->homepage_url.empty()) at->homepage_url = store::normalise_url(outline.page_url).value_or("");
    }
    if (!folder.empty() && std::ranges::find(at->folders, folder) == at->folders.end()) at->folders.push_back(folder);
  }
  auto task = [fresh](store::write_batch& b) {
    auto written = fresh;
    for (auto& feed : written) {
      if (feed.id == 0) feed.id = b.next_id();
      b.put(feed);
    }
    return written;
  };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!written) {
    out.problems.push_back("cannot be stored: " + written.error().message());
    out.added = 0;
    co_return out;
  }
  load_plan();
  for (auto const& feed : *written) plan_.put(feed, now);
  if (out.added > 0) pass_soon("new subscription");
  co_return out;
}

std::string engine::export_opml() {
  std::vector<stitch::feed::subscription> list;
  static_cast<void>(parts_.kept.scan<store::subscription>({}, [&](store::subscription const& feed) {
    stitch::feed::subscription line{
        .feed_url = feed.feed_url, .page_url = feed.homepage_url, .title = feed.title, .folders = {}};
    if (feed.folders.empty()) list.push_back(line);
    for (auto const& folder : feed.folders) {
      line.folders = folder_names(folder);
      list.push_back(line);
    }
    return true;
  }));
  return stitch::feed::write_opml(stitch::feed::make_opml("Cistern", list));
}

}  // namespace cistern::sync
