#include "store/raw_pages.hpp"

#include "store/schema.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace cistern::store {
namespace {

constexpr std::size_t header = 16;
constexpr std::size_t node_header = 8;
constexpr std::uint16_t branch_page = 1, leaf_page = 2;
constexpr std::uint16_t page_kinds = 0x6f;  // the flags that are kept on disk
constexpr std::uint16_t big_data = 1, sub_table = 2;
constexpr std::uint32_t magic = 0xBEEFC0DE;
constexpr std::size_t largest_value = 64u << 20;  // the largest record is an item with its text
constexpr int deepest = 32;                       // as LMDB's own cursors
constexpr std::size_t table_size = 48, root_at = 40, main_at = 88, txn_at = 144, meta_size = 152;

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct node {
  std::uint64_t child = 0;  // of a branch
  std::size_t size = 0;     // of a leaf's data
  std::uint16_t flags = 0;
  std::string_view key{};
  std::size_t data_at = 0;
};

std::size_t node_count(std::string_view page) {
  auto const lower = number_at<std::uint16_t>(page, 12);
  auto const upper = number_at<std::uint16_t>(page, 14);
  if (lower < header || lower > upper || upper > page.size()) return 0;
  return (lower - header) / 2;
}

/// Nothing when it does not lie inside its page.
std::optional<node> node_of(std::string_view page, std::size_t index) {
  std::size_t const at = number_at<std::uint16_t>(page, header + 2 * index);
  if (at < header || at + node_header > page.size()) return std::nullopt;
  node out;
  auto const low = number_at<std::uint16_t>(page, at);
  auto const high = number_at<std::uint16_t>(page, at + 2);
  out.flags = number_at<std::uint16_t>(page, at + 4);
  out.size = static_cast<std::size_t>(low) | static_cast<std::size_t>(high) << 16;
  out.child = out.size | static_cast<std::uint64_t>(out.flags) << 32;
  std::size_t const key_size = number_at<std::uint16_t>(page, at + 6);
  out.data_at = at + node_header + key_size;
  if (out.data_at > page.size()) return std::nullopt;
  out.key = page.substr(at + node_header, key_size);
  return out;
}

}  // namespace

raw_pages::raw_pages(std::filesystem::path const& file) : fd_{::open(file.c_str(), O_RDONLY | O_CLOEXEC)} {
  struct stat facts {};
  if (fd_ < 0 || ::fstat(fd_, &facts) != 0) throw std::system_error{errno, std::generic_category(), file.string()};
  pages_ = (static_cast<std::uint64_t>(facts.st_size) + page_size - 1) / page_size;
}

raw_pages::~raw_pages() {
  if (fd_ >= 0) ::close(fd_);
}

bool raw_pages::load(std::uint64_t number, std::string& into, std::size_t size) const {
  if (number >= pages_) return false;
  into.resize(size);
  for (std::size_t done = 0; done < size;) {
    auto const got = ::pread(fd_, into.data() + done, size - done, static_cast<off_t>(number * page_size + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // the end of the file, or a sector that the disk cannot read
    done += static_cast<std::size_t>(got);
  }
  return true;
}

std::uint64_t raw_pages::main_root() const {
  std::uint64_t root = ~0ull;
  std::uint64_t newest = 0;
  std::string page;
  for (std::uint64_t number : {0, 1}) {
    if (!load(number, page, meta_size) || number_at<std::uint32_t>(page, header) != magic) continue;
    if (auto const txn = number_at<std::uint64_t>(page, txn_at); root == ~0ull || txn > newest) {
      newest = txn;
      root = number_at<std::uint64_t>(page, main_at + root_at);
    }
  }
  return root;
}

bool raw_pages::leaf(std::string const& page, visitor const& visit, bool tables_only) {
  bool whole = true;
  std::string large;
  for (std::size_t i = 0, count = node_count(page); i < count; ++i) {
    auto const found = node_of(page, i);
    if (!found || found->key.empty()) {
      whole = false;
    } else if (found->flags & big_data) {
      auto const first = number_at<std::uint64_t>(page, found->data_at);
      if (found->size <= largest_value && load(first, large, header + found->size) &&
          number_at<std::uint64_t>(large, 0) == first) {
        visit(found->key, std::string_view{large}.substr(header));
      } else {
        whole = false;
      }
    } else if (found->data_at + found->size > page.size()) {
      whole = false;
    } else if (((found->flags & sub_table) != 0) == tables_only) {
      visit(found->key, std::string_view{page}.substr(found->data_at, found->size));
    }
  }
  return whole;
}

/// A page is visited once, so a tree that bites its own tail ends too.
bool raw_pages::tree(std::uint64_t number, int depth, visitor const& visit) {
  std::string page;
  if (depth > deepest || !load(number, page, page_size) || !seen_.insert(number).second) return false;
  if (number_at<std::uint64_t>(page, 0) != number) return false;
  auto const kind = number_at<std::uint16_t>(page, 10) & page_kinds;
  if (node_count(page) == 0) return false;
  if (kind == leaf_page) return leaf(page, visit);
  if (kind != branch_page) return false;
  bool whole = true;
  for (std::size_t i = 0, count = node_count(page); i < count; ++i) {
    auto const found = node_of(page, i);
    whole = found && tree(found->child, depth + 1, visit) && whole;
  }
  return whole;
}

bool raw_pages::table(std::string_view name, visitor const& visit) {
  std::string page;
  auto const main = main_root();
  if (!load(main, page, page_size) || number_at<std::uint64_t>(page, 0) != main) return false;
  seen_.insert(main);
  std::optional<std::uint64_t> root;
  // Sixteen short names fit on one page, so the table of tables is a single leaf.
  leaf(
      page,
      [&](std::string_view key, std::string_view value) {
        if (key == name && value.size() == table_size) root = number_at<std::uint64_t>(value, root_at);
      },
      true);
  if (!root) return false;
  return *root == ~0ull || tree(*root, 0, visit);  // ~0: an empty table
}

void raw_pages::strays(visitor const& visit) {
  std::string page;
  for (std::uint64_t number = 2; number < pages_; ++number) {
    if (seen_.contains(number) || !load(number, page, page_size)) continue;
    bool const a_leaf = (number_at<std::uint16_t>(page, 10) & page_kinds) == leaf_page;
    if (a_leaf && number_at<std::uint64_t>(page, 0) == number) leaf(page, visit);
  }
}

}  // namespace cistern::store
