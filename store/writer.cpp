#include "store/writer.hpp"

#include "store/errc.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cistern::store {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t batch_bytes = 8u << 20;  // one transaction; keeps a sync, and so a caller's wait, short
constexpr std::size_t batch_operations = 1024;
constexpr std::uint64_t reserve_bytes = 2u << 20;  // always left in the map, so that eviction itself never lacks pages
constexpr std::size_t eviction_step = 512;         // objects a transaction
constexpr std::size_t uses_kept = 4096;
constexpr std::chrono::steady_clock::duration longest_gathering = 1ms;
constexpr int gathering_share = 4;   // of the last commit's time
constexpr auto uses_interval = 60s;  // reading must not keep a disk or an SD card busy

/// What an operation may take of the file, about.
std::uint64_t weight(write_operation const& operation) { return operation.cost + page_size; }

template <class Batch>
std::uint64_t weight_of_all(Batch const& operations) {
  std::uint64_t sum = 0;
  for (auto const& operation : operations) sum += weight(*operation);
  return sum;
}

}  // namespace

writer::writer(MDB_env* env, lmdb::reader_pool& readers, table_handles const& tables, body_leases& leases,
               std::atomic<bool>& quarantined, writer_limits limits)
    : env_{env},
      readers_{readers},
      limits_{limits},
      state_{.tables = tables, .leases = leases, .quarantined = quarantined, .marking = limits.search_marks} {
  lmdb::write_transaction txn{env};
  state_.seed = key_number(txn.get(tables[t_meta], "seed").value());
  if (auto const saved = txn.get(tables[t_meta], "counters")) state_.numbers = decode<counters>(*saved);
  quarantined = txn.stat(tables[t_quarantine]).ms_entries > 0;
  state_.txn = &txn;
  reap_doomed(state_);
  leases.settle();
  commit(txn);
  thread_ = std::thread{[this] { loop(); }};
}

writer::~writer() {
  {
    std::scoped_lock const lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void writer::submit(std::unique_ptr<write_operation> operation) {
  bool enough = false;
  {
    std::scoped_lock const lock{mutex_};
    if (!stopping_) waiting_.push_back(std::move(operation));
    enough = waiting_.size() >= enough_;
  }
  if (operation) {
    operation->complete(errc::closed);
  } else if (enough) {
    wake_.notify_one();
  }
}

void writer::used(object_ref const& ref) {
  std::unique_lock const lock{uses_mutex_, std::try_to_lock};
  if (lock && uses_.size() < uses_kept) uses_.push_back(ref);
}

void writer::reap_soon() {
  {
    std::scoped_lock const lock{mutex_};
    reap_ = true;
  }
  wake_.notify_one();
}

void writer::every_second(std::function<void()> chore) {
  std::scoped_lock const lock{mutex_};
  chore_ = std::move(chore);
}

void writer::when_marked(std::function<void()> ring) {
  std::scoped_lock const lock{ring_mutex_};
  ring_ = std::move(ring);
}

boost::system::error_code writer::last_failure() const {
  std::scoped_lock const lock{failure_mutex_};
  return failure_;
}

void writer::loop() {
  for (;;) {
    auto operations = take_batch();
    bool const quiet = operations.empty();
    auto const begun = std::chrono::steady_clock::now();
    auto const count = quiet ? 0 : execute(std::move(operations));
    auto const now = std::chrono::steady_clock::now();
    note_commit(count, now - begun);
    if (!quiet && now - chores_done_ < 1s) continue;
    chores_done_ = now;
    chores();
    std::scoped_lock const lock{mutex_};
    if (quiet && stopping_ && waiting_.empty()) return;
  }
}

void writer::note_commit(std::size_t operations, std::chrono::steady_clock::duration took) {
  std::scoped_lock const lock{mutex_};
  expected_ = std::min(operations + waiting_.size(), batch_operations);
  patience_ = std::min(took / gathering_share, longest_gathering);
}

writer::batch writer::take_batch() {
  batch out;
  std::unique_lock lock{mutex_};
  wake_.wait_for(lock, 1s, [&] { return stopping_ || reap_ || !waiting_.empty(); });
  auto bytes = most_at_once();
  take_waiting(out, bytes);
  return out;
}

/// Many that fit one by one must not be refused together: under a small quota a batch is a small part of it.
std::uint64_t writer::most_at_once() const { return std::min<std::uint64_t>(batch_bytes, limits_.quota / 8); }

/// The first one of a batch whatever it weighs, others as long as there are `bytes` left.
void writer::take_waiting(batch& into, std::uint64_t& bytes) {
  while (!waiting_.empty() && into.size() < batch_operations) {
    auto const next = weight(*waiting_.front());
    if (!into.empty() && next > bytes) return;
    bytes -= std::min(bytes, next);
    into.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

/// Whoever writes alone waits for nobody: only as many are expected as were there a moment ago. Being woken costs more
/// than an operation does, so several are waited for at a time.
bool writer::join(batch& operations, gathering& late) {
  constexpr std::size_t steps = 4;
  if (std::chrono::steady_clock::now() >= late.until) return false;
  std::unique_lock lock{mutex_};
  if (waiting_.empty() && operations.size() < expected_) {
    enough_ = std::max<std::size_t>((expected_ - operations.size()) / steps, 1);
    wake_.wait_until(lock, late.until, [&] { return stopping_ || waiting_.size() >= enough_; });
    enough_ = 1;
  }
  auto const before = operations.size();
  take_waiting(operations, late.bytes);
  return operations.size() > before;
}

std::size_t writer::execute(batch operations) {
  auto const cost = static_cast<std::int64_t>(weight_of_all(operations));
  auto const fitting = make_room(cost);
  bool const fits = fitting >= cost;
  if (!fits) refuse_large(operations);
  gathering late;
  if (fits) {
    late.until = std::chrono::steady_clock::now() + patience_;
    late.bytes = std::min(most_at_once(), static_cast<std::uint64_t>(fitting));
    late.bytes -= std::min(late.bytes, weight_of_all(operations));
  }
  auto why_not = try_commit(operations, late);
  if (why_not && !operations.empty() && !relieve(weight_of_all(operations))) why_not = try_commit(operations, {});
  auto const count = operations.size();
  if (why_not && count > 1) {
    for (auto& operation : operations) {  // who does not fit must not keep the others out
      batch alone;
      alone.push_back(std::move(operation));
      auto const alone_why_not = try_commit(alone, {});
      if (alone.empty()) continue;
      note_outcome(alone_why_not);
      alone.front()->complete(alone_why_not);
    }
    return count;
  }
  if (fits) note_outcome(why_not);
  for (auto const& operation : operations) operation->complete(why_not);
  return count;
}

/// Nothing may be evicted: bodies stay out, but the small facts (queue, ledger, read marks) still go in.
void writer::refuse_large(batch& operations) {
  std::erase_if(operations, [this](auto& operation) {
    if (operation->cost < page_size) return false;
    note_outcome(errc::store_full);
    operation->complete(errc::store_full);
    return true;
  });
}

boost::system::error_code writer::try_commit(batch& operations, gathering late) {
  while (!operations.empty()) {
    std::size_t at = 0;
    boost::system::error_code its_reason;
    auto const why_not = transact([&] {
      write_batch view{state_};
      for (; at < operations.size() || join(operations, late); ++at) {
        try {
          operations[at]->run(view);
        } catch (lmdb::error const&) {
          throw;
        } catch (refused const& e) {
          its_reason = e.code();
        } catch (std::exception const&) {
          its_reason = make_error_code(errc::damaged);
        }
        if (its_reason) throw refused{its_reason};  // undo what it wrote: the others are run again without it
      }
    });
    if (!its_reason) return why_not;
    operations[at]->complete(its_reason);
    operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return {};
}

/// One transaction around `work`, with the counters in it; nothing has happened when it fails.
boost::system::error_code writer::transact(std::function<void()> const& work) {
  auto const before = state_.numbers;
  boost::system::error_code why_not;
  state_.marked = false;
  state_.indexed.reset();
  try {
    lmdb::write_transaction txn{env_};
    state_.txn = &txn;
    work();
    if (state_.numbers != before) txn.put(state_.tables[t_meta], "counters", encode(state_.numbers));
    commit(txn);
    commits_.fetch_add(1, std::memory_order_relaxed);
  } catch (lmdb::error const& e) {
    why_not = lmdb::to_error_code(e.code);
  } catch (refused const& e) {
    why_not = e.code();
  } catch (std::exception const&) {
    why_not = errc::damaged;
  }
  state_.txn = nullptr;
  state_.leases.settle();
  if (why_not) state_.numbers = before;
  if (!why_not && state_.marked) {
    std::scoped_lock const lock{ring_mutex_};
    if (ring_) ring_();
  }
  return why_not;
}

void writer::commit(lmdb::write_transaction& txn) {
  lmdb::reader_pool::change const announced{readers_};
  txn.commit();
}

void writer::note_outcome(boost::system::error_code why) {
  std::scoped_lock const lock{failure_mutex_};
  failure_ = why;
}

std::int64_t writer::room() const {
  lmdb::write_transaction const look{env_};  // aborted: costs no sync
  auto const most = std::min(limits_.quota, limits_.map_size - reserve_bytes);
  return static_cast<std::int64_t>(most) - static_cast<std::int64_t>(used_bytes(look, state_.tables));
}

std::int64_t writer::make_room(std::int64_t cost) {
  auto const there = room();
  if (there >= cost) return there;
  // A little more than needed, so that a full store does not evict (and sync) before every batch.
  auto const goal = static_cast<std::uint64_t>(cost - there) + limits_.quota / 50;
  for (std::uint64_t freed = 0; freed < goal;) {
    eviction done;
    if (transact([&] { done = evict(state_, goal - freed, eviction_step); }) || done.objects == 0) break;
    freed += done.bytes;
  }
  return room();
}

/// After a failed commit: whether room could be made. LMDB hands pages out again two transactions after they were
/// freed, so a second, nearly empty one follows the eviction.
boost::system::error_code writer::relieve(std::uint64_t cost) {
  eviction done;
  auto const why_not = transact([&] { done = evict(state_, 2 * cost + reserve_bytes, eviction_step); });
  if (why_not) return why_not;
  if (done.objects == 0) return errc::store_full;
  return transact([&] { state_.open().put(state_.tables[t_meta], "relieved", number_key(state_.numbers.evicted)); });
}

void writer::chores() {
  std::vector<object_ref> used;
  std::function<void()> chore;
  bool reap = false;
  {
    std::scoped_lock const lock{mutex_, uses_mutex_};
    auto const now = std::chrono::steady_clock::now();
    if (uses_.size() >= uses_kept || now - uses_written_ > uses_interval || stopping_) {
      used.swap(uses_);
      uses_written_ = now;
    }
    reap = std::exchange(reap_, false);
    chore = chore_;
  }
  if (reap || !used.empty()) {
    transact([&] {
      if (reap) reap_doomed(state_);
      note_uses(state_, used);
    });
  }
  if (chore) chore();
}

}  // namespace cistern::store
