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
  digest fold{};
  bool whole = true;
};

}  // namespace

struct integrity_check::findings {
  check_report report{};
  std::unordered_map<std::uint64_t, body_facts> bodies{};
  std::unordered_map<std::uint64_t, body_record> records{};
  std::map<std::string, std::uint64_t> objects{};  // readable ones by key, and the body of each
  std::map<std::string, digest> inside{};          // sound bodies that lie in their objects, by key
  std::unordered_set<std::string> bad_objects{};   // keys
  std::uint64_t evictables = 0;
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
    facts.fold = fold_chunk(facts.fold, digest::from(at->second), seed);
    report.bytes += bytes.size();
    if (++report.chunks % 1024 == 0 && tell) tell(report.chunks, all);
  }
}

/// A content that leads nowhere would keep the same bytes from ever being stored again.
void check_contents(lmdb::transaction const& txn, table_handles const& tables,
                    std::unordered_map<std::uint64_t, body_record> const& records,
                    std::map<std::string, digest> const& inside, findings_problem const& problem) {
  std::uint64_t complete = 0;
  for (auto const& [number, record] : records) {
    if (!record.complete) continue;
    ++complete;
    auto const listed = txn.get(tables[t_contents], record.content.view());
    if (!listed || *listed != number_key(number))
      problem("body " + std::to_string(number) + " cannot be found by its content");
  }
  for (auto const& [key, content] : inside) complete += txn.get(tables[t_contents], content.view()) == key;
  if (txn.stat(tables[t_contents]).ms_entries > complete)
    problem("the index of contents names bodies that are not there");
}

/// Every object has a standing, and those that nobody needs have the place among the evictables that it says.
void check_standing(lmdb::transaction const& txn, table_handles const& tables, stored_object const& object,
                    std::uint64_t& evictables, findings_problem const& problem) {
  auto const found = txn.get(tables[t_standings], number_key(object.ref.id));
  if (!found) return problem(object.url + " has no standing");
  auto const place = evictable_key(decode<standing>(*found).priority, object.ref.id);
  bool const evictable = object.keep == retention::evictable;
  evictables += evictable;
  if (evictable != txn.get(tables[t_evictables], place).has_value())
    problem(object.url + " has the wrong place in the eviction order");
}

/// Those that can be read.
std::unordered_map<std::uint64_t, std::uint64_t> known_uses(lmdb::transaction const& txn, table_handles const& tables) {
  std::unordered_map<std::uint64_t, std::uint64_t> out;
  lmdb::cursor walk{txn, tables[t_standings]};
  for (auto at = walk.first(); at; at = walk.next()) {
    try {
      out[key_number(at->first)] = decode<standing>(at->second).uses;
    } catch (bad_record const&) {
    }
  }
  return out;
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
      if (record.size != facts.size) {
        facts.whole = false;
        problem("body " + std::to_string(number) + " has " + std::to_string(facts.size) + " of " +
                std::to_string(record.size) + " bytes");
      } else if (record.complete && facts.whole && seal_content(facts.fold, facts.size, in.seed) != record.content) {
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
      auto const record = read_object(at->first, at->second);
      auto const& object = record.object;
      auto const known = out.records.find(object.body);
      bool has_body = object.body == 0 || (known != out.records.end() && out.bodies[object.body].whole);
      if (record.has_body_inside()) {
        has_body = sound_inside(record, in.seed) && object.complete &&
                   content_of_one(record.check, object.size, in.seed) == object.content;
        if (has_body) out.inside.emplace(key, object.content);
        if (!has_body) problem("the body of " + object.url + " does not match its checksum");
        ++out.report.bodies;
        out.report.bytes += record.bytes.size();
      }
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
      check_standing(txn, in.tables, object, out.evictables, problem);
      out.objects.emplace(key, object.body);
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
  if (auto const listed = txn.stat(in.tables[t_evictables]).ms_entries; listed > out.evictables)
    problem("the eviction order names " + std::to_string(listed - out.evictables) + " objects that are not there");
  if (txn.stat(in.tables[t_standings]).ms_entries > out.report.objects)
    problem("there are standings of objects that are not there");
  check_contents(txn, in.tables, out.records, out.inside, problem);
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
    auto const uses = known_uses(txn, state.tables);
    for (auto const table : {t_evictables, t_standings, t_contents, t_bodies, t_quarantine, t_doomed})
      lmdb::expect(mdb_drop(txn.handle(), state.tables[table], 0));
    for (auto const& key : found.bad_objects) txn.erase(state.tables[t_objects], key);

    std::unordered_map<std::uint64_t, std::uint64_t> references;
    state.numbers.body_bytes = 0;
    for (auto const& [key, body] : found.objects) {
      if (found.bad_objects.contains(key)) continue;
      if (body != 0) ++references[body];
      auto const object = read_object(key, txn.get(state.tables[t_objects], key).value()).object;
      auto const used = uses.find(object.ref.id);
      rank(state, object, used == uses.end() ? 0 : used->second);
      if (body != 0 || object.size == 0) continue;
      txn.put(state.tables[t_contents], object.content.view(), key);
      state.numbers.body_bytes += object.size;
    }
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
