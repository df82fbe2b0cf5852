#include "store/search_tokenizer.hpp"

#include "store/search_words.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>

namespace cistern::store {
namespace {

constexpr std::size_t longest_word = 64;  // bytes; what is longer is no word that anybody types

using receiver = int (*)(void*, int, char const*, int, int, int);

fts5_api* api_of(sqlite3* db) {
  fts5_api* api = nullptr;
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &raw, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(raw, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(raw);
  }
  sqlite3_finalize(raw);
  if (!api) throw sqlite::error{SQLITE_ERROR, "this SQLite was built without FTS5"};
  return api;
}

/// SQLite's own tokenizer, which knows the letters of all scripts, their cases and accents. Marks belong to words: else
/// Hindi, and Arabic or Hebrew with vowel signs, would fall apart into single letters.
class letters {
public:
  explicit letters(fts5_api* api) {
    void* context = nullptr;
    if (api->xFindTokenizer(api, "unicode61", &context, &inner_) != SQLITE_OK) return;
    std::array<char const*, 4> options{"remove_diacritics", "2", "categories", "L* M* N* Co"};
    if (inner_.xCreate(context, options.data(), options.size(), &made_) != SQLITE_OK) made_ = nullptr;
  }
  ~letters() {
    if (made_) inner_.xDelete(made_);
  }
  letters(letters const&) = delete;
  letters& operator=(letters const&) = delete;

  [[nodiscard]] bool good() const { return made_ != nullptr; }
  int cut(void* context, int flags, std::string_view text, receiver word) const {
    return inner_.xTokenize(made_, context, flags, text.data(), static_cast<int>(text.size()), word);
  }

private:
  fts5_tokenizer inner_{};
  Fts5Tokenizer* made_ = nullptr;
};

/// Two, because one is in the middle of its work when the other spelling of a word is made.
struct both_letters {
  explicit both_letters(fts5_api* api) : main{api}, spelling{api} {}
  [[nodiscard]] bool good() const { return main.good() && spelling.good(); }
  letters main;
  letters spelling;
};

std::string_view clipped(std::string_view word) {
  if (word.size() <= longest_word) return word;
  auto end = longest_word;
  while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) --end;
  return word.substr(0, end);
}

/// One pass over one text.
class cutting {
public:
  cutting(both_letters const& known, int flags, std::string_view text, void* context, receiver out)
      : known_{known}, flags_{flags}, text_{text}, context_{context}, out_{out} {}

  int run() {
    std::size_t begin = 0;  // of what is not cut yet
    for (std::size_t at = 0; at < text_.size() && status_ == SQLITE_OK;) {
      auto const here = at;
      if (static_cast<unsigned char>(text_[at]) < 0xE0) {  // most text; no unspaced script is written so
        ++at;
        continue;
      }
      if (!is_unspaced(next_character(text_, at))) continue;
      spaced(begin, here);
      at = begin = pairs(here);
    }
    spaced(begin, text_.size());
    return status_;
  }

private:
  [[nodiscard]] bool in_query() const { return (flags_ & FTS5_TOKENIZE_QUERY) != 0; }

  void tell(int flags, std::string_view word, std::size_t begin, std::size_t end) {
    if (status_ != SQLITE_OK || word.empty()) return;
    auto const cut = clipped(word);
    status_ =
        out_(context_, flags, cut.data(), static_cast<int>(cut.size()), static_cast<int>(begin), static_cast<int>(end));
  }

  /// From `begin` to the end of the run: each character with the next one. In what is stored, the last one also stands
  /// alone (in the place of the last pair), so that every character begins a word of the index: one that is looked for
  /// alone is found as the beginning of words.
  std::size_t pairs(std::size_t begin) {
    std::size_t first = begin, at = begin;
    static_cast<void>(next_character(text_, at));
    bool single = true;
    for (;;) {
      auto const second = at;
      if (second >= text_.size() || !is_unspaced(next_character(text_, at))) {
        bool const alone = single || !in_query();
        if (alone) tell(single ? 0 : FTS5_TOKEN_COLOCATED, text_.substr(first, second - first), first, second);
        return second;
      }
      tell(0, text_.substr(first, at - first), first, at);
      first = second;
      single = false;
    }
  }

  void spaced(std::size_t begin, std::size_t end) {
    if (begin >= end || status_ != SQLITE_OK) return;
    base_ = begin;
    int const code = known_.main.cut(this, flags_, text_.substr(begin, end - begin), &word_found);
    if (status_ == SQLITE_OK) status_ = code;
  }

  static int word_found(void* self, int, char const* word, int size, int begin, int end) {
    return static_cast<cutting*>(self)->word({word, static_cast<std::size_t>(size)}, static_cast<std::size_t>(begin),
                                             static_cast<std::size_t>(end));
  }

  int word(std::string_view found, std::size_t begin, std::size_t end) {
    begin += base_, end += base_;
    try {
      tell(0, folded(found), begin, end);
      if (in_query()) return status_;
      auto const spelled = with_umlauts_spelled(text_.substr(begin, end - begin));
      if (!spelled.empty()) known_.spelling.cut(this, flags_, spelled, &spelled_found);
    } catch (std::bad_alloc const&) {
      status_ = SQLITE_NOMEM;
    }
    return status_;
  }

  static int spelled_found(void* self, int, char const* word, int size, int, int) {
    auto& cut = *static_cast<cutting*>(self);
    try {
      cut.tell(FTS5_TOKEN_COLOCATED, folded({word, static_cast<std::size_t>(size)}), cut.base_, cut.base_);
    } catch (std::bad_alloc const&) {
      return SQLITE_NOMEM;
    }
    return cut.status_;
  }

  both_letters const& known_;
  int flags_;
  std::string_view text_;
  void* context_;
  receiver out_;
  std::size_t base_ = 0;  // of the part that the inner tokenizer sees
  int status_ = SQLITE_OK;
};

// FTS5 calls these; no exception leaves them.

int create(void* api, char const**, int, Fts5Tokenizer** out) {
  auto* const made = new (std::nothrow) both_letters{static_cast<fts5_api*>(api)};
  if (!made || !made->good()) {
    delete made;
    return SQLITE_NOMEM;
  }
  *out = reinterpret_cast<Fts5Tokenizer*>(made);
  return SQLITE_OK;
}

void destroy(Fts5Tokenizer* made) { delete reinterpret_cast<both_letters*>(made); }

int tokenize(Fts5Tokenizer* made, void* context, int flags, char const* text, int size, receiver word) {
  std::string_view const whole{text ? text : "", static_cast<std::size_t>(std::max(size, 0))};
  return cutting{*reinterpret_cast<both_letters*>(made), flags, whole, context, word}.run();
}

}  // namespace

void add_tokenizer(sqlite::database const& db) {
  auto* const api = api_of(db.handle());
  fts5_tokenizer ours{.xCreate = create, .xDelete = destroy, .xTokenize = tokenize};
  int const code = api->xCreateTokenizer(api, tokenizer_name, api, &ours, nullptr);
  if (code != SQLITE_OK) throw sqlite::error{code, "FTS5 does not take the tokenizer"};
}

std::vector<std::string> query_words(sqlite::database const& db, std::string_view text) {
  both_letters const known{api_of(db.handle())};
  std::vector<std::string> out;
  if (!known.good()) return out;
  auto const keep = [](void* list, int, char const* word, int size, int, int) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(word, static_cast<std::size_t>(size));
    return SQLITE_OK;
  };
  cutting{known, FTS5_TOKENIZE_QUERY, text, &out, keep}.run();
  return out;
}

}  // namespace cistern::store
