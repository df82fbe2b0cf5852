#include "store/salvage.hpp"

#include "store/check.hpp"
#include "store/durable_file.hpp"
#include "store/environment.hpp"
#include "store/raw_pages.hpp"
#include "store/seed_file.hpp"
#include "store/write_state.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <system_error>

namespace cistern::store {
namespace {

constexpr std::size_t digest_size = 16;
constexpr std::uint64_t transaction_bytes = 32u << 20;

std::optional<object_record> readable_object(std::string_view key, std::string_view value) {
  if (key.size() != digest_size + 8) return std::nullopt;
  try {
    return read_object(key, value);
  } catch (bad_record const&) {
    return std::nullopt;
  }
}

/// Without the seed no checksum can be verified, and a damaged one would condemn everything: so of all the seeds on any
/// page, however old, and the one that was saved beside the file, the one that most objects agree with is taken.
std::uint64_t find_seed(std::filesystem::path const& file) {
  std::map<std::uint64_t, std::uint64_t> votes;
  if (auto const saved = saved_seed(file.parent_path()); saved && raw_pages{file}.has_meta()) votes[*saved] = 0;
  raw_pages{file}.strays([&](std::string_view key, std::string_view value) {
    if (key == "seed" && value.size() == 8) ++votes[key_number(value)];
  });
  if (votes.size() > 1)
    raw_pages{file}.strays([&](std::string_view key, std::string_view value) {
      auto const record = readable_object(key, value);
      if (!record) return;
      for (auto& [seed, count] : votes) count += digest_of(record->object.url, seed) == record->object.ref.url;
    });
  auto const best = std::max_element(votes.begin(), votes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  if (best == votes.end())
    throw damaged_error{file.string() +
                        " holds nothing that can be saved; restore it from a copy, or move it away to start anew"};
  return best->first;
}

/// A new environment that is filled record by record, in transactions of a bounded size.
class fresh_copy {
public:
  fresh_copy(repository_options const& options, std::uint64_t seed)
      : opened_{open_environment(options, current_format, migrations())}, seed_{seed} {
    put(t_meta, "seed", number_key(seed));
  }

  void put(std::size_t table, std::string_view key, std::string_view value) {
    if (key.empty() || key.size() > 511) return;
    if (!txn_) txn_.emplace(opened_.env.get());
    txn_->put(opened_.tables[table], key, value);
    pending_ += key.size() + value.size();
    if (pending_ > transaction_bytes) commit();
  }
  [[nodiscard]] std::optional<std::string_view> get(std::size_t table, std::string_view key) {
    if (!txn_) txn_.emplace(opened_.env.get());
    return txn_->get(opened_.tables[table], key);
  }
  void commit() {
    if (txn_) txn_->commit();
    txn_.reset();
    pending_ = 0;
  }

  void object(std::string_view key, std::string_view value) {
    auto const record = readable_object(key, value);
    if (!record || digest_of(record->object.url, seed_) != record->object.ref.url) return;
    if (record->has_body_inside() && !sound_inside(*record, seed_)) {
      unsound_.emplace(key);  // an older state of it may still be found
      return;
    }
    if (auto const known = get(t_objects, key)) {
      auto const other = readable_object(key, *known);
      if (other && (other->object.complete || other->object.size >= record->object.size)) return;
    }
    note_number(record->object.ref.id);
    note_number(record->object.body);
    put(t_objects, key, value);
  }
  /// Of two states of the last chunk of a download, the longer is the later one.
  void chunk(std::string_view key, std::string_view value) {
    if (key.size() != 12 || value.size() <= digest_size || value.size() > chunk_value) return;
    if (digest_of(value.substr(digest_size), seed_) != digest::from(value)) return;
    if (auto const known = get(t_chunks, key); known && known->size() >= value.size()) return;
    note_number(key_number(key));
    put(t_chunks, key, value);
  }
  /// A record that decodes and belongs under its key; nothing otherwise.
  template <table_record T>
  std::optional<T> record(std::string_view key, std::string_view value) {
    try {
      auto decoded = decode<T>(value);
      if (decoded.key() != key) return std::nullopt;
      put(static_cast<std::size_t>(T::table), key, value);
      ++records;
      return decoded;
    } catch (bad_record const&) {
      return std::nullopt;
    }
  }
  void note_number(std::uint64_t number) { next_number_ = std::max(next_number_, number + 1); }
  void keep_counters(std::string_view value) {
    try {
      numbers_ = decode<counters>(value);
    } catch (bad_record const&) {
      return;
    }
  }
  void save_counters() {
    numbers_.next_id = std::max(numbers_.next_id, next_number_);
    put(t_meta, "counters", encode(numbers_));
  }

  /// What the chunks say is what a body is; objects that say otherwise are counted in `lost` and left to the repair.
  void build_bodies();
  std::uint64_t records = 0;
  std::uint64_t lost = 0;
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

private:
  struct chunk_sum {
    std::uint64_t size = 0;
    digest content{};
    digest fold{};  // of the full chunks
  };
  [[nodiscard]] chunk_sum sum_of(std::uint64_t body);

  opened_environment opened_;
  std::optional<lmdb::write_transaction> txn_;
  std::uint64_t seed_;
  std::uint64_t pending_ = 0;
  std::uint64_t next_number_ = 1;
  counters numbers_{};
  std::set<std::string, std::less<>> unsound_;
};

fresh_copy::chunk_sum fresh_copy::sum_of(std::uint64_t body) {
  chunk_sum out;
  digest fold;
  for (std::uint64_t index = 0;; ++index) {
    auto const found = get(t_chunks, chunk_key(body, index));
    if (!found || out.size % chunk_payload != 0) break;
    fold = fold_chunk(fold, digest::from(*found), seed_);
    out.size += found->size() - digest_size;
    if (out.size % chunk_payload == 0) out.fold = fold;
  }
  out.content = seal_content(fold, out.size, seed_);
  return out;
}

void fresh_copy::build_bodies() {
  for (auto const& key : unsound_) lost += !get(t_objects, key);
  commit();
  std::vector<std::string> keys;
  {
    lmdb::write_transaction const look{opened_.env.get()};
    lmdb::cursor walk{look, opened_.tables[t_objects]};
    for (auto at = walk.first(); at; at = walk.next()) keys.emplace_back(at->first);
  }
  for (auto const& key : keys) {
    auto record = readable_object(key, get(t_objects, key).value());
    auto& object = record.value().object;
    if (object.body == 0) continue;
    auto const sum = sum_of(object.body);
    if (object.complete && (sum.size != object.size || sum.content != object.content)) {
      ++lost;
      continue;
    }
    object.size = sum.size;
    put(t_objects, key, encode(*record));
    body_record const body{
        .size = sum.size, .references = 1, .complete = object.complete, .content = object.content, .fold = sum.fold};
    put(t_bodies, number_key(object.body), encode(body));
  }
  commit();
}

void copy_records(raw_pages& from, fresh_copy& to) {
  auto const walk = [&](std::size_t table, raw_pages::visitor const& visit) { from.table(table_names[table], visit); };
  walk(t_subscriptions, [&](std::string_view key, std::string_view value) {
    if (auto const kept = to.record<subscription>(key, value)) to.note_number(kept->id);
  });
  walk(t_jobs, [&](std::string_view key, std::string_view value) {
    auto const kept = to.record<job>(key, value);
    if (!kept) return;
    to.note_number(kept->id);
    auto const where = digest_of(kept->url, to.seed());
    to.put(t_job_urls, where.view(), key);
  });
  walk(t_items, [&](std::string_view key, std::string_view value) {
    if (auto const kept = to.record<item>(key, value))
      to.put(t_items_by_time, kept->time_key(), encode(kept->glance()));
  });
  walk(t_templates, [&](std::string_view key, std::string_view value) { to.record<page_template>(key, value); });
  walk(t_journal, [&](std::string_view key, std::string_view value) {
    if (auto const kept = to.record<journal_entry>(key, value)) to.note_number(kept->sequence);
  });
  walk(t_ledger, [&](std::string_view key, std::string_view value) { to.record<ledger_entry>(key, value); });
  walk(t_settings, [&](std::string_view key, std::string_view value) {
    if (key != search_state_name) to.record<setting>(key, value);  // without it the search index is built anew
  });
  walk(t_standings, [&](std::string_view key, std::string_view value) { to.put(t_standings, key, value); });
  walk(t_meta, [&](std::string_view key, std::string_view value) {
    if (key == "counters") to.keep_counters(value);
  });
}

void copy_objects(raw_pages& from, fresh_copy& to) {
  auto const object = [&](std::string_view key, std::string_view value) { to.object(key, value); };
  auto const chunk = [&](std::string_view key, std::string_view value) { to.chunk(key, value); };
  bool const objects_whole = from.table(table_names[t_objects], object);
  bool const chunks_whole = from.table(table_names[t_chunks], chunk);
  if (objects_whole && chunks_whole) return;
  from.strays([&](std::string_view key, std::string_view value) {
    object(key, value);
    chunk(key, value);
  });
}

salvage_report fill(repository_options const& options, std::filesystem::path const& damaged) {
  salvage_report out;
  {
    fresh_copy fresh{options, find_seed(damaged)};
    raw_pages from{damaged};
    copy_records(from, fresh);
    copy_objects(from, fresh);
    fresh.save_counters();
    fresh.build_bodies();
    out.records = fresh.records;
    out.lost = fresh.lost;
  }
  repository saved{options};
  integrity_check check{saved};
  check_report ignored;
  check.repair(ignored).value();
  auto const report = check.run().value();
  if (!report.clean()) throw open_error{"the saved copy is not in order: " + report.problems.front()};
  out.objects = report.objects;
  out.bytes = report.bytes;
  return out;
}

std::filesystem::path free_name(std::filesystem::path const& file) {
  auto out = file;
  out += ".damaged";
  for (int n = 2; std::filesystem::exists(out); ++n) {
    out = file;
    out += ".damaged-" + std::to_string(n);
  }
  return out;
}

}  // namespace

void refuse_if_in_use(std::filesystem::path const& folder) {
  if (!std::filesystem::exists(folder)) return;
  process_lock const probe{folder};
}

salvage_report salvage(repository_options const& options) {
  process_lock const lock{options.path};
  auto const file = options.path / "data.mdb";
  scratch_folder const scratch{options.path / "salvage"};
  auto fresh = options;
  fresh.path = scratch.path();
  fresh.read_only = false;
  try {
    auto out = fill(fresh, file);
    out.damaged_file = free_name(file);
    std::filesystem::create_hard_link(file, out.damaged_file);
    replace_durably(scratch.path() / "data.mdb", file);
    return out;
  } catch (lmdb::error const& e) {
    // A write that the disk had room for only in part reaches us as EIO.
    throw open_error{"the copy could not be written: " + (e.code == EIO ? "the disk is full or failing; free some space"
                                                                        : lmdb::to_error_code(e.code).message())};
  } catch (std::system_error const& e) {
    throw open_error{std::string{"the copy could not be made: "} + e.what()};
  } catch (boost::system::system_error const& e) {
    throw open_error{std::string{"the copy could not be made: "} + e.what()};
  }
}

}  // namespace cistern::store
