#include "store/write_batch.hpp"
#include "store/write_state.hpp"

#include <algorithm>

namespace cistern::store {
namespace {

MDB_dbi handle(write_state const& state, table_id table) { return state.tables[static_cast<std::size_t>(table)]; }

/// Marks of what was read and of what has arrived change an item often, what a search finds of it seldom.
bool reads_the_same(item const& a, item const& b) {
  return a.title == b.title && a.link == b.link && a.summary == b.summary && a.content == b.content &&
         a.author == b.author && a.categories == b.categories && a.published == b.published &&
         a.first_seen == b.first_seen;
}

}  // namespace

void write_batch::put_bytes(table_id table, std::string_view key, std::string_view value) {
  if (table == table_id::settings) state_.indexed.reset();
  state_.open().put(handle(state_, table), key, value);
}

std::optional<std::string> write_batch::get_bytes(table_id table, std::string_view key) {
  auto const found = state_.open().get(handle(state_, table), key);
  return found ? std::optional{std::string{*found}} : std::nullopt;
}

bool write_batch::erase_bytes(table_id table, std::string_view key) {
  if (table == table_id::settings) state_.indexed.reset();
  return state_.open().erase(handle(state_, table), key);
}

std::uint64_t write_batch::next_id() { return state_.numbers.next_id++; }

std::uint64_t write_batch::enqueue(job wanted) {
  auto const where = digest_of(wanted.url, state_.seed);
  if (auto const known = get_bytes(table_id::job_urls, where.view())) {
    if (auto present = get<job>(*known)) {
      for (auto& owner : wanted.owners)
        if (std::find(present->owners.begin(), present->owners.end(), owner) == present->owners.end())
          present->owners.push_back(std::move(owner));
      present->priority = std::min(present->priority, wanted.priority);
      put(*present);
      return present->id;
    }
  }
  wanted.id = next_id();
  put(wanted);
  put_bytes(table_id::job_urls, where.view(), wanted.key());
  return wanted.id;
}

bool write_batch::finish_job(std::uint64_t id) {
  auto const present = get<job>(number_key(id));
  if (!present) return false;
  auto const where = digest_of(present->url, state_.seed);
  erase_bytes(table_id::job_urls, where.view());
  return erase<job>(present->key());
}

void write_batch::put_item(item const& value) {
  auto const before = get<item>(value.key());
  if (before && before->time_key() != value.time_key()) erase_bytes(table_id::items_by_time, before->time_key());
  if (!before || !reads_the_same(*before, value)) mark_for_search(state_, value);
  put(value);
  put_bytes(table_id::items_by_time, value.time_key(), encode(value.glance()));
}

bool write_batch::erase_item(item const& value) {
  mark_for_search(state_, value);
  erase_bytes(table_id::items_by_time, value.time_key());
  return erase<item>(value.key());
}

std::uint64_t write_batch::add_journal(journal_entry entry) {
  entry.sequence = next_id();
  put(entry);
  return entry.sequence;
}

void write_batch::charge(ledger_entry const& bytes) {
  auto sum = bytes;
  if (auto const before = get<ledger_entry>(bytes.key())) {
    sum.received += before->received;
    sum.sent += before->sent;
    sum.saved += before->saved;
    sum.requests += before->requests;
  }
  put(sum);
}

}  // namespace cistern::store
