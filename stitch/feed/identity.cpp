#include "stitch/feed/identity.hpp"

#include "stitch/feed/date_words.hpp"
#include "stitch/feed/text.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;

/// FNV-1a, twice with different starts: 128 bits, enough to tell one feed's items apart.
class digest {
public:
  void add(string_view text) {
    mix(text);
    mix(string_view{"\0", 1});  // so that "ab","c" is not "a","bc"
  }
  string hex() const {
    static constexpr string_view digits = "0123456789abcdef";
    string out;
    for (auto const half : {first_, second_})
      for (int shift = 60; shift >= 0; shift -= 4) out += digits[(half >> shift) & 15];
    return out;
  }

private:
  void mix(string_view text) {
    for (char const c : text) {
      first_ = (first_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
      second_ = (second_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL + 0x9e3779b97f4a7c15ULL;
    }
  }
  std::uint64_t first_ = 14695981039346656037ULL;
  std::uint64_t second_ = 0x6c62272e07bb0142ULL;
};

bool counts_visitors(string_view parameter) {
  auto const name = lowered(parameter.substr(0, parameter.find('=')));
  static constexpr auto known =
      std::to_array<string_view>({"fbclid", "gclid", "mc_cid", "mc_eid", "ref_src", "igshid", "yclid"});
  return name.starts_with("utm_") || std::ranges::find(known, name) != known.end();
}

string without_counters(string_view query) {
  string out;
  while (!query.empty()) {
    auto const end = std::min(query.size(), query.find('&'));
    auto const parameter = query.substr(0, end);
    query.remove_prefix(std::min(query.size(), end + 1));
    if (parameter.empty() || counts_visitors(parameter)) continue;
    if (!out.empty()) out += '&';
    out += parameter;
  }
  return out;
}

string day_of(item const& i) {
  auto const time = i.published ? i.published : i.updated;
  return time ? std::to_string(std::chrono::floor<std::chrono::days>(*time).time_since_epoch().count()) : string{};
}

string content_digest(item const& i) {
  digest d;
  for (auto const& text : {i.title, i.link, i.summary, i.content, i.author, i.image}) d.add(text);
  for (auto const& e : i.enclosures) d.add(e.url);
  return d.hex();
}

}  // namespace

string normalised_link(string_view link) {
  auto url = resolve({}, link);
  if (!is_web_url(url)) return url;
  url.erase(0, url.find("//") + 2);
  if (auto const hash = url.find('#'); hash != string::npos && !url.substr(hash).starts_with("#!")) url.resize(hash);
  if (url.starts_with("www.")) url.erase(0, 4);
  string query;
  if (auto const mark = url.find('?'); mark != string::npos) {
    query = without_counters(string_view{url}.substr(mark + 1));
    url.resize(mark);
  }
  while (url.ends_with('/')) url.pop_back();
  return query.empty() ? url : url + '?' + query;
}

identity identify(item const& i, key_policy policy) {
  identity out;
  out.link = i.link.empty() ? string{} : normalised_link(i.link);
  auto const title = fold_case(trimmed(i.title));
  if (!title.empty()) out.title = title + '\n' + day_of(i);
  out.version = content_digest(i);
  if (policy == key_policy::id && !i.id.empty()) {
    out.key = "1:" + i.id;
  } else if (policy != key_policy::digest && !out.link.empty()) {
    out.key = "2:" + out.link;
  } else {
    digest d;
    // Not the content, which may be edited; not the date when there is a title, because some feeds change it every day.
    d.add(out.link);
    d.add(title.empty() ? i.summary + i.content : title);
    if (policy == key_policy::digest) d.add(day_of(i));
    out.key = "3:" + d.hex();
  }
  return out;
}

key_policy settled(key_policy current, std::span<item const> items) {
  for (auto policy = current; policy != key_policy::digest;
       policy = key_policy{static_cast<std::uint8_t>(static_cast<int>(policy) + 1)}) {
    std::unordered_map<string, identity> seen;
    bool const clear = std::ranges::all_of(items, [&](item const& i) {
      auto id = identify(i, policy);
      auto const [at, fresh] = seen.try_emplace(id.key, id);
      // The same item listed twice is no clash; two with other links or titles are.
      return fresh || (at->second.link == id.link && at->second.title == id.title);
    });
    if (clear) return policy;
  }
  return key_policy::digest;
}

sameness compare(identity const& known, identity const& seen) {
  if (known.key == seen.key) return known.version == seen.version ? sameness::same : sameness::edited;
  if (!known.link.empty() && known.link == seen.link) return sameness::moved;
  if (!known.title.empty() && !known.title.ends_with('\n') && known.title == seen.title) return sameness::moved;
  return sameness::different;
}

void clamp_future(item& i, std::chrono::sys_seconds first_seen) {
  for (auto* time : {&i.published, &i.updated})
    if (*time && **time > first_seen) *time = first_seen;
}

}  // namespace cistern::stitch::feed
