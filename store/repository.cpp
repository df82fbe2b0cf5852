#include "store/repository.hpp"

#include "store/environment.hpp"
#include "store/errc.hpp"
#include "store/internals.hpp"
#include "store/url.hpp"

#include <boost/asio/use_future.hpp>

#include <algorithm>
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
    return lmdb::to_error_code(e.code);
  } catch (bad_record const&) {
    return make_error_code(errc::damaged);
  }
}

/// The first object of a URL, newest first, that is complete, not quarantined, and wanted.
std::optional<stored_object> select(lmdb::read_transaction const& txn, table_handles const& tables, digest const& where,
                                    std::string_view url, repository::chooser const& wanted) {
  auto const prefix = where.view();
  lmdb::cursor walk{txn, tables[t_objects]};
  for (auto at = walk.at_or_after(prefix); at && at->first.starts_with(prefix); at = walk.next()) {
    auto record = read_object(at->first, at->second);
    auto& object = record.object;
    if (!object.complete || object.url != url || (wanted && !wanted(object))) continue;
    if (txn.get(tables[t_quarantine], at->first)) continue;
    return std::move(object);
  }
  return std::nullopt;
}

enum class chunk_state { good, missing, bad };

/// Copies what of a chunk lies behind `skip` and shortens `out` by it, when the whole chunk matches its checksum. A
/// chunk that is wanted whole is copied first and checked where it then lies, in the nearest cache.
bool copy_chunk(std::string_view value, std::uint64_t seed, std::size_t skip, std::span<char>& out) {
  auto const stored = value.size() < digest_size ? std::string_view{} : value.substr(digest_size);
  if (stored.size() <= skip) return false;
  auto const part = stored.substr(skip, out.size());
  std::memcpy(out.data(), part.data(), part.size());
  auto const to_check = part.size() == stored.size() ? std::string_view{out.data(), part.size()} : stored;
  if (digest_of(to_check, seed) != digest::from(value)) return false;
  out = out.subspan(part.size());
  return true;
}

/// Copies what lies inside [offset, …) of one body. Whole chunks are checked before they count.
chunk_state copy_chunks(lmdb::read_transaction const& txn, table_handles const& tables, std::uint64_t seed,
                        stored_object const& object, std::uint64_t offset, std::span<char> out) {
  if (out.empty()) return chunk_state::good;
  auto index = offset / chunk_payload;
  auto skip = static_cast<std::size_t>(offset % chunk_payload);
  if (skip + out.size() <= chunk_payload) {  // most objects: saves the cursor
    auto const only = txn.get(tables[t_chunks], chunk_key(object.body, index));
    if (!only) return chunk_state::missing;
    return copy_chunk(*only, seed, skip, out) && out.empty() ? chunk_state::good : chunk_state::bad;
  }
  lmdb::cursor walk{txn, tables[t_chunks]};
  auto at = walk.at_or_after(chunk_key(object.body, index));
  while (!out.empty()) {
    if (!at || at->first != chunk_key(object.body, index)) return chunk_state::missing;
    if (!copy_chunk(at->second, seed, skip, out)) return chunk_state::bad;
    skip = 0;
    ++index;
    if (!out.empty()) at = walk.next();
  }
  return chunk_state::good;
}

}  // namespace

repository::repository(repository_options const& options) : in_{std::make_unique<internals>(options)} {}
repository::~repository() = default;

result<std::optional<stored_object>> repository::find(std::string_view url, chooser const& wanted) {
  std::string unused;
  return find_with_body(url, wanted, 0, unused);
}

result<std::optional<stored_object>> repository::find_with_body(std::string_view url, chooser const& wanted,
                                                                std::size_t most, std::string& body) {
  using answer = result<std::optional<stored_object>>;
  return guarded([&]() -> answer {
    auto const where = digest_of(url, in_->seed);
    in_->note_read(0);
    lmdb::read_transaction const txn{in_->readers};
    auto found = select(txn, in_->tables, where, url, wanted);
    if (!found || found->size > most) {
      body.clear();
      return found;
    }
    body.resize(found->size);  // what it held is overwritten: clearing it first would fill it with zeros
    if (copy_chunks(txn, in_->tables, in_->seed, *found, 0, body) == chunk_state::good) return found;
    body.clear();
    report_damage(found->ref, "a chunk does not match its checksum");
    return std::optional<stored_object>{};
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
  if (object.body != 0 && !in_->leases.take(object.body)) return make_error_code(errc::gone);
  return body_reader{*this, object};
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
    if (offset >= object.size) return std::size_t{0};
    out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), object.size - offset)));
    in_->note_read(out.size());
    lmdb::read_transaction const txn{in_->readers};
    switch (copy_chunks(txn, in_->tables, in_->seed, object, offset, out)) {
      case chunk_state::good:
        return out.size();
      case chunk_state::missing:
        if (!txn.get(in_->tables[t_objects], object_key(object.ref))) return make_error_code(errc::gone);
        report_damage(object.ref, "a chunk is missing");
        return make_error_code(errc::damaged);
      case chunk_state::bad:
        break;
    }
    report_damage(object.ref, "a chunk does not match its checksum");
    return make_error_code(errc::damaged);
  });
}

result<void> repository::each_object(std::function<bool(stored_object const&)> const& more) {
  std::string from;
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

result<void> repository::scan_items_since(std::chrono::sys_seconds since,
                                          std::function<bool(item const&)> const& more) {
  item const first{.first_seen = since};
  auto const from = first.time_key().substr(0, 8);
  return scan_bytes(table_id::items_by_time, {}, from, [&](std::string_view key, std::string_view) {
    auto const found = get<item>(key.substr(8));
    return !found || !*found || more(**found);
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
    bool go_on = true;
    auto const told = guarded([&]() -> result<void> {
      for (auto const& [key, value] : step)
        if (go_on && !more(key, value)) go_on = false;
      return {};
    });
    if (!told || !go_on) return told;
    start = step.back().first + '\0';
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

digest repository::url_digest(std::string_view normalised_url) const { return digest_of(normalised_url, in_->seed); }

std::filesystem::path const& repository::path() const { return in_->options.path; }

boost::system::error_code repository::damaged() { return errc::damaged; }

result<void> repository::copy_compact(std::filesystem::path const& target) {
  return guarded([&]() -> result<void> {
    lmdb::expect(mdb_env_copy2(in_->env(), target.c_str(), MDB_CP_COMPACT));
    return {};
  });
}

body_reader& body_reader::operator=(body_reader&& other) noexcept {
  std::swap(repository_, other.repository_);
  std::swap(object_, other.object_);
  return *this;
}

body_reader::~body_reader() {
  if (repository_) repository_->release(object_.body);
}

result<std::size_t> body_reader::read(std::uint64_t offset, std::span<char> out) const {
  return repository_->read_chunks(object_, offset, out);
}

}  // namespace cistern::store
