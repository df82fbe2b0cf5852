#include "sync/engine/homepages.hpp"

#include "stitch/template/self_check.hpp"
#include "stitch/template/stitch.hpp"
#include "store/codec.hpp"
#include "store/http_date.hpp"
#include "store/url.hpp"
#include "sync/decode.hpp"

#include <algorithm>
#include <map>

namespace cistern::sync {
namespace {

using stitch::html::document;
namespace templates = stitch::templates;
using std::chrono::sys_seconds;

constexpr std::uint64_t largest_page = 8u << 20;
constexpr std::size_t accuracies_kept = 20;
constexpr double sure_by_order = 0.1;  // of confidence, when somebody wants it stitched whatever it takes
constexpr std::string_view relearning = "relearn ";
constexpr std::string_view label_start = "<div data-cistern-label";

/// What a feed showed when a version of the page was downloaded.
struct feed_view {
  std::uint64_t subscription = 0;
  std::vector<store::digest> window{};
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.subscription, self.window);
  }
};

struct page_evidence {
  std::uint64_t object = 0;
  std::vector<feed_view> feeds{};
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.object, self.feeds);
  }
};

/// What `page_template::learned` holds, oldest first.
struct evidence {
  static constexpr std::uint8_t version = 1;
  std::vector<page_evidence> pages{};
  std::vector<sys_seconds> measured{};  // when the last of `page_template::accuracy` were
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.pages, self.measured);
  }
};

evidence evidence_in(store::page_template const& learned) {
  try {
    return learned.learned.empty() ? evidence{} : store::decode<evidence>(learned.learned);
  } catch (store::bad_record const&) {
    return {};  // of another version of the program: learned anew
  }
}

std::optional<store::page_template> template_of(store::repository& kept, std::string const& url) {
  store::page_template named{};
  named.url_digest = kept.url_digest(url);
  auto found = kept.get<store::page_template>(named.key());
  return found ? std::move(*found) : std::nullopt;
}

std::vector<store::subscription> feeds_of(store::repository& kept, std::string const& homepage) {
  std::vector<store::subscription> out;
  static_cast<void>(kept.scan<store::subscription>({}, [&](store::subscription const& feed) {
    if (feed.homepage_url == homepage) out.push_back(feed);
    return true;
  }));
  return out;
}

/// The feed as it stood, put together from its items again.
stitch::feed::feed rebuild(store::repository& kept, std::uint64_t subscription,
                           std::vector<store::digest> const& window) {
  stitch::feed::feed out;
  for (auto const& identity : window) {
    store::item named{};
    named.subscription = subscription;
    named.identity = identity;
    auto const found = kept.get<store::item>(named.key());
    if (!found || !*found) continue;
    auto const& from = **found;
    stitch::feed::item item;
    item.id = from.id;
    item.link = from.link;
    item.title = from.title;
    item.summary = from.summary;
    item.content = from.content;
    item.author = from.author;
    item.published = from.published;
    item.updated = from.updated;
    item.zone = from.zone;
    item.categories = from.categories;
    item.image = from.image;
    for (auto const& url : from.enclosures) item.enclosures.push_back({.url = url, .type = {}, .length = {}});
    out.items.push_back(std::move(item));
  }
  return out;
}

std::vector<stitch::feed::feed> feeds_then(store::repository& kept, std::vector<feed_view> const& views) {
  std::vector<stitch::feed::feed> out;
  for (auto const& view : views) out.push_back(rebuild(kept, view.subscription, view.window));
  return out;
}

std::vector<stitch::feed::feed> feeds_now(store::repository& kept, std::string const& homepage) {
  std::vector<stitch::feed::feed> out;
  for (auto const& feed : feeds_of(kept, homepage)) out.push_back(rebuild(kept, feed.id, feed.window));
  return out;
}

std::optional<document> parsed(store::repository& kept, store::stored_object const& page) {
  if (page.size > largest_page || page.status != 200) return std::nullopt;
  auto body = kept.read_body(page);
  if (!body) return std::nullopt;
  auto const named = page.headers.find("Content-Encoding");
  auto const packed = coding_of(named.value_or(""));
  if (!packed) return std::nullopt;
  if (*packed != coding::identity) {
    auto plain = decode_all(*packed, *body, {.max_size = largest_page});
    if (!plain) return std::nullopt;
    *body = std::move(*plain);
  }
  auto const type = page.headers.find("Content-Type").value_or("");
  auto tree = document::parse(*body, {.content_type = type});
  return tree ? std::optional{std::move(*tree)} : std::nullopt;
}

/// Discreet, at the end of the page, without scripts or styles from elsewhere; it says what was done and leads to the
/// page as it was downloaded.
std::string label(std::string const& url, sys_seconds downloaded, sys_seconds now) {
  auto const site = url.substr(0, url.find('/', url.find("://") + 3));
  std::string escaped;
  static constexpr std::string_view digits = "0123456789ABCDEF";
  for (char const c : url) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      escaped += c;
    } else {
      (escaped += '%') += digits[static_cast<unsigned char>(c) >> 4];
      escaped += digits[static_cast<unsigned char>(c) & 15];
    }
  }
  return std::string{label_start} +
         " style=\"all:initial;display:block;font:12px "
         "sans-serif;color:#777;background:transparent;"
         "text-align:center;padding:6px\">Brought up to date from its feed on " +
         store::format_http_date(now) + " &middot; <a style=\"color:inherit\" href=\"" + site +
         "/.well-known/cistern/copy?url=" + escaped + "\">the page as it was downloaded on " +
         store::format_http_date(downloaded) + "</a></div>";
}

/// Before the body's end; behind everything when it has none.
void add_label(std::string& page, std::string const& text) {
  auto const end = page.rfind("</body");
  page.insert(end == std::string::npos ? page.size() : end, text);
}

/// As stitching made it, to be compared with what is served.
void drop_label(std::string& page) {
  auto const begin = page.rfind(label_start);
  auto const end = begin == std::string::npos ? begin : page.find("</div>", begin);
  if (end != std::string::npos) page.erase(begin, end + 6 - begin);
}

double recent_accuracy(store::page_template const& learned) {
  auto const& all = learned.accuracy;
  if (all.empty()) return 0;
  auto const count = std::min<std::size_t>(3, all.size());
  double sum = 0;
  for (std::size_t i = all.size() - count; i < all.size(); ++i) sum += all[i];
  return sum / static_cast<double>(count);
}

}  // namespace

std::string stitched_name(std::string_view homepage) { return "stitched:" + std::string{homepage}; }

std::string relearning_owner(std::uint64_t subscription) {
  return std::string{relearning} + std::to_string(subscription);
}

bool is_relearning(store::job const& job) {
  return std::ranges::any_of(job.owners, [](std::string const& owner) { return owner.starts_with(relearning); });
}

bool homepage_due(store::repository& kept, store::subscription const& feed, bool has_news, sys_seconds now,
                  homepage_settings const& settings) {
  if (feed.homepage_url.empty()) return false;
  auto const learned = template_of(kept, feed.homepage_url);
  auto const known = learned ? evidence_in(*learned).pages.size() : 0;
  if (known == 0) return true;
  if (!has_news) return false;
  auto const age = now - learned->learned_at;
  if (feed.stitch == store::stitching::never) return age >= settings.daily;
  if (known == 1) return age >= settings.second_look;
  auto const accuracy = recent_accuracy(*learned);
  return age >= (accuracy >= 0.95 ? settings.rarely : accuracy >= 0.8 ? settings.seldom : settings.daily);
}

homepage_news learn_homepage(store::repository& kept, store::stored_object const& page, sys_seconds now,
                             homepage_settings const& settings, bool afresh) {
  homepage_news out;
  out.learned = template_of(kept, page.url).value_or(store::page_template{});
  out.learned.url = page.url;
  out.learned.url_digest = kept.url_digest(page.url);
  auto known = evidence_in(out.learned);
  page_evidence seen{.object = page.ref.id};
  for (auto const& feed : feeds_of(kept, page.url)) {
    out.subscriptions.push_back(feed.id);
    seen.feeds.push_back({.subscription = feed.id, .window = feed.window});
  }
  auto const tree = parsed(kept, page);
  if (!tree) return out;
  if (auto const stitched = kept.find(stitched_name(page.url)); stitched && *stitched) {
    auto body = kept.read_body(**stitched);
    if (body) drop_label(*body);
    if (auto const before =
            document::parse(body ? *body : std::string{}, {.content_type = "text/html; charset=utf-8"})) {
      auto const check = templates::self_check(*before, *tree, page.url, feeds_then(kept, seen.feeds));
      out.accuracy = check.score;
      out.learned.accuracy.push_back(check.score);
      known.measured.push_back(now);
      if (out.learned.accuracy.size() > accuracies_kept) out.learned.accuracy.erase(out.learned.accuracy.begin());
      if (known.measured.size() > accuracies_kept) known.measured.erase(known.measured.begin());
    }
  }
  std::erase_if(known.pages, [&](page_evidence const& old) { return afresh || old.object == page.ref.id; });
  known.pages.push_back(std::move(seen));
  if (known.pages.size() > settings.snapshots) known.pages.erase(known.pages.begin());
  out.learned.learned = store::encode(known);
  out.learned.learned_at = now;
  return out;
}

void write_homepage(store::write_batch& batch, homepage_news const& news, std::string const& url, std::uint64_t bytes,
                    sys_seconds now) {
  batch.erase_url(stitched_name(url));
  if (!news.learned.learned.empty()) batch.put(news.learned);
  for (auto const id : news.subscriptions) {
    store::subscription named{};
    named.id = id;
    auto feed = batch.get<store::subscription>(named.key());
    if (!feed) continue;
    feed->homepage_fetched = now;
    feed->homepage_bytes = bytes;
    batch.put(*feed);
  }
}

homepage_material material_for(store::repository& kept, std::string const& homepage) {
  homepage_material out{.learned = template_of(kept, homepage)};
  auto const versions = kept.versions(homepage);
  if (!out.learned || !versions) return out;
  auto known = evidence_in(*out.learned);
  out.measured = std::move(known.measured);
  for (auto const& seen : known.pages) {
    auto const at =
        std::ranges::find_if(*versions, [&](auto const& o) { return o.ref.id == seen.object && o.complete; });
    auto tree = at == versions->end() ? std::nullopt : parsed(kept, *at);
    if (!tree) continue;
    out.newest = *at;
    out.snapshots.push_back({std::move(*tree), feeds_then(kept, seen.feeds)});
  }
  out.feeds = feeds_now(kept, homepage);
  return out;
}

std::optional<double> stitching_threshold(store::repository& kept, std::string const& homepage,
                                          homepage_settings const& settings) {
  bool always = false;
  for (auto const& feed : feeds_of(kept, homepage)) {
    if (feed.stitch == store::stitching::never) return std::nullopt;
    always = always || feed.stitch == store::stitching::always;
  }
  return always ? sure_by_order : settings.threshold;
}

std::optional<stitched_page> stitch_homepage(store::repository& kept, store::subscription const& feed, sys_seconds now,
                                             homepage_settings const& settings, std::string& why) {
  auto const& url = feed.homepage_url;
  auto const threshold = url.empty() ? std::nullopt : stitching_threshold(kept, url, settings);
  if (!threshold) return why = "not wanted", std::nullopt;
  auto const material = material_for(kept, url);
  if (!material.learned) return why = "the homepage was not downloaded yet", std::nullopt;
  if (material.snapshots.empty()) return why = "no stored version of the homepage can be read", std::nullopt;
  auto made = templates::stitch(url, material.snapshots, material.feeds, {.threshold = *threshold});
  if (made.declined) {
    why = "not sure enough where its news go";
    for (auto const& region : made.regions)
      if (!region.reasons.empty()) why = region.reasons.front();
    return std::nullopt;
  }
  stitched_page out{.body = std::move(made.page), .confidence = made.confidence, .full_bytes = feed.homepage_bytes};
  add_label(out.body, label(url, material.newest->responded, now));
  out.head.url = stitched_name(url);
  out.head.headers = material.newest->headers;
  for (auto const* const gone :
       {"Content-Encoding", "Content-Length", "ETag", "Last-Modified", "Content-MD5", "Digest"})
    out.head.headers.erase(gone);
  out.head.headers.set("Content-Type", "text/html; charset=utf-8");
  out.head.requested = out.head.responded = now;
  out.head.kind = store::object_kind::derived;
  out.head.keep = store::retention::needed;
  return out;
}

}  // namespace cistern::sync
