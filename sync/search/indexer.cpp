#include "sync/search/indexer.hpp"

#include "store/errc.hpp"
#include "store/url.hpp"

#include <algorithm>
#include <charconv>
#include <future>
#include <random>

namespace cistern::sync {
namespace {

constexpr std::size_t marks_at_once = 256;
constexpr std::size_t walked_at_once = 256;
constexpr std::size_t looked_at_once = 2000;
constexpr std::size_t small_group = 4;  // items that share a link and are all renewed together

// Where a walk is, as a note in the index: "items KEY", "pages KEY", "done"; keys as hexadecimal digits.
constexpr std::string_view in_items = "items ";
constexpr std::string_view in_pages = "pages ";
constexpr std::string_view at_end = "done";

std::string hex(std::string_view bytes) { return own_name(bytes).substr(std::string_view{"item:"}.size()); }

std::string bytes_of(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    out += static_cast<char>(byte);
  }
  return out;
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::string new_id() {
  std::random_device dice;
  return std::to_string((std::uint64_t{dice()} << 32) | dice());
}

std::string state_text(std::string const& id, std::uint64_t batch) { return id + ' ' + std::to_string(batch); }

std::string ref_text(store::object_ref const& ref) { return hex(ref.url.view()) + '.' + std::to_string(ref.id); }

std::optional<store::object_ref> ref_in(std::string_view text) {
  auto const dot = text.find('.');
  auto const url = bytes_of(text.substr(0, dot));
  if (dot == text.npos || url.size() != 16) return std::nullopt;
  return store::object_ref{store::digest::from(url), number_of(text.substr(dot + 1))};
}

/// A feed that leads from several items to one address tells different things under it: each is found by itself.
bool share_a_feed(std::vector<store::indexed_item> const& items) {
  std::set<std::uint64_t> feeds;
  return std::ranges::any_of(items, [&](auto const& one) { return !feeds.insert(one.subscription).second; });
}

}  // namespace

store::result<void> indexer::begin() {
  if (auto const opened = index_.open(); !opened) return opened;
  std::string where;
  auto const read = index_.write([&](store::search_batch& b) {
    id_ = b.note("id");
    batch_ = number_of(b.note("batch"));
    where = b.note("walk");
  });
  if (!read) return read;
  auto const known = kept_.get<store::setting>(store::search_state_name);
  if (!known) return known.error();
  auto const value = *known ? (*known)->value : std::string{};
  bool const fits = !id_.empty() && (value == state_text(id_, batch_) ||
                                     (batch_ > 0 && value == state_text(id_, batch_ - 1)));  // cut between the two
  if (!fits) return start_fresh();
  walk_ = {.walking = where != at_end};
  return {};
}

store::result<void> indexer::rebuild() { return start_fresh(); }

store::result<void> indexer::start_fresh() {
  if (auto const made = index_.start_anew(); !made) return made;
  id_ = new_id();
  batch_ = 0;
  auto const noted = index_.write([&](store::search_batch& b) {
    b.set_note("id", id_);
    b.set_note("batch", "0");
    b.set_note("walk", in_items);
  });
  if (!noted) return noted;
  walk_ = {.walking = true};
  return settle({});
}

store::result<indexing_step> indexer::step() {
  auto const marked = take_marks();
  if (!marked) return marked.error();
  if (!walk_.walking) return *marked;
  if (auto const walked = walk_on(); !walked) return walked.error();
  return indexing_step::more;
}

store::result<indexing_step> indexer::take_marks() {
  std::vector<store::search_mark> marks;
  auto const read = kept_.scan<store::search_mark>({}, [&](store::search_mark const& mark) {
    marks.push_back(mark);
    return marks.size() < marks_at_once;
  });
  if (!read) return read.error();
  if (marks.empty()) return indexing_step::done;
  auto const written = index_.write([&](store::search_batch& batch) {
    places touched;
    for (auto const& mark : marks) {
      if (mark.item.empty())
        look_at_page(batch, mark.url, touched);
      else
        look_at_item(batch, mark.item, touched);
    }
    renew(batch, touched);
    batch.set_note("batch", std::to_string(batch_ + 1));
  });
  if (!written) return written.error();
  ++batch_;
  if (auto const told = settle(marks); !told) return told.error();
  return indexing_step::more;
}

/// What was marked again meanwhile stays marked.
store::result<void> indexer::settle(std::vector<store::search_mark> const& marks) {
  auto task = [marks, state = state_text(id_, batch_)](store::write_batch& b) {
    for (auto const& mark : marks) {
      auto const now = b.get<store::search_mark>(mark.key());
      if (now && now->number == mark.number) b.erase<store::search_mark>(mark.key());
    }
    b.put(store::setting{.name = std::string{store::search_state_name}, .value = state});
    return true;
  };
  // This thread waits; Asio's use_future would start threads of its own for that.
  auto const answer = std::make_shared<std::promise<store::result<bool>>>();
  kept_.write(std::move(task), [answer](store::result<bool> const& written) { answer->set_value(written); });
  auto const written = answer->get_future().get();
  if (!written) return written.error();
  return {};
}

store::result<void> indexer::walk_on() {
  if (walk_.of == 0) {
    auto const usage = kept_.measure();
    if (usage) walk_.of = usage->items + usage->objects;
  }
  return index_.write([&](store::search_batch& batch) {
    auto const where = batch.note("walk");
    std::string next{at_end};
    if (where.starts_with(in_items)) next = walk_items(batch, where.substr(in_items.size()));
    if (where.starts_with(in_pages)) next = walk_pages(batch, where.substr(in_pages.size()));
    batch.set_note("walk", next);
    walk_.walking = next != at_end;
  });
}

std::string indexer::walk_items(store::search_batch& batch, std::string const& from) {
  std::vector<std::string> keys;
  auto const begin = from.empty() ? std::string{} : bytes_of(from) + '\0';
  static_cast<void>(kept_.scan<store::item>(
      {},
      [&](store::item const& item) {
        keys.push_back(item.key());
        return keys.size() < walked_at_once;
      },
      begin));
  places touched;
  for (auto const& key : keys) look_at_item(batch, key, touched);
  renew(batch, touched);
  walk_.done += keys.size();
  return keys.size() < walked_at_once ? std::string{in_pages} : std::string{in_items} + hex(keys.back());
}

std::string indexer::walk_pages(store::search_batch& batch, std::string const& from) {
  std::set<std::string> pages;
  std::optional<store::object_ref> last;
  std::size_t looked = 0;
  static_cast<void>(kept_.each_object(
      [&](store::stored_object const& object) {
        last = object.ref;
        ++looked;
        if (is_findable(object)) pages.insert(object.url);
        return pages.size() < walked_at_once && looked < looked_at_once;
      },
      ref_in(from)));
  bool const more = pages.size() >= walked_at_once || looked >= looked_at_once;
  places touched;
  for (auto const& url : pages) touched[url];
  renew(batch, touched);
  walk_.done += looked;
  return more && last ? std::string{in_pages} + ref_text(*last) : std::string{at_end};
}

void indexer::look_at_item(store::search_batch& batch, std::string const& key, places& touched) {
  if (auto const before = batch.find_item(key)) touched[before->document].insert(key);
  auto const found = kept_.get<store::item>(key);
  if (found && *found) return place_item(batch, **found, touched);
  batch.erase_item(key);
  batch.erase(own_name(key));
}

void indexer::place_item(store::search_batch& batch, store::item const& item, places& touched) {
  auto const key = item.key();
  auto const link = store::normalise_url(item.link).value_or(std::string{});
  auto const document = link.empty() ? own_name(key) : leads_to(kept_, link);
  batch.put_item({.item = key, .document = document, .link = link, .subscription = item.subscription});
  touched[document].insert(key);
}

/// A page came or went, or a redirect, which moves the items that lead through it.
void indexer::look_at_page(store::search_batch& batch, std::string const& url, places& touched) {
  touched[url];
  auto moved = batch.items_linking(url);
  std::ranges::move(batch.items_of(url), std::back_inserter(moved));
  for (auto& one : moved) {
    auto document = one.link.empty() ? one.document : leads_to(kept_, one.link);
    if (document == one.document) continue;
    touched[one.document].insert(one.item);
    touched[document].insert(one.item);
    one.document = std::move(document);
    batch.put_item(one);
  }
}

void indexer::renew(store::search_batch& batch, places const& touched) {
  for (auto const& [address, changed] : touched) renew(batch, address, changed);
}

void indexer::renew(store::search_batch& batch, std::string const& address, std::set<std::string> const& changed) {
  auto const members = batch.items_of(address);
  bool const apart = share_a_feed(members);
  std::vector<store::item> together;
  for (auto const& member : members) {
    bool const own = apart && member.document != own_name(member.item);
    if (apart && members.size() > small_group && !changed.contains(member.item)) continue;
    auto found = kept_.get<store::item>(member.item);
    bool const there = found && *found;
    if (!own && member.document != own_name(member.item)) batch.erase(own_name(member.item));
    if (!there) continue;
    if (!own) {
      together.push_back(std::move(**found));
      continue;
    }
    auto one = document_at(kept_, own_name(member.item), {**found}, limits_);
    if (one) batch.put(*one);
  }
  auto const document = document_at(kept_, address, together, limits_);
  if (document)
    batch.put(*document);
  else
    batch.erase(address);
}

}  // namespace cistern::sync
