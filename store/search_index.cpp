#include "store/search_index.hpp"

#include "store/errc.hpp"
#include "store/search_query.hpp"
#include "store/search_tokenizer.hpp"
#include "store/sqlite.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>

namespace cistern::store {
namespace {

constexpr int layout = 2;  // of the tables, and of how text is cut into words: another one makes the index anew
constexpr std::string_view marks = "\x02\x03";  // around what was looked for; never in the text itself
constexpr int snippet_words = 28;

/// Lists of their own for beginnings of two and three characters: while somebody types, "co" is asked for before
/// "cold", and without them every word that begins so is walked through (docs/search.md has what they cost).
constexpr char const* schema = R"(
CREATE TABLE documents(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, url TEXT NOT NULL, host TEXT NOT NULL,
  at INTEGER NOT NULL, page INTEGER NOT NULL, item BLOB NOT NULL);
CREATE TABLE items(item BLOB PRIMARY KEY, document TEXT NOT NULL, link TEXT NOT NULL, subscription INTEGER NOT NULL)
  WITHOUT ROWID;
CREATE INDEX items_document ON items(document);
CREATE INDEX items_link ON items(link);
CREATE TABLE notes(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(title, text, tokenize = 'cistern', prefix = '2 3');
INSERT INTO words(words, rank) VALUES('rank', 'bm25(6.0, 1.0)');
)";

/// Control characters would be taken for marks; to a reader they are blanks.
std::string without_controls(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ') c = c == '\n' ? '\n' : ' ';
  return out;
}

std::vector<text_piece> pieces_of(std::string_view marked) {
  std::vector<text_piece> out;
  bool inside = false;
  while (!marked.empty()) {
    auto const end = std::min(marked.size(), marked.find_first_of(marks));
    if (end > 0) out.push_back({std::string{marked.substr(0, end)}, inside});
    if (end < marked.size()) inside = marked[end] == marks[0];
    marked.remove_prefix(std::min(marked.size(), end + 1));
  }
  for (auto& piece : out) std::ranges::replace(piece.text, '\n', ' ');
  return out;
}

std::int64_t seconds_of(std::chrono::sys_seconds time) { return time.time_since_epoch().count(); }

indexed_item item_in(sqlite::statement const& row) {
  return {row.text(0), row.text(1), row.text(2), static_cast<std::uint64_t>(row.number(3))};
}

/// Ends what takes longer than it may.
class deadline {
public:
  deadline(sqlite::database const& db, std::chrono::milliseconds patience)
      : db_{db.handle()}, end_{std::chrono::steady_clock::now() + patience} {
    constexpr int steps_between_looks = 2000;
    sqlite3_progress_handler(
        db_, steps_between_looks,
        [](void* self) {
          return static_cast<int>(std::chrono::steady_clock::now() > static_cast<deadline*>(self)->end_);
        },
        this);
  }
  ~deadline() { sqlite3_progress_handler(db_, 0, nullptr, nullptr); }
  deadline(deadline const&) = delete;
  deadline& operator=(deadline const&) = delete;

private:
  sqlite3* db_;
  std::chrono::steady_clock::time_point end_;
};

template <class Work>
auto guarded(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (sqlite::error const& e) {
    return sqlite::to_error_code(e.code);
  } catch (std::bad_alloc const&) {
    return boost::system::errc::make_error_code(boost::system::errc::not_enough_memory);
  }
}

}  // namespace

/// A connection with the statements that were used on it.
struct search_batch::connection {
  connection(std::filesystem::path const& file, std::uint64_t cache) : db{file} {
    add_tokenizer(db);
    // FULL: what a commit promised is still there after a power cut, because the marks it stands for are erased next.
    db.run(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON;"
        "PRAGMA journal_size_limit = 4194304; PRAGMA trusted_schema = OFF;");
    db.run(("PRAGMA cache_size = -" + std::to_string(std::max<std::uint64_t>(cache >> 10, 64))).c_str());
  }

  sqlite::statement& use(std::string const& sql) {
    auto at = prepared.find(sql);
    if (at == prepared.end()) at = prepared.emplace(sql, db.prepare(sql)).first;
    at->second.reset();
    return at->second;
  }

  sqlite::database db;
  std::map<std::string, sqlite::statement> prepared{};  // goes before the database does
};

std::optional<indexed_item> search_batch::find_item(std::string_view item) {
  auto& row = in_.use("SELECT item, document, link, subscription FROM items WHERE item = ?1");
  if (!row.bind_blob(1, item).step()) return std::nullopt;
  auto out = item_in(row);
  row.reset();
  return out;
}

std::vector<indexed_item> search_batch::items_of(std::string_view document) {
  auto& row = in_.use("SELECT item, document, link, subscription FROM items WHERE document = ?1 ORDER BY item");
  row.bind(1, document);
  std::vector<indexed_item> out;
  while (row.step()) out.push_back(item_in(row));
  return out;
}

std::vector<indexed_item> search_batch::items_linking(std::string_view link) {
  auto& row = in_.use("SELECT item, document, link, subscription FROM items WHERE link = ?1 ORDER BY item");
  row.bind(1, link);
  std::vector<indexed_item> out;
  while (row.step()) out.push_back(item_in(row));
  return out;
}

void search_batch::put_item(indexed_item const& item) {
  in_.use("INSERT OR REPLACE INTO items(item, document, link, subscription) VALUES(?1, ?2, ?3, ?4)")
      .bind_blob(1, item.item)
      .bind(2, item.document)
      .bind(3, item.link)
      .bind(4, static_cast<std::int64_t>(item.subscription))
      .run();
}

void search_batch::erase_item(std::string_view item) {
  in_.use("DELETE FROM items WHERE item = ?1").bind_blob(1, item).run();
}

void search_batch::put(search_document const& document) {
  auto const title = without_controls(document.title);
  auto const text = without_controls(document.text);
  auto& known =
      in_.use("SELECT d.id, w.title, w.text FROM documents d JOIN words w ON w.rowid = d.id WHERE d.name = ?1");
  std::int64_t id = 0;
  bool same = false;
  if (known.bind(1, document.name).step()) {
    id = known.number(0);
    same = known.text(1) == title && known.text(2) == text;
    known.reset();
  }
  auto& row = id == 0
                  ? in_.use("INSERT INTO documents(name, url, host, at, page, item) VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
                  : in_.use("UPDATE documents SET url = ?2, host = ?3, at = ?4, page = ?5, item = ?6 WHERE name = ?1");
  row.bind(1, document.name)
      .bind(2, document.url)
      .bind(3, document.host)
      .bind(4, seconds_of(document.when))
      .bind(5, std::int64_t{document.page})
      .bind_blob(6, document.item)
      .run();
  if (same) return;
  bool const fresh = id == 0;
  if (fresh) id = sqlite3_last_insert_rowid(in_.db.handle());
  auto& words = fresh ? in_.use("INSERT INTO words(rowid, title, text) VALUES(?1, ?2, ?3)")
                      : in_.use("UPDATE words SET title = ?2, text = ?3 WHERE rowid = ?1");
  words.bind(1, id).bind(2, title).bind(3, text).run();
}

void search_batch::erase(std::string_view document) {
  auto& known = in_.use("SELECT id FROM documents WHERE name = ?1");
  if (!known.bind(1, document).step()) return;
  auto const id = known.number(0);
  known.reset();
  in_.use("DELETE FROM words WHERE rowid = ?1").bind(1, id).run();
  in_.use("DELETE FROM documents WHERE id = ?1").bind(1, id).run();
}

std::string search_batch::note(std::string_view name) {
  auto& row = in_.use("SELECT value FROM notes WHERE name = ?1");
  if (!row.bind(1, name).step()) return {};
  auto out = row.text(0);
  row.reset();
  return out;
}

void search_batch::set_note(std::string_view name, std::string_view value) {
  in_.use("INSERT OR REPLACE INTO notes(name, value) VALUES(?1, ?2)").bind(1, name).bind(2, value).run();
}

std::string search_cursor::text() const {
  return std::to_string(std::bit_cast<std::uint64_t>(rank)) + '.' + std::to_string(document);
}

std::optional<search_cursor> search_cursor::read(std::string_view text) {
  auto const dot = text.find('.');
  if (dot == text.npos) return std::nullopt;
  std::uint64_t bits = 0;
  search_cursor out;
  auto const* const end = text.data() + text.size();
  auto const one = std::from_chars(text.data(), text.data() + dot, bits);
  auto const two = std::from_chars(text.data() + dot + 1, end, out.document);
  if (one.ec != std::errc{} || one.ptr != text.data() + dot || two.ec != std::errc{} || two.ptr != end)
    return std::nullopt;
  out.rank = std::bit_cast<double>(bits);
  return out.rank == out.rank ? std::optional{out} : std::nullopt;
}

search_index::search_index(search_index_options options) : options_{std::move(options)} {}

search_index::~search_index() { close(); }

void search_index::close() {
  std::scoped_lock const lock{reading_};
  reader_.reset();
  writing_.reset();
}

void search_index::remove_files() const {
  for (auto const* const name : {"search.db", "search.db-wal", "search.db-shm"}) {
    std::error_code ignored;
    std::filesystem::remove(options_.folder / name, ignored);
  }
}

void search_index::remove() {
  close();
  remove_files();
}

void search_index::open_files() {
  auto const file = options_.folder / "search.db";
  auto opened = std::make_unique<search_batch::connection>(file, options_.cache);
  auto version = opened->db.prepare("PRAGMA user_version");
  auto const found = version.step() ? version.number(0) : 0;
  version = {};
  if (found != 0 && found != layout) throw sqlite::error{SQLITE_NOTADB, "another version made it"};
  if (found == 0) {
    sqlite::transaction making{opened->db};
    opened->db.run(schema);
    opened->db.run(("PRAGMA user_version = " + std::to_string(layout)).c_str());
    making.commit();
  }
  writing_ = std::move(opened);
  reader_ = std::make_unique<search_batch::connection>(file, options_.cache);
}

result<void> search_index::open() {
  close();
  auto const opened = guarded([&]() -> result<void> {
    std::scoped_lock const lock{reading_};
    open_files();
    return {};
  });
  return !opened && opened.error() == errc::damaged ? start_anew() : opened;
}

result<void> search_index::start_anew() {
  close();
  return guarded([&]() -> result<void> {
    std::scoped_lock const lock{reading_};
    remove_files();
    open_files();
    return {};
  });
}

result<void> search_index::write(std::function<void(search_batch&)> const& task) {
  if (!writing_) return make_error_code(errc::closed);
  return guarded([&]() -> result<void> {
    sqlite::transaction all{writing_->db};
    search_batch batch{*writing_};
    task(batch);
    all.commit();
    return {};
  });
}

result<std::uint64_t> search_index::documents() {
  std::scoped_lock const lock{reading_};
  if (!reader_) return make_error_code(errc::closed);
  return guarded([&]() -> result<std::uint64_t> {
    auto& row = reader_->use("SELECT count(*) FROM documents");
    row.step();
    auto const count = static_cast<std::uint64_t>(row.number(0));
    row.reset();
    return count;
  });
}

namespace {

/// Which documents, in which order. Snippets are made afterwards, of the few that are shown.
std::string choosing(search_question const& question) {
  bool const newest = question.order == search_order::newest;
  std::string sql = "SELECT d.id, ";
  sql += newest ? "-CAST(d.at AS REAL)" : "w.rank";
  sql += " AS place FROM words w JOIN documents d ON d.id = w.rowid WHERE w.words MATCH ?1";
  if (!question.host.empty()) {
    sql += " AND (d.host = ?2 OR substr(d.host, -length(?2) - 1) = '.' || ?2";
    std::string numbers;
    for (auto const number : question.subscriptions) (numbers += numbers.empty() ? "" : ",") += std::to_string(number);
    if (!numbers.empty())
      sql += " OR EXISTS(SELECT 1 FROM items i WHERE i.document = d.name AND i.subscription IN (" + numbers + "))";
    sql += ')';
  }
  if (question.since) sql += " AND d.at >= ?3";
  if (question.before) sql += " AND d.at < ?4";
  sql = "SELECT id, place FROM (" + sql + ')';
  if (question.after) sql += " WHERE place > ?5 OR (place = ?5 AND id > ?6)";
  return sql + " ORDER BY place, id LIMIT ?7";
}

/// The hits with these numbers, in that order. One more walk through all that match (the + keeps FTS5 from beginning
/// anew for each number), but snippets only of these.
std::vector<search_hit> shown(sqlite::database const& db, std::string const& expression,
                              std::vector<std::int64_t> const& chosen) {
  std::string numbers;
  for (auto const id : chosen) (numbers += numbers.empty() ? "" : ",") += std::to_string(id);
  auto show = db.prepare(
      "SELECT d.url, d.host, d.at, d.page, d.item, highlight(words, 0, ?2, ?3), snippet(words, 1, ?2, ?3, '…', ?4), "
      "d.id "
      "FROM words CROSS JOIN documents d ON d.id = words.rowid WHERE words MATCH ?1 AND +words.rowid IN (" +
      numbers + ")");
  show.bind(1, expression).bind(2, marks.substr(0, 1)).bind(3, marks.substr(1)).bind(4, std::int64_t{snippet_words});
  std::map<std::int64_t, search_hit> found;
  while (show.step()) {
    search_hit hit{.url = show.text(0), .host = show.text(1)};
    hit.when = std::chrono::sys_seconds{std::chrono::seconds{show.number(2)}};
    hit.page = show.number(3) != 0;
    hit.item = show.text(4);
    hit.title = pieces_of(show.text(5));
    hit.snippet = pieces_of(show.text(6));
    found.emplace(show.number(7), std::move(hit));
  }
  std::vector<search_hit> out;
  for (auto const id : chosen)
    if (auto const at = found.find(id); at != found.end()) out.push_back(std::move(at->second));
  return out;
}

}  // namespace

result<search_results> search_index::find(search_question const& question) {
  std::scoped_lock const lock{reading_};
  if (!reader_) return make_error_code(errc::closed);
  return guarded([&]() -> result<search_results> {
    auto const& db = reader_->db;
    search_results out;
    auto const cut = [&](std::string_view text) { return query_words(db, text); };
    auto const expression = match_expression(read_query(question.words), cut);
    if (expression.empty()) return out;
    deadline const patience{db, question.patience};
    sqlite::transaction const one_moment{db, sqlite::transaction::reading};
    auto choose = db.prepare(choosing(question));
    choose.bind(1, expression);
    if (!question.host.empty()) choose.bind(2, question.host);
    if (question.since) choose.bind(3, seconds_of(*question.since));
    if (question.before) choose.bind(4, seconds_of(*question.before));
    if (question.after) choose.bind(5, question.after->rank).bind(6, question.after->document);
    choose.bind(7, static_cast<std::int64_t>(question.limit + 1));
    std::vector<std::int64_t> chosen;
    search_cursor last;
    while (choose.step()) {
      if (chosen.size() == question.limit) {
        out.next = last;
        break;
      }
      last = {choose.real(1), choose.number(0)};
      chosen.push_back(last.document);
    }
    if (!chosen.empty()) out.hits = shown(db, expression, chosen);
    return out;
  });
}

result<void> search_index::check(std::function<bool()> const& stop) {
  if (!writing_) return make_error_code(errc::closed);
  return guarded([&]() -> result<void> {
    auto const& db = writing_->db;
    constexpr int steps_between_looks = 20'000;
    auto const ask = [](void* what) { return static_cast<int>((*static_cast<std::function<bool()>*>(what))()); };
    auto asking = stop;
    sqlite3_progress_handler(db.handle(), steps_between_looks, stop ? +ask : nullptr, &asking);
    struct no_more {
      sqlite3* db;
      ~no_more() { sqlite3_progress_handler(db, 0, nullptr, nullptr); }
    } const end{db.handle()};
    auto looking = db.prepare("PRAGMA quick_check(1)");
    if (looking.step() && looking.text(0) != "ok") return make_error_code(errc::damaged);
    return {};
  });
}

std::uint64_t search_index::file_bytes() const {
  std::uint64_t sum = 0;
  for (auto const* const name : {"search.db", "search.db-wal"}) {  // what is new lies in the second for a while
    std::error_code none;
    auto const size = std::filesystem::file_size(options_.folder / name, none);
    if (!none) sum += size;
  }
  return sum;
}

result<void> search_index::each(
    std::function<void(search_document const&, std::vector<indexed_item> const&)> const& tell) {
  std::scoped_lock const lock{reading_};
  if (!reader_) return make_error_code(errc::closed);
  return guarded([&]() -> result<void> {
    search_batch looking{*reader_};
    auto row = reader_->db.prepare(
        "SELECT d.name, d.url, d.host, w.title, w.text, d.at, d.page, d.item FROM documents d JOIN words w "
        "ON w.rowid = d.id ORDER BY d.name");
    while (row.step()) {
      search_document one{row.text(0), row.text(1), row.text(2), row.text(3), row.text(4)};
      one.when = std::chrono::sys_seconds{std::chrono::seconds{row.number(5)}};
      one.page = row.number(6) != 0;
      one.item = row.text(7);
      tell(one, looking.items_of(one.name));
    }
    return {};
  });
}

}  // namespace cistern::store
