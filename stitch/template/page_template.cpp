#include "stitch/template/page_template.hpp"

#include "stitch/template/links.hpp"

#include <cstdint>
#include <unordered_set>

namespace cistern::stitch::templates {
namespace {

class template_errors final : public boost::system::error_category {
  char const* name() const noexcept override { return "template"; }
  std::string message(int) const override { return "the stored template is damaged"; }
};

constexpr std::string_view magic = "cistern template 2\n";

// Layout: magic, then strings as a 4-byte length (little endian) and their bytes, numbers as 8 bytes.
class writer {
public:
  void number(std::uint64_t n) {
    for (int i = 0; i < 8; ++i) out_ += static_cast<char>(n >> (8 * i) & 0xFF);
  }
  void text(std::string_view s) {
    for (int i = 0; i < 4; ++i) out_ += static_cast<char>(s.size() >> (8 * i) & 0xFF);
    out_ += s;
  }
  void time(std::optional<std::chrono::sys_seconds> const& t) {
    number(t.has_value());
    number(t ? static_cast<std::uint64_t>(t->time_since_epoch().count()) : 0);
  }
  void raw(std::string_view s) { out_ += s; }
  [[nodiscard]] std::string take() { return std::move(out_); }

private:
  std::string out_;
};

class reader {
public:
  explicit reader(std::string_view bytes) : left_{bytes} {}
  bool number(std::uint64_t& n) {
    if (left_.size() < 8) return false;
    n = 0;
    for (std::size_t i = 0; i < 8; ++i) n |= std::uint64_t{static_cast<unsigned char>(left_[i])} << (8 * i);
    left_.remove_prefix(8);
    return true;
  }
  bool count(std::uint64_t& n) { return number(n) && n <= left_.size(); }  // nothing is smaller than a byte
  bool text(std::string& s) {
    if (left_.size() < 4) return false;
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size |= std::size_t{static_cast<unsigned char>(left_[i])} << (8 * i);
    left_.remove_prefix(4);
    if (size > left_.size()) return false;
    s = left_.substr(0, size);
    left_.remove_prefix(size);
    return true;
  }
  bool time(std::optional<std::chrono::sys_seconds>& t) {
    std::uint64_t has = 0, seconds = 0;
    if (!number(has) || !number(seconds)) return false;
    auto const when = static_cast<std::int64_t>(seconds);
    constexpr std::int64_t far = 250'000'000'000;  // beyond the year 9000 calendars end
    if (has != 0 && when > -far && when < far) t = std::chrono::sys_seconds{std::chrono::seconds{when}};
    return true;
  }
  [[nodiscard]] bool done() const { return left_.empty(); }

private:
  std::string_view left_;
};

void write(writer& out, feed::item const& i) {
  for (auto const* s : {&i.id, &i.link, &i.title, &i.summary, &i.content, &i.author, &i.comments, &i.image})
    out.text(*s);
  out.time(i.published);
  out.time(i.updated);
  out.time(i.zone ? std::optional{std::chrono::sys_seconds{*i.zone}} : std::nullopt);
  out.number(i.categories.size());
  for (auto const& c : i.categories) out.text(c);
}

bool read(reader& in, feed::item& i) {
  for (auto* s : {&i.id, &i.link, &i.title, &i.summary, &i.content, &i.author, &i.comments, &i.image})
    if (!in.text(*s)) return false;
  std::uint64_t categories = 0;
  std::optional<std::chrono::sys_seconds> zone;
  if (!in.time(i.published) || !in.time(i.updated) || !in.time(zone) || !in.count(categories)) return false;
  constexpr std::chrono::hours farthest{14};
  if (zone && std::chrono::abs(zone->time_since_epoch()) <= farthest)
    i.zone = std::chrono::floor<std::chrono::minutes>(zone->time_since_epoch());
  i.categories.resize(categories);
  for (auto& c : i.categories)
    if (!in.text(c)) return false;
  return true;
}

bool read(reader& in, std::vector<feed::feed>& feeds) {
  std::uint64_t count = 0;
  if (!in.count(count)) return false;
  feeds.resize(count);
  for (auto& f : feeds) {
    if (!in.count(count)) return false;
    f.items.resize(count);
    for (auto& i : f.items)
      if (!read(in, i)) return false;
  }
  return true;
}

}  // namespace

boost::system::error_code make_error_code(errc e) noexcept {
  static template_errors const category;
  return {static_cast<int>(e), category};
}

page_template learn(std::string base, std::vector<snapshot> snapshots, std::size_t most) {
  if (snapshots.size() > most) snapshots.erase(snapshots.begin(), snapshots.end() - static_cast<std::ptrdiff_t>(most));
  std::unordered_set<std::string> linked;
  for (auto const& s : snapshots)
    for (html::node_id n = 0; n < s.page.size(); ++n)
      if (s.page.is(n, "a")) linked.insert(key_of(resolve(base, s.page.attribute_or_empty(n, "href"))));
  for (auto& s : snapshots)
    for (auto& f : s.feeds)
      for (auto& i : f.items)
        if (!linked.contains(key_of(resolve(base, i.link)))) i.summary.clear(), i.content.clear();
  return {std::move(base), std::move(snapshots)};
}

outcome stitch(page_template const& t, std::vector<feed::feed> const& feeds, options const& o) {
  return stitch(t.base, t.snapshots, feeds, o);
}

std::string serialise(page_template const& t) {
  writer out;
  out.raw(magic);
  out.text(t.base);
  out.number(t.snapshots.size());
  for (auto const& s : t.snapshots) {
    out.text(s.page.source());
    out.number(s.feeds.size());
    for (auto const& f : s.feeds) {
      out.number(f.items.size());
      for (auto const& i : f.items) write(out, i);
    }
  }
  return out.take();
}

result<page_template> deserialise(std::string_view bytes) {
  if (!bytes.starts_with(magic)) return errc::damaged;
  reader in{bytes.substr(magic.size())};
  page_template out;
  std::uint64_t snapshots = 0;
  if (!in.text(out.base) || !in.count(snapshots)) return errc::damaged;
  for (std::uint64_t n = 0; n < snapshots; ++n) {
    std::string page;
    std::vector<feed::feed> feeds;
    if (!in.text(page) || !read(in, feeds)) return errc::damaged;
    html::parse_options options;
    options.content_type = "text/html; charset=utf-8";  // converted when it was first read
    auto parsed = html::document::parse(page, options);
    if (!parsed) return parsed.error();
    out.snapshots.push_back({std::move(*parsed), std::move(feeds)});
  }
  if (!in.done()) return errc::damaged;
  return out;
}

}  // namespace cistern::stitch::templates
