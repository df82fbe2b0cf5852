#include "store/repository.hpp"

#include "store/environment.hpp"
#include "store/errc.hpp"
#include "store/internals.hpp"
#include "store/lending.hpp"
#include "store/url.hpp"

#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace cistern::store {
namespace {

constexpr std::size_t digest_size = 16;
constexpr std::size_t scan_step = 256;  // records a snapshot

/// Runs a read and turns what went wrong inside into an error.
template <class Work>
auto guarded(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (lmdb::error const& e) {
    return {boost::system::in_place_error, lmdb::to_error_code(e.code)};  // by name: bool converts from anything
  } catch (bad_record const&) {
    return {boost::system::in_place_error, make_error_code(errc::damaged)};
  }
}

/// Tells what one snapshot gave, outside of it. Whether to go on; what is no record ends the scan.
result<bool> tell_all(std::vector<std::pair<std::string, std::string>> const& step,
                      std::function<bool(std::string_view, std::string_view)> const& more) {
  return guarded([&]() -> result<bool> {
    for (auto const& [key, value] : step)
      if (!more(key, value)) return false;
    return true;
  });
}

enum class body_state { good, missing, bad };

/// What of a body's bytes is wanted: from where on, and where it goes. Gets shorter as pieces arrive.
struct wanted_part {
  std::uint64_t offset = 0;
  std::span<char> out{};
};

struct wanted_view {
  std::uint64_t offset = 0;
  std::size_t size = 0;
};

/// One snapshot of the repository, for the length of a read.
class snapshot {
public:
  explicit snapshot(repository::internals& in) : in_{in}, txn_{in.readers} { in.resident.note_walk(); }

  /// The first object of a URL, newest first, that is complete, not quarantined, and wanted. `most` bytes of its body
  /// will be asked for next.
  bool select(std::string_view url, repository::chooser const& wanted, std::size_t most, object_record& out);
  /// Copy what is wanted of a body, all of which must be there. A chunk counts when it matches its checksum.
  body_state read_inside(object_record const& record, wanted_part part) const;
  body_state read_chunks(std::uint64_t body, wanted_part part) const;
  /// Gives what is wanted to `take` where it lies, some chunks at a time, until that takes less than it is given.
  template <class Taker>
  body_state lend_chunks(std::uint64_t body, wanted_view wanted, Taker const& take) const;
  [[nodiscard]] std::optional<object_record> load(object_ref const& ref) const {
    return load_object(txn_, in_.tables, ref);
  }

private:
  [[nodiscard]] std::string_view fetched(std::string_view value, std::size_t most);
  bool copy_checked(std::string_view stored, digest const& check, wanted_part& part) const;

  repository::internals& in_;
  lmdb::read_transaction txn_;
  std::array<char, chunk_value> beside_;  // what reading may not map; deliberately not filled with zeros
};

/// A record with a body of some size lies on pages of its own. The first lines of each are asked for at once: otherwise
/// decoding the head would wait for the first page, and copying for one page after the other, where the processor's own
/// prefetching begins anew each time. (Asking for every line takes longer than it saves; measured.) When reading may
/// not map so much they come beside the map instead.
std::string_view snapshot::fetched(std::string_view value, std::size_t most) {
  if (value.size() < page_size) return value;
  if (in_.resident.crowded() && value.size() <= beside_.size()) {
    in_.resident.copy(value, beside_);
    return {beside_.data(), value.size()};
  }
  constexpr std::size_t cache_line = 64, head = 8 * cache_line, start_of_page = 6 * cache_line, page_header = 16;
  auto const ask_for = [&](std::size_t from, std::size_t size) {
    for (auto at = from; at < from + size; at += cache_line) __builtin_prefetch(value.data() + at);
  };
  ask_for(0, head);
  for (auto at = page_size - page_header; at < std::min(value.size(), most); at += page_size)
    ask_for(at, start_of_page);
  return value;
}

bool snapshot::select(std::string_view url, repository::chooser const& wanted, std::size_t most, object_record& out) {
  auto const where = digest_of(url, in_.seed);
  auto const prefix = where.view();
  lmdb::cursor walk{txn_, in_.tables[t_objects]};
  for (auto at = walk.at_or_after(prefix); at && at->first.starts_with(prefix); at = walk.next()) {
    read_object(at->first, fetched(at->second, most), out);
    if (!out.object.complete || out.object.url != url || (wanted && !wanted(out.object))) continue;
    if (in_.quarantined.load(std::memory_order_relaxed) && txn_.get(in_.tables[t_quarantine], at->first)) continue;
    return true;
  }
  return false;
}

/// Bytes that are wanted whole are copied first and checked where they then lie, in the nearest cache. Others are
/// checked in the map, or beside it when reading may not map so much.
bool snapshot::copy_checked(std::string_view stored, digest const& check, wanted_part& part) const {
  if (stored.size() <= part.offset) return false;
  auto const piece = stored.substr(static_cast<std::size_t>(part.offset), part.out.size());
  auto const target = part.out.first(piece.size());
  part = {0, part.out.subspan(piece.size())};
  if (piece.size() == stored.size()) {
    in_.resident.copy(piece, target);
    return digest_of({target.data(), target.size()}, in_.seed) == check;
  }
  std::array<char, chunk_value> beside;
  auto whole = stored;
  if (in_.resident.crowded() && stored.size() <= beside.size()) {
    in_.resident.copy(stored, beside);
    whole = {beside.data(), stored.size()};
  }
  std::memcpy(target.data(), whole.data() + (piece.data() - stored.data()), target.size());
  return digest_of(whole, in_.seed) == check;
}

body_state snapshot::read_inside(object_record const& record, wanted_part part) const {
  if (part.out.empty()) return body_state::good;
  return copy_checked(record.bytes, record.check, part) && part.out.empty() ? body_state::good : body_state::bad;
}

body_state snapshot::read_chunks(std::uint64_t body, wanted_part part) const {
  if (part.out.empty()) return body_state::good;
  auto index = part.offset / chunk_payload;
  part.offset %= chunk_payload;
  lmdb::cursor walk{txn_, in_.tables[t_chunks]};
  for (auto at = walk.at_or_after(chunk_key(body, index));; at = walk.next(), ++index) {
    if (!at || at->first != chunk_key(body, index)) return body_state::missing;
    if (at->second.size() < digest_size) return body_state::bad;
    if (!copy_checked(at->second.substr(digest_size), digest::from(at->second), part)) return body_state::bad;
    if (part.out.empty()) return body_state::good;
  }
}

/// Some chunks are found first and looked at only then: what is not in memory is read in one go.
template <class Taker>
body_state snapshot::lend_chunks(std::uint64_t body, wanted_view wanted, Taker const& take) const {
  auto index = wanted.offset / chunk_payload;
  auto skipped = static_cast<std::size_t>(wanted.offset % chunk_payload);
  std::array<std::string_view, body_lender::most_pieces> pieces;
  lmdb::cursor walk{txn_, in_.tables[t_chunks]};
  for (auto at = walk.at_or_after(chunk_key(body, index)); wanted.size > 0;) {
    auto const needed = std::min<std::uint64_t>(pieces.size(), chunks_of(skipped + wanted.size));
    auto const found = std::span{pieces}.first(static_cast<std::size_t>(needed));
    for (auto& piece : found) {
      if (!at || at->first != chunk_key(body, index++)) return body_state::missing;
      piece = at->second;
      at = walk.next();
    }
    in_.resident.bring_in(found);
    for (auto& piece : found) {
      if (piece.size() <= digest_size + skipped) return body_state::bad;
      auto const stored = piece.substr(digest_size);
      if (digest_of(stored, in_.seed) != digest::from(piece)) return body_state::bad;
      piece = stored.substr(std::exchange(skipped, 0), wanted.size);
      wanted.size -= piece.size();
    }
    if (!take(found)) break;
  }
  return body_state::good;
}

/// Why a body's bytes cannot be had; written down when that is damage.
boost::system::error_code explain_loss(repository& owner, snapshot const& now, stored_object const& object,
                                       body_state state) {
  if (state == body_state::missing) {
    auto const current = now.load(object.ref);
    if (!current || current->object.body != object.body) return errc::gone;
  }
  auto const reason = state == body_state::missing ? "a chunk is missing" : "a chunk does not match its checksum";
  auto task = [ref = object.ref, reason](write_batch& b) { b.quarantine(ref, reason); };
  owner.write(std::move(task), [](result<void> const&) {});
  return errc::damaged;
}

}  // namespace

repository::repository(repository_options const& options) : in_{std::make_unique<internals>(options)} {}
repository::~repository() = default;

result<std::optional<stored_object>> repository::find(std::string_view url, chooser const& wanted) {
  stored_object found;
  std::string unused;
  auto const there = find_with_body(url, wanted, 0, found, unused);
  if (!there) return there.error();
  return *there ? std::optional{std::move(found)} : std::nullopt;
}

result<bool> repository::find_with_body(std::string_view url, chooser const& wanted, std::size_t most,
                                        stored_object& found, std::string& body) {
  return guarded([&]() -> result<bool> {
    snapshot now{*in_};
    object_record record{.object = std::move(found)};
    bool const there = now.select(url, wanted, most, record);
    found = std::move(record.object);
    if (!there || found.size > most) {
      body.clear();
      return there;
    }
    body.resize(found.size);  // what it held is overwritten: clearing it first would fill it with zeros
    auto const state = found.body == 0 ? now.read_inside(record, {0, body}) : now.read_chunks(found.body, {0, body});
    if (state == body_state::good) return true;
    body.clear();
    report_damage(found.ref, "its body does not match its checksum");
    return false;
  });
}

result<std::vector<stored_object>> repository::versions(std::string_view url) {
  return guarded([&]() -> result<std::vector<stored_object>> {
    auto const normal = normalise_url(url).value_or(std::string{url});
    auto const where = digest_of(normal, in_->seed);
    std::vector<stored_object> out;
    lmdb::read_transaction const txn{in_->readers};
    lmdb::cursor walk{txn, in_->tables[t_objects]};
    for (auto at = walk.at_or_after(where.view()); at && at->first.starts_with(where.view()); at = walk.next()) {
      auto record = read_object(at->first, at->second);
      if (record.object.url == normal && !txn.get(in_->tables[t_quarantine], at->first))
        out.push_back(std::move(record.object));
    }
    return out;
  });
}

result<std::optional<stored_object>> repository::get_object(object_ref const& ref) {
  return guarded([&]() -> result<std::optional<stored_object>> {
    lmdb::read_transaction const txn{in_->readers};
    auto record = load_object(txn, in_->tables, ref);
    return record ? std::optional{std::move(record->object)} : std::nullopt;
  });
}

result<body_reader> repository::open_body(stored_object const& object) {
  if (object.body != 0 || object.size == 0) {
    if (object.body != 0 && !in_->leases.take(object.body)) return make_error_code(errc::gone);
    return body_reader{*this, object, {}};
  }
  return guarded([&]() -> result<body_reader> {
    snapshot const now{*in_};
    auto const record = now.load(object.ref);
    if (!record || record->object.content != object.content) return make_error_code(errc::gone);
    if (!record->has_body_inside()) return open_body(record->object);  // moved to chunks since it was found
    std::string copy(record->bytes.size(), '\0');
    if (copy.size() == object.size && now.read_inside(*record, {0, copy}) == body_state::good)
      return body_reader{*this, object, std::move(copy)};
    report_damage(object.ref, "its body does not match its checksum");
    return make_error_code(errc::damaged);
  });
}

result<std::string> repository::read_body(stored_object const& object) {
  auto reader = open_body(object);
  if (!reader) return reader.error();
  std::string out(object.size, '\0');
  auto const got = reader->read(0, out);
  if (!got) return got.error();
  return out;
}

result<std::size_t> repository::read_chunks(stored_object const& object, std::uint64_t offset, std::span<char> out) {
  return guarded([&]() -> result<std::size_t> {
    snapshot const now{*in_};
    auto const state = now.read_chunks(object.body, {offset, out});
    if (state == body_state::good) return out.size();
    return explain_loss(*this, now, object, state);
  });
}

result<void> repository::each_object(std::function<bool(stored_object const&)> const& more,
                                     std::optional<object_ref> const& after) {
  std::string from = after ? object_key(*after) + '\0' : std::string{};
  for (;;) {
    std::vector<stored_object> step;
    auto const read = guarded([&]() -> result<void> {
      lmdb::read_transaction const txn{in_->readers};
      lmdb::cursor walk{txn, in_->tables[t_objects]};
      for (auto at = walk.at_or_after(from); at && step.size() < scan_step; at = walk.next()) {
        if (!txn.get(in_->tables[t_quarantine], at->first)) step.push_back(read_object(at->first, at->second).object);
        from = std::string{at->first} + '\0';
      }
      return {};
    });
    if (!read || step.empty()) return read;
    for (auto const& object : step)
      if (!more(object)) return {};
  }
}

result<void> repository::scan_items_back(std::chrono::sys_seconds end,
                                         std::function<bool(listed_item const&)> const& more) {
  item const first{.first_seen = end};
  auto const before = first.time_key().substr(0, 8);
  return scan_bytes_back(table_id::items_by_time, before, [&](std::string_view key, std::string_view value) {
    listed_item out{.first_seen = std::chrono::sys_seconds{std::chrono::seconds{key_number(key)}},
                    .subscription = key_number(key.substr(8)),
                    .key = std::string{key.substr(8)}};
    if (!value.empty()) {
      out.seen = decode<item_glance>(value);
      return more(out);
    }
    auto const found = get<item>(out.key);
    if (!found || !*found) return true;
    out.seen = (*found)->glance();
    return more(out);
  });
}

result<std::optional<std::string>> repository::get_bytes(table_id table, std::string_view key) {
  return guarded([&]() -> result<std::optional<std::string>> {
    lmdb::read_transaction const txn{in_->readers};
    auto const found = txn.get(in_->tables[static_cast<std::size_t>(table)], key);
    return found ? std::optional{std::string{*found}} : std::nullopt;
  });
}

result<void> repository::scan_bytes(table_id table, std::string_view prefix, std::string_view from,
                                    std::function<bool(std::string_view, std::string_view)> const& more) {
  std::string start{std::max(prefix, from)};
  for (;;) {
    std::vector<std::pair<std::string, std::string>> step;
    auto const read = guarded([&]() -> result<void> {
      lmdb::read_transaction const txn{in_->readers};
      lmdb::cursor walk{txn, in_->tables[static_cast<std::size_t>(table)]};
      for (auto at = walk.at_or_after(start); at && at->first.starts_with(prefix) && step.size() < scan_step;
           at = walk.next())
        step.emplace_back(at->first, at->second);
      return {};
    });
    if (!read || step.empty()) return read;
    auto const go_on = tell_all(step, more);
    if (!go_on) return go_on.error();
    if (!*go_on) return {};
    start = step.back().first + '\0';
  }
}

result<void> repository::scan_bytes_back(table_id table, std::string_view before,
                                         std::function<bool(std::string_view, std::string_view)> const& more) {
  std::string end{before};
  for (;;) {
    std::vector<std::pair<std::string, std::string>> step;
    auto const read = guarded([&]() -> result<void> {
      lmdb::read_transaction const txn{in_->readers};
      lmdb::cursor walk{txn, in_->tables[static_cast<std::size_t>(table)]};
      auto at = !end.empty() && walk.at_or_after(end) ? walk.previous() : walk.last();
      for (; at && step.size() < scan_step; at = walk.previous()) step.emplace_back(at->first, at->second);
      return {};
    });
    if (!read || step.empty()) return read;
    auto const go_on = tell_all(step, more);
    if (!go_on) return go_on.error();
    if (!*go_on) return {};
    end = step.back().first;
  }
}

void repository::submit(std::unique_ptr<write_operation> operation) {
  if (in_->writing) {
    in_->writing->submit(std::move(operation));
  } else {
    operation->complete(errc::read_only);
  }
}

void repository::settle() {
  static_cast<void>(write([](write_batch&) { return true; }, boost::asio::use_future).get());
}

void repository::when_marked(std::function<void()> ring) {
  if (in_->writing) in_->writing->when_marked(std::move(ring));
}

void repository::note_use(stored_object const& object) {
  if (in_->writing && object.keep == retention::evictable) in_->writing->used(object.ref);
}

void repository::release(std::uint64_t body) {
  if (body != 0 && in_->leases.give_back(body) && in_->writing) in_->writing->reap_soon();
}

void repository::report_damage(object_ref const& ref, std::string reason) {
  if (!in_->writing) return;
  auto task = [ref, reason = std::move(reason)](write_batch& b) { b.quarantine(ref, reason); };
  write(std::move(task), [](result<void> const&) {});
}

result<usage> repository::measure() {
  return guarded([&]() -> result<usage> {
    lmdb::read_transaction const txn{in_->readers};
    usage out{.quota = in_->options.quota, .read_only = in_->options.read_only};
    out.objects = txn.stat(in_->tables[t_objects]).ms_entries;
    out.quarantined = txn.stat(in_->tables[t_quarantine]).ms_entries;
    out.items = txn.stat(in_->tables[t_items]).ms_entries;
    out.search_marks = txn.stat(in_->tables[t_search_marks]).ms_entries;
    out.used_bytes = used_bytes(txn, in_->tables);
    if (auto const saved = txn.get(in_->tables[t_meta], "counters")) {
      auto const numbers = decode<counters>(*saved);
      out.body_bytes = numbers.body_bytes;
      out.evicted = numbers.evicted;
    }
    std::error_code ignored;
    out.file_bytes = std::filesystem::file_size(in_->options.path / "data.mdb", ignored);
    if (in_->writing) {
      out.failure = in_->writing->last_failure();
      out.commits = in_->writing->commits();
    }
    return out;
  });
}

prepared_object repository::prepare(object_head head, std::string body) const {
  auto out = prepare_object(std::move(head), body, in_->seed);
  if (out.record.empty()) out.rest = std::move(body);
  return out;
}

digest repository::url_digest(std::string_view normalised_url) const { return digest_of(normalised_url, in_->seed); }

std::filesystem::path const& repository::path() const { return in_->options.path; }

boost::system::error_code repository::damaged() { return errc::damaged; }

result<void> repository::copy_compact(std::filesystem::path const& target) {
  return guarded([&]() -> result<void> {
    lmdb::expect(mdb_env_copy2(in_->env(), target.c_str(), MDB_CP_COMPACT));
    return {};
  });
}

/// A nested class of the repository's, which a body's reader trusts.
struct repository::internals::lent {
  body_reader const& from;
  std::string_view& behind;

  [[nodiscard]] result<std::size_t> lend(wanted_view wanted, body_lender::taker const& take) const {
    auto const& object = from.object_;
    if (wanted.offset >= object.size) return std::size_t{0};
    wanted.size = static_cast<std::size_t>(std::min<std::uint64_t>(wanted.size, object.size - wanted.offset));
    if (wanted.size == 0) return std::size_t{0};
    if (object.body != 0) return guarded([&] { return lend_chunks(wanted, take); });
    auto const piece = std::string_view{from.small_}.substr(static_cast<std::size_t>(wanted.offset), wanted.size);
    return take({&piece, 1});
  }

  [[nodiscard]] result<std::size_t> lend_chunks(wanted_view wanted, body_lender::taker const& take) const {
    constexpr std::uint64_t long_body = 4u << 20;
    auto& in = *from.repository_->in_;
    std::size_t taken = 0;
    auto const take_some = [&](body_lender::pieces given) {
      auto const before = taken;
      taken += take(given);
      std::size_t all = 0;
      for (auto const piece : given) {
        in.resident.note_lent(piece, from.object_.size > long_body, behind);
        all += piece.size();
      }
      return taken - before == all;
    };
    snapshot const now{in};
    auto const state = now.lend_chunks(from.object_.body, wanted, take_some);
    if (state == body_state::good) return taken;
    auto const why = explain_loss(*from.repository_, now, from.object_, state);
    return taken > 0 ? result<std::size_t>{taken} : why;  // what comes next will fail
  }
};

result<std::size_t> body_lender::lend(std::uint64_t offset, std::size_t most, taker const& take) {
  return repository::internals::lent{from_, behind_}.lend({offset, most}, take);
}

body_reader& body_reader::operator=(body_reader&& other) noexcept {
  std::swap(repository_, other.repository_);
  std::swap(object_, other.object_);
  std::swap(small_, other.small_);
  return *this;
}

body_reader::~body_reader() {
  if (repository_) repository_->release(object_.body);
}

result<std::size_t> body_reader::read(std::uint64_t offset, std::span<char> out) const {
  if (offset >= object_.size) return std::size_t{0};
  out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), object_.size - offset)));
  if (object_.body != 0) return repository_->read_chunks(object_, offset, out);
  std::memcpy(out.data(), small_.data() + offset, out.size());
  return out.size();
}

}  // namespace cistern::store
