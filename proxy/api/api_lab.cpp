/// The API's stitch lab: what is known of a carried homepage, and the same for pages that somebody sends.

#include "proxy/api/answers.hpp"
#include "proxy/api/api.hpp"
#include "proxy/api/lab.hpp"
#include "proxy/api/views.hpp"
#include "sync/decode.hpp"
#include "sync/engine/homepages.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;

constexpr std::uint64_t largest_part = 2u << 20;
constexpr int most_waiting = 4;

/// Learning takes up to a second; one at a time, and never on a network thread.
net::thread_pool& bench() {
  static net::thread_pool pool{1};
  return pool;
}

class place_at_bench {
public:
  place_at_bench() : free_{++taken <= most_waiting} {}
  ~place_at_bench() { --taken; }
  place_at_bench(place_at_bench const&) = delete;
  place_at_bench& operator=(place_at_bench const&) = delete;
  explicit operator bool() const { return free_; }

private:
  static inline std::atomic<int> taken{0};
  bool free_;
};

/// Style sheets and pictures as they are stored; nothing is fetched.
stitch::html::shelf stored_parts(store::repository& kept) {
  return [&kept](std::string const& url) -> std::optional<stitch::html::still_part> {
    auto const found = kept.find(url);
    if (!found || !*found) return std::nullopt;
    auto const& object = **found;
    auto const packed = sync::coding_of(object.headers.find("Content-Encoding").value_or(""));
    if (!packed || object.status != 200 || object.size > largest_part) return std::nullopt;
    auto body = kept.read_body(object);
    if (!body) return std::nullopt;
    if (*packed != sync::coding::identity) {
      auto plain = sync::decode_all(*packed, *body, {.max_size = largest_part});
      if (!plain) return std::nullopt;
      *body = std::move(*plain);
    }
    auto const type = object.headers.find("Content-Type").value_or("");
    return stitch::html::still_part{std::string{type.substr(0, type.find(';'))}, std::move(*body)};
  };
}

json::array measurements(std::vector<double> const& scores, std::vector<std::chrono::sys_seconds> const& times) {
  json::array out;
  auto const untimed = scores.size() - std::min(scores.size(), times.size());  // of older versions of the program
  for (std::size_t i = 0; i < scores.size(); ++i)
    out.push_back(
        json::object{{"score", scores[i]}, {"when", i < untimed ? json::value(nullptr) : view(times[i - untimed])}});
  return out;
}

struct site_question {
  store::repository* kept;
  store::subscription feed{};
  sync::homepage_settings settings{};
  bool pictures = false;
};

net::awaitable<json::object> look_at_site(site_question asked) {
  auto const& url = asked.feed.homepage_url;
  auto const threshold = sync::stitching_threshold(*asked.kept, url, asked.settings);
  auto material = sync::material_for(*asked.kept, url);
  json::object out{{"homepage", url}, {"wanted", threshold.has_value()}};
  if (material.learned) {
    out["accuracy"] = measurements(material.learned->accuracy, material.measured);
    out["learned_at"] = view(material.learned->learned_at);
  }
  if (material.newest) out["downloaded"] = view(material.newest->responded);
  out["snapshots"] = material.snapshots.size();
  if (material.snapshots.empty()) co_return out;
  lab_input input{.base = url, .snapshots = std::move(material.snapshots), .feeds = std::move(material.feeds)};
  input.threshold = threshold.value_or(asked.settings.threshold);
  for (auto& [name, value] : examine(input, asked.pictures, stored_parts(*asked.kept))) out[name] = std::move(value);
  co_return out;
}

struct form_question {
  store::repository* kept;
  std::string type{}, body{};
  bool pictures = false;
};

net::awaitable<json::object> look_at_form(form_question asked) {
  std::string problem;
  auto const input = read_lab_form(asked.type, asked.body, problem);
  if (!input) co_return json::object{{"error", problem}};
  auto out = examine(*input, asked.pictures, stored_parts(*asked.kept));
  out["homepage"] = input->base;
  out["snapshots"] = input->snapshots.size();
  co_return out;
}

}  // namespace

net::awaitable<api_answer> api::lab(api_request asked, std::string rest) {
  place_at_bench const place;
  if (!place) co_return refuse(503, "the lab is busy; try again in a moment");
  bool const pictures = query_text(query_of(asked.target), "pages") == "1";
  if (rest.empty() && asked.method == "POST") {
    form_question question{&parts_.kept, std::move(asked.type), std::move(asked.body), pictures};
    auto looking = look_at_form(std::move(question));
    auto const found = co_await net::co_spawn(bench(), std::move(looking), net::use_awaitable);
    co_return say(found, found.contains("error") ? 400 : 200);
  }
  auto const id = number_in(rest);
  if (is_change(asked.method)) co_return refuse(405, "use GET with a subscription's number, or POST pages and feeds");
  store::subscription named{};
  named.id = id.value_or(0);
  auto const feed = parts_.kept.get<store::subscription>(named.key());
  if (!id || !feed || !*feed) co_return refuse(404, "give a subscription by its number");
  site_question question{&parts_.kept, **feed, parts_.engine.settings().homepages, pictures};
  auto looking = look_at_site(std::move(question));
  auto found = co_await net::co_spawn(bench(), std::move(looking), net::use_awaitable);
  found["subscription"] = view(**feed, std::nullopt);
  co_return say(found);
}

}  // namespace cistern::proxy
