#include "store/check.hpp"

#include "store/check_tables.hpp"
#include "store/errc.hpp"
#include "store/internals.hpp"

#include <boost/asio/use_future.hpp>

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace cistern::store {
namespace {

constexpr std::size_t digest_size = 16;
constexpr std::size_t most_lines = 100;

/// What the chunks say of a body, to be held against what its record says.
struct body_facts {
  std::uint64_t size = 0;
  std::uint64_t references = 0;
  std::string digests{};
  bool whole = true;
};

}  // namespace

struct integrity_check::findings {
  check_report report{};
  std::unordered_map<std::uint64_t, body_facts> bodies{};
  std::unordered_map<std::uint64_t, body_record> records{};
  std::map<std::string, object_record> objects{};  // readable ones, by key
  std::unordered_set<std::string> bad_objects{};   // keys
  table_findings tables{};

  void problem(std::string line) {
    ++report.found;
    if (report.problems.size() < most_lines) report.problems.push_back(std::move(line));
  }
};

namespace {

using findings_problem = std::function<void(std::string)>;

/// Reads all chunks in key order, which is the order of bodies and their offsets.
void read_chunks(lmdb::transaction const& txn, table_handles const& tables, std::uint64_t seed,
                 std::unordered_map<std::uint64_t, body_facts>& bodies, check_report& report,
                 findings_problem const& problem, integrity_check::progress const& tell) {
  auto const all = txn.stat(tables[t_chunks]).ms_entries;
  std::uint64_t body = 0;
  std::uint64_t expected = 0;
  lmdb::cursor walk{txn, tables[t_chunks]};
  for (auto at = walk.first(); at; at = walk.next()) {
    auto const number = key_number(at->first);
    if (std::exchange(body, number) != number) expected = 0;
    auto& facts = bodies[number];
    auto const bytes = at->second.size() < digest_size ? std::string_view{} : at->second.substr(digest_size);
    bool const in_order = at->first == chunk_key(number, expected++) && facts.size % chunk_payload == 0;
    bool const good = !bytes.empty() && digest_of(bytes, seed) == digest::from(at->second);
    if (!in_order || !good) {
      facts.whole = false;
      problem("a chunk of body " + std::to_string(number) + (good ? " is missing" : " does not match its checksum"));
    }
    facts.size += bytes.size();
    facts.digests += at->second.substr(0, digest_size);
    report.bytes += bytes.size();
    if (++report.chunks % 1024 == 0 && tell) tell(report.chunks, all);
  }
}

/// A content that leads nowhere would keep the same bytes from ever being stored again.
void check_contents(lmdb::transaction const& txn, table_handles const& tables,
                    std::unordered_map<std::uint64_t, body_record> const& records, findings_problem const& problem) {
  std::uint64_t complete = 0;
  for (auto const& [number, record] : records) {
    if (!record.complete) continue;
    ++complete;
    auto const listed = txn.get(tables[t_contents], record.content.view());
    if (!listed || *listed != number_key(number))
      problem("body " + std::to_string(number) + " cannot be found by its content");
  }
  if (txn.stat(tables[t_contents]).ms_entries > complete)
    problem("the index of contents names bodies that are not there");
}

}  // namespace

void integrity_check::look(findings& out, progress const& tell) {
  auto const& in = *subject_.in_;
  lmdb::read_transaction const txn{subject_.in_->readers};
  auto const problem = [&](std::string line) { out.problem(std::move(line)); };
  read_chunks(txn, in.tables, in.seed, out.bodies, out.report, problem, tell);

  lmdb::cursor bodies{txn, in.tables[t_bodies]};
  for (auto at = bodies.first(); at; at = bodies.next(), ++out.report.bodies) {
    auto const number = key_number(at->first);
    auto& facts = out.bodies[number];
    try {
      auto const record = decode<body_record>(at->second);
      std::string summed = facts.digests;
      append_key(summed, facts.size);
      if (record.size != facts.size) {
        facts.whole = false;
        problem("body " + std::to_string(number) + " has " + std::to_string(facts.size) + " of " +
                std::to_string(record.size) + " bytes");
      } else if (record.complete && facts.whole && digest_of(summed, in.seed) != record.content) {
        facts.whole = false;
        problem("body " + std::to_string(number) + " does not match its digest");
      }
      out.records[number] = record;
    } catch (bad_record const& e) {
      facts.whole = false;
      problem("body " + std::to_string(number) + ": " + e.what());
    }
  }

  std::uint64_t rightly_filed = 0;
  lmdb::cursor objects{txn, in.tables[t_objects]};
  for (auto at = objects.first(); at; at = objects.next(), ++out.report.objects) {
    std::string const key{at->first};
    try {
      auto record = read_object(at->first, at->second);
      auto const& object = record.object;
      auto const known = out.records.find(object.body);
      bool const has_body =
          object.body == 0 ? object.size == 0 : known != out.records.end() && out.bodies[object.body].whole;
      bool const right = digest_of(object.url, in.seed) == object.ref.url;
      rightly_filed += right;
      if (object.body != 0) ++out.bodies[object.body].references;
      if (!right) problem(object.url + " is filed under another URL");
      if (!has_body) problem(object.url + " lacks its body");
      if (has_body && object.body != 0 && known->second.size != object.size)
        problem(object.url + " claims a wrong size");
      if (!right || !has_body || (object.body != 0 && known->second.size != object.size)) out.bad_objects.insert(key);
      if (txn.get(in.tables[t_quarantine], at->first)) {
        if (right && has_body) problem(object.url + " is quarantined");
        out.bad_objects.insert(key);
      }
      out.objects.emplace(key, std::move(record));
    } catch (bad_record const& e) {
      problem(std::string{"an object: "} + e.what());
      out.bad_objects.insert(key);
    }
  }

  for (auto const& [number, record] : out.records)
    if (record.references != out.bodies[number].references)
      problem("body " + std::to_string(number) + " counts " + std::to_string(record.references) +
              " references and has " + std::to_string(out.bodies[number].references));
  for (auto const& [number, facts] : out.bodies)
    if (!out.records.contains(number) && !txn.get(in.tables[t_doomed], number_key(number)))
      problem("the chunks of body " + std::to_string(number) + " belong to nobody");
  std::uint64_t evictables = 0;
  for (auto const& [key, record] : out.objects) {
    bool const evictable = record.object.keep == retention::evictable;
    if (evictable != txn.get(in.tables[t_evictables], evictable_key(record.priority, record.object.ref.id)).has_value())
      problem(record.object.url + " has the wrong place in the eviction order");
    evictables += evictable;
  }
  if (auto const listed = txn.stat(in.tables[t_evictables]).ms_entries; listed > evictables)
    problem("the eviction order names " + std::to_string(listed - evictables) + " objects that are not there");
  check_contents(txn, in.tables, out.records, problem);
  out.tables = look_at_tables(txn, in.tables, in.seed, problem);
  out.report.records = out.tables.records;
  // Digests depend on the repository's seed: when none agrees, it is the seed that is wrong and not the objects.
  out.report.needs_salvage = out.report.objects > 0 && rightly_filed == 0;
}

result<check_report> integrity_check::run(progress const& tell) {
  try {
    findings out;
    look(out, tell);
    return std::move(out.report);
  } catch (lmdb::error const& e) {
    return lmdb::to_error_code(e.code);
  }
}

result<void> integrity_check::repair(check_report& report) {
  auto task = [this](write_batch& batch) {
    findings found;
    look(found, {});
    if (found.report.needs_salvage) throw refused{make_error_code(errc::damaged)};
    auto& state = batch.state_;
    auto& txn = state.open();
    for (auto const table : {t_evictables, t_contents, t_bodies, t_quarantine, t_doomed})
      lmdb::expect(mdb_drop(txn.handle(), state.tables[table], 0));
    for (auto const& key : found.bad_objects) txn.erase(state.tables[t_objects], key);

    std::unordered_map<std::uint64_t, std::uint64_t> references;
    for (auto& [key, record] : found.objects) {
      if (found.bad_objects.contains(key)) continue;
      if (record.object.body != 0) ++references[record.object.body];
      save_object(state, record);
    }
    state.numbers.body_bytes = 0;
    for (auto const& [number, facts] : found.bodies) {
      auto const wanted = references.find(number);
      if (wanted == references.end()) {
        lmdb::cursor walk{txn, state.tables[t_chunks]};
        auto const prefix = number_key(number);
        for (auto at = walk.at_or_after(prefix); at && at->first.starts_with(prefix); at = walk.next()) walk.erase();
        continue;
      }
      auto record = found.records.at(number);
      record.references = wanted->second;
      txn.put(state.tables[t_bodies], number_key(number), encode(record));
      if (record.complete) txn.put(state.tables[t_contents], record.content.view(), number_key(number));
      state.numbers.body_bytes += record.size;
    }
    repair_tables(txn, state.tables, found.tables);
    return static_cast<std::uint64_t>(found.bad_objects.size() + found.tables.bad.size());
  };
  auto const gone = subject_.write(std::move(task), boost::asio::use_future).get();
  if (!gone) return gone.error();
  report.repaired = *gone;
  return {};
}

}  // namespace cistern::store
