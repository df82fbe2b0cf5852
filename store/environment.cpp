#include "store/environment.hpp"

#include "store/seed_file.hpp"
#include "store/write_state.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

namespace cistern::store {
namespace {

constexpr unsigned reader_slots = 1024;
constexpr std::uint64_t smallest_map = 16u << 20;
constexpr std::uint64_t longest_unwritten = 16u << 20;  // at the file's end, by one transaction
constexpr mode_t private_file = 0600;                   // decrypted pages are as private as passwords

std::string text_of(int error_number) { return std::generic_category().message(error_number); }

void make_folder(std::filesystem::path const& folder) {
  std::error_code why_not;
  bool const made = std::filesystem::create_directories(folder, why_not);
  if (why_not)
    throw open_error{"cannot make the data folder " + folder.string() + ": " + why_not.message() +
                     "; give another one with --data"};
  if (made) ::chmod(folder.c_str(), 0700);
}

void refuse_bad_file_system(std::filesystem::path const& folder) {
  struct statfs facts {};
  if (::statfs(folder.c_str(), &facts) != 0) return;
  if (auto const reason = file_system_refusal(facts.f_type); !reason.empty())
    throw open_error{folder.string() + " is on " + reason +
                     ", where the repository cannot be kept safe; give a local folder with --data"};
}

/// LMDB maps its lock file before the disk has given it blocks; on a full disk the first touch would be a SIGBUS.
void reserve_lock_file(std::filesystem::path const& folder) {
  constexpr off_t lock_file_room = 128 << 10;
  int const file = ::open((folder / "lock.mdb").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, private_file);
  if (file < 0) return;  // LMDB will say why
  bool const full = ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, lock_file_room) != 0 && errno == ENOSPC;
  ::close(file);
  if (full) throw open_error{"the disk that holds " + folder.string() + " is full; free some space"};
}

/// How many of the pages from `first` on the free list names.
std::uint64_t free_pages_from(MDB_env* env, std::uint64_t first) {
  constexpr MDB_dbi free_list = 0;
  lmdb::reader_pool pool{env, lmdb::commits::unseen};
  lmdb::read_transaction const txn{pool};
  lmdb::cursor walk{static_cast<lmdb::transaction const&>(txn), free_list};
  std::uint64_t count = 0;
  for (auto at = walk.first(); at; at = walk.next()) {
    // A list of page numbers, its length first.
    std::vector<std::size_t> numbers(at->second.size() / sizeof(std::size_t));
    std::memcpy(numbers.data(), at->second.data(), numbers.size() * sizeof(std::size_t));
    for (std::size_t i = 1; i < numbers.size() && i <= numbers.front(); ++i) count += numbers[i] >= first;
  }
  return count;
}

/// A file that ends before its last page would end the process with SIGBUS at some later read. But pages that were
/// freed in the transaction that made them are never written, so a short file is in order when all that it lacks is
/// free.
void refuse_cut_file(MDB_env* env, std::filesystem::path const& file) {
  MDB_envinfo info;
  MDB_stat stat;
  mdb_env_info(env, &info);
  mdb_env_stat(env, &stat);
  std::error_code ignored;
  auto const needed = (info.me_last_pgno + 1) * stat.ms_psize;
  auto const size = std::filesystem::file_size(file, ignored);
  if (ignored || size >= needed) return;
  damaged_error const cut{file.string() + " was cut short (" + std::to_string(size) + " of " + std::to_string(needed) +
                          " bytes); restore it from a copy, or run `cistern check --repair`"};
  if (size < 4 * stat.ms_psize) throw cut;
  // Zeros instead of a SIGBUS, also while we look; harmless beside somebody who writes.
  std::filesystem::resize_file(file, needed, ignored);
  if (ignored) {  // not ours to change: a little is believed, more is not
    if (needed - size > longest_unwritten) throw cut;
    return;
  }
  bool in_order = false;
  try {
    in_order = free_pages_from(env, size / stat.ms_psize) == info.me_last_pgno + 1 - size / stat.ms_psize;
  } catch (lmdb::error const&) {  // the free list itself is gone
  }
  if (in_order) return;
  std::filesystem::resize_file(file, size, ignored);
  throw cut;
}

std::string describe(int code, std::filesystem::path const& file) {
  switch (code) {
    case EACCES:
    case EROFS:
      return file.parent_path().string() + " is not writable; give another folder with --data, or use --read-only";
    case ENOENT:
      return "there is no repository in " + file.parent_path().string() + "; start `cistern serve` once to make one";
    case ENOSPC:
      return "the disk that holds " + file.string() + " is full; free some space";
    default:
      return "cannot open " + file.string() + ": " + mdb_strerror(code);
  }
}

std::string damage(std::filesystem::path const& file) {
  return file.string() + " is no repository or is damaged; restore it from a copy, or run `cistern check --repair`";
}

[[noreturn]] void fail(int code, std::filesystem::path const& file) {
  switch (code) {
    case MDB_INVALID:
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_VERSION_MISMATCH:
    case MDB_INCOMPATIBLE:
    case MDB_BAD_VALSIZE:
    case MDB_CURSOR_FULL:
    case MDB_PANIC:
    case EIO:
      throw damaged_error{damage(file)};
    default:
      throw open_error{describe(code, file)};
  }
}

/// A folder where no lock file can be made holds nobody who writes either.
unsigned open_flags(repository_options const& options) {
  unsigned flags = MDB_NOTLS | MDB_NORDAHEAD;
  if (!options.read_only) return flags;
  flags |= MDB_RDONLY;
  if (::access((options.path / "lock.mdb").c_str(), W_OK) != 0) flags |= MDB_NOLOCK;
  return flags;
}

/// Asks for less and less address space until the machine gives it. A failed open spoils the handle, so each try has
/// a new one.
lmdb::environment open_mapped(repository_options const& options, std::uint64_t& map_size) {
  auto const file = options.path / "data.mdb";
  for (map_size = std::max(options.map_reserve, smallest_map);; map_size /= 2) {
    MDB_env* raw = nullptr;
    lmdb::expect(mdb_env_create(&raw));
    lmdb::environment env{raw};
    mdb_env_set_mapsize(raw, map_size);
    mdb_env_set_maxdbs(raw, table_count);
    mdb_env_set_maxreaders(raw, reader_slots);
    int const code = mdb_env_open(raw, options.path.c_str(), open_flags(options), private_file);
    if (code == MDB_SUCCESS) {
      MDB_envinfo info;
      mdb_env_info(raw, &info);
      map_size = info.me_mapsize;
      return env;
    }
    bool const too_large = code == ENOMEM || code == EINVAL || code == EFBIG;
    if (!too_large || map_size / 2 < smallest_map) fail(code, file);
  }
}

std::uint64_t stored_format(lmdb::transaction const& txn, table_handles const& tables) {
  auto const bytes = txn.get(tables[t_meta], "format");
  return bytes ? key_number(*bytes) : 0;
}

[[noreturn]] void refuse_older(std::filesystem::path const& folder) {
  throw open_error{"the repository in " + folder.string() +
                   " has an older format; start `cistern serve` once to bring it up to date"};
}

/// All of them are made in the first transaction of their format, so one that is missing later was lost to damage;
/// making it anew, empty, would let a repair throw away what belonged to it.
table_handles open_tables(MDB_env* env, bool read_only, std::filesystem::path const& file) {
  MDB_txn* begun = nullptr;
  lmdb::expect(mdb_txn_begin(env, nullptr, read_only ? MDB_RDONLY : 0, &begun));
  struct abort {
    void operator()(MDB_txn* txn) const noexcept { mdb_txn_abort(txn); }
  };
  std::unique_ptr<MDB_txn, abort> txn{begun};
  table_handles tables{};
  std::set<std::size_t> missing;
  for (std::size_t i = 0; i < table_count; ++i) {
    int const code = mdb_dbi_open(txn.get(), table_names[i], 0, &tables[i]);
    if (code != MDB_SUCCESS && code != MDB_NOTFOUND) fail(code, file);
    if (code == MDB_NOTFOUND) missing.insert(i);
  }
  bool const empty = missing.size() == table_count;
  auto const format = missing.contains(t_meta) ? 0 : stored_format(lmdb::transaction{txn.get()}, tables);
  std::set<std::size_t> still_to_come;
  for (std::size_t i = 0; i < table_count; ++i)
    if (first_format(i) > format) still_to_come.insert(i);
  bool const older = format > 0 && !missing.empty() && missing == still_to_come;
  if (!missing.empty() && !empty && !older) throw damaged_error{damage(file)};
  if (older && read_only) refuse_older(file.parent_path());
  if (empty && read_only) fail(ENOENT, file);
  for (std::size_t i = 0; !missing.empty() && i < table_count; ++i)
    lmdb::expect(mdb_dbi_open(txn.get(), table_names[i], MDB_CREATE, &tables[i]));
  lmdb::expect(mdb_txn_commit(txn.release()));
  return tables;
}

/// The quota believes the page counts of the tables, which have no checksum: counts beyond the whole file would make
/// the writer evict all there is.
void refuse_wrong_counts(MDB_env* env, table_handles const& tables, std::filesystem::path const& file) {
  lmdb::reader_pool pool{env, lmdb::commits::unseen};
  lmdb::read_transaction const txn{pool};
  auto const used = used_bytes(txn, tables);
  MDB_envinfo info;
  mdb_env_info(env, &info);  // after the snapshot: beside a writer it can only be larger
  if (used / page_size > info.me_last_pgno + 1) throw damaged_error{damage(file)};
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed) throw open_error{"the system gives no random numbers"};
  return seed;
}

std::uint64_t stored_seed(lmdb::transaction const& txn, table_handles const& tables,
                          std::filesystem::path const& folder) {
  auto const bytes = txn.get(tables[t_meta], "seed");
  if (!bytes || bytes->size() != 8) throw damaged_error{damage(folder / "data.mdb")};
  return key_number(*bytes);
}

void refuse_newer(std::uint64_t found, std::uint64_t known, std::filesystem::path const& folder) {
  if (found > known)
    throw open_error{"the repository in " + folder.string() + " has format " + std::to_string(found) +
                     " and this program knows " + std::to_string(known) + "; use the newer cistern that made it"};
}

/// A new store gets its seed and format; an old one is led up to ours in one transaction, so a power cut in between
/// leaves the old one whole.
void bring_up_to_date(opened_environment& opened, std::uint64_t format, std::vector<migration> const& steps,
                      std::filesystem::path const& folder) {
  lmdb::write_transaction txn{opened.env.get()};
  auto const meta = opened.tables[t_meta];
  auto found = stored_format(txn, opened.tables);
  refuse_newer(found, format, folder);
  if (found == 0) {
    // A new seed would make every checksum wrong.
    if (txn.get(meta, "seed") || txn.stat(opened.tables[t_objects]).ms_entries > 0)
      throw damaged_error{damage(folder / "data.mdb")};
    txn.put(meta, "seed", number_key(random_seed()));
    found = format;
  }
  for (auto const& step : steps) {
    if (step.from != found) continue;
    step.step(txn, opened.tables);
    ++found;
  }
  if (found != format)
    throw open_error{"the repository in " + folder.string() + " has format " + std::to_string(found) +
                     ", which this program cannot read"};
  txn.put(meta, "format", number_key(format));
  opened.seed = stored_seed(txn, opened.tables, folder);
  txn.commit();
}

/// Format 2 keeps uses and priority in a table of their own, so that reading does not rewrite small bodies, which may
/// lie in the objects' records since. Older ones are found in their chunks as before.
void move_standings_out(lmdb::write_transaction& txn, table_handles const& tables) {
  lmdb::cursor walk{txn, tables[t_objects]};
  for (auto at = walk.first(); at; at = walk.next()) {
    auto const record = read_object(at->first, at->second);
    txn.put(tables[t_standings], number_key(record.object.ref.id), encode(record.before_format_2));
  }
}

}  // namespace

process_lock::process_lock(std::filesystem::path const& folder) {
  auto const file = folder / "cistern.pid";
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, private_file);
  if (fd_ < 0)
    throw open_error{folder.string() + " is not writable (" + text_of(errno) +
                     "); give another folder with --data, or use --read-only"};
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    std::array<char, 32> pid{};
    auto const length = ::pread(fd_, pid.data(), pid.size() - 1, 0);
    ::close(fd_);
    auto const who = length > 0 ? "process " + std::string{pid.data(), std::strcspn(pid.data(), "\n")}
                                : std::string{"another process"};
    throw open_error{"the repository in " + folder.string() + " is in use by " + who +
                     "; stop it first, or give another folder with --data"};
  }
  auto const pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, pid.data(), pid.size(), 0) < 0) return;  // only the message needs it
}

process_lock::~process_lock() {
  if (fd_ >= 0) ::close(fd_);
}

opened_environment open_environment(repository_options const& options, std::uint64_t format,
                                    std::vector<migration> const& steps) {
  opened_environment opened;
  auto const file = options.path / "data.mdb";
  if (options.read_only) {
    if (!std::filesystem::exists(file)) throw open_error{describe(ENOENT, file)};
  } else {
    make_folder(options.path);
    refuse_bad_file_system(options.path);
    opened.lock = process_lock{options.path};
    reserve_lock_file(options.path);
  }
  try {
    opened.env = open_mapped(options, opened.map_size);
    refuse_cut_file(opened.env.get(), file);
    if (!options.read_only) {
      int dead = 0;
      mdb_reader_check(opened.env.get(), &dead);  // slots of killed processes would pin their pages
    }
    opened.tables = open_tables(opened.env.get(), options.read_only, file);
    refuse_wrong_counts(opened.env.get(), opened.tables, file);
    if (options.read_only) {
      lmdb::reader_pool pool{opened.env.get(), lmdb::commits::unseen};
      lmdb::read_transaction const txn{pool};
      auto const found = stored_format(txn, opened.tables);
      refuse_newer(found, format, options.path);
      if (found == 0) throw damaged_error{damage(file)};
      if (found != format) refuse_older(options.path);
      opened.seed = stored_seed(txn, opened.tables, options.path);
    } else {
      bring_up_to_date(opened, format, steps, options.path);
      save_seed(options.path, opened.seed);
    }
  } catch (lmdb::error const& e) {
    fail(e.code, file);
  }
  return opened;
}

std::vector<migration> const& migrations() {
  // Format 3 only adds the table of search marks: an index that never was is built from the repository itself.
  static auto const nothing = [](lmdb::write_transaction&, table_handles const&) {};
  static std::vector<migration> const steps{{.from = 1, .step = move_standings_out}, {.from = 2, .step = nothing}};
  return steps;
}

std::string file_system_refusal(long kind) {
  struct row {
    long kind;
    char const* name;
  };
  constexpr std::array rows{
      row{0x6969, "NFS"},      row{0x517B, "SMB"},       row{0xFF534D42, "CIFS"},         row{0xFE534D42, "SMB"},
      row{0x5346414F, "AFS"},  row{0x73757245, "Coda"},  row{0x00c36400, "Ceph"},         row{0x01021997, "9P"},
      row{0x4d44, "FAT"},      row{0x2011BAB0, "exFAT"}, row{0x65735543, "FUSE control"}, row{0x7461636f, "OCFS2"},
      row{0x47504653, "GPFS"}, row{0x0BD00BD0, "Lustre"}};
  for (auto const& r : rows)
    if (r.kind == (kind & 0xFFFFFFFFl)) return std::string{r.name} + " (a network or FAT file system)";
  return {};
}

}  // namespace cistern::store
