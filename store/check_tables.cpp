#include "store/check_tables.hpp"

#include "store/tables.hpp"

namespace cistern::store {
namespace {

using teller = std::function<void(std::string)>;

template <table_record T, class Each>
void read_table(lmdb::transaction const& txn, table_handles const& tables, table_findings& out, teller const& problem,
                Each each) {
  auto const table = static_cast<table_index>(T::table);
  lmdb::cursor walk{txn, tables[table]};
  for (auto at = walk.first(); at; at = walk.next(), ++out.records) {
    try {
      auto const record = decode<T>(at->second);
      if (record.key() != at->first) throw bad_record{"a record is filed under another key"};
      each(record);
    } catch (bad_record const& e) {
      problem(std::string{"a record of the table "} + table_names[table] + ": " + e.what());
      out.bad.emplace_back(table, at->first);
    }
  }
}

/// As many entries as there should be, and each of those there: then they are the same.
void compare_index(std::size_t wrong, std::size_t expected, std::size_t present, char const* name,
                   teller const& problem) {
  if (wrong != 0 || expected != present)
    problem(std::string{"the index "} + name + " does not match what it is made from");
}

}  // namespace

table_findings look_at_tables(lmdb::transaction const& txn, table_handles const& tables, std::uint64_t seed,
                              teller const& problem) {
  table_findings out;
  auto const nothing = [](auto const&) {};
  std::size_t wrong = 0;
  read_table<job>(txn, tables, out, problem, [&](job const& j) {
    auto const where = digest_of(j.url, seed);
    out.job_urls.emplace_back(where.view(), j.key());
    wrong += txn.get(tables[t_job_urls], where.view()) != out.job_urls.back().second;
  });
  compare_index(wrong, out.job_urls.size(), txn.stat(tables[t_job_urls]).ms_entries, "job_urls", problem);
  wrong = 0;
  read_table<item>(txn, tables, out, problem, [&](item const& i) {
    out.item_times.push_back(i.time_key());
    wrong += !txn.get(tables[t_items_by_time], out.item_times.back());
  });
  compare_index(wrong, out.item_times.size(), txn.stat(tables[t_items_by_time]).ms_entries, "items_by_time", problem);
  read_table<subscription>(txn, tables, out, problem, nothing);
  read_table<page_template>(txn, tables, out, problem, nothing);
  read_table<journal_entry>(txn, tables, out, problem, nothing);
  read_table<ledger_entry>(txn, tables, out, problem, nothing);
  read_table<setting>(txn, tables, out, problem, nothing);
  read_table<search_mark>(txn, tables, out, problem, nothing);
  return out;
}

void repair_tables(lmdb::write_transaction& txn, table_handles const& tables, table_findings const& found) {
  for (auto const& [table, key] : found.bad) txn.erase(tables[table], key);
  for (auto const table : {t_job_urls, t_items_by_time}) lmdb::expect(mdb_drop(txn.handle(), tables[table], 0));
  for (auto const& [where, key] : found.job_urls) txn.put(tables[t_job_urls], where, key);
  for (auto const& key : found.item_times) txn.put(tables[t_items_by_time], key, {});
  txn.erase(tables[t_settings], search_state_name);  // what went was not marked: the search index is built anew
}

}  // namespace cistern::store
