#include "tools/cistern/trace_file.hpp"

#include <zlib.h>
#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace cistern::tools {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_seconds;
namespace json = boost::json;

constexpr std::int64_t largest_time = 100'000'000'000;  // the year 5138: beyond it are milliseconds by mistake
constexpr std::int64_t largest_capacity = 1'000'000;

struct close_gz {
  void operator()(gzFile file) const { gzclose(file); }
};

/// Lines of a file that may be gzipped.
class line_reader {
public:
  explicit line_reader(std::filesystem::path const& file) : file_(gzopen(file.c_str(), "rb")) {
    if (!file_) throw std::runtime_error{"cannot read " + file.string() + ": check the path"};
  }
  bool next(std::string& line) {
    line.clear();
    char piece[4096];
    while (gzgets(file_.get(), piece, sizeof piece) != nullptr) {
      line += piece;
      if (line.back() == '\n') break;
      if (line.size() > 65536) throw std::runtime_error{"a line is longer than 64 KiB: not a trace"};
    }
    int error = Z_OK;
    gzerror(file_.get(), &error);
    if (error != Z_OK && error != Z_STREAM_END) throw std::runtime_error{"the gzip file is damaged or cut short"};
    if (line.empty()) return false;
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    return true;
  }

private:
  std::unique_ptr<std::remove_pointer_t<gzFile>, close_gz> file_;
};

/// `name,number`; the name may be quoted (RFC 4180). Nothing when the last field is no number.
std::optional<std::pair<std::string, std::int64_t>> name_and_number(std::string_view line) {
  auto const comma = line.rfind(',');
  if (comma == line.npos) return std::nullopt;
  auto const field = line.substr(comma + 1);
  std::int64_t number = 0;
  auto const read = std::from_chars(field.data(), field.data() + field.size(), number);
  if (read.ec != std::errc{} || read.ptr != field.data() + field.size()) return std::nullopt;
  auto name = line.substr(0, comma);
  if (name.size() < 2 || name.front() != '"' || name.back() != '"') return std::pair{std::string{name}, number};
  std::string plain;
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    if (name[i] == '"' && name[i + 1] == '"') ++i;
    plain += name[i];
  }
  return std::pair{plain, number};
}

std::string quoted(std::string const& name) {
  if (name.find_first_of(",\"\n") == name.npos) return name;
  std::string text = "\"";
  for (char const c : name) text += c == '"' ? std::string{"\"\""} : std::string{c};
  return text + '"';
}

std::string whole_file(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) throw std::runtime_error{"cannot read " + file.string() + ": check the path"};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

json::object json_object(std::filesystem::path const& file) {
  boost::system::error_code error;
  auto const value = json::parse(whole_file(file), error);
  if (error || !value.is_object()) throw std::runtime_error{file.string() + " is not a JSON object"};
  return value.as_object();
}

std::filesystem::path meta_beside(std::filesystem::path file) {
  if (file.extension() == ".gz") file.replace_extension();
  if (file.extension() == ".csv") file.replace_extension();
  return file += ".meta.json";
}

void apply_capacities(trace& known, json::object const& capacities) {
  for (std::size_t i = 0; i < known.names.size(); ++i)
    if (auto const* const s = capacities.if_contains(known.names[i]); s != nullptr && s->is_int64())
      known.feeds[i].capacity = std::clamp<std::int64_t>(s->as_int64(), 1, largest_capacity);
}

void apply_meta(trace& known, std::filesystem::path const& file) {
  auto const meta = json_object(file);
  if (auto const* const s = meta.if_contains("S"); s != nullptr && s->is_object())
    apply_capacities(known, s->as_object());
  auto const* const period = meta.if_contains("period_unix");
  if (period == nullptr) return;
  auto const* const bounds = period->if_array();
  if (bounds == nullptr || bounds->size() != 2 || !(*bounds)[0].is_int64() || !(*bounds)[1].is_int64())
    throw std::runtime_error{file.string() + ": period_unix must be two whole numbers"};
  known.from = sys_seconds{std::chrono::seconds{(*bounds)[0].as_int64()}};
  known.until = sys_seconds{std::chrono::seconds{(*bounds)[1].as_int64()}};
  if (known.until <= known.from) throw std::runtime_error{file.string() + ": period_unix ends before it begins"};
}

}  // namespace

trace read_trace(std::filesystem::path const& file) {
  line_reader lines{file};
  std::unordered_map<std::string, std::vector<sys_seconds>> by_source;
  std::string line;
  for (std::size_t number = 1; lines.next(line); ++number) {
    if (line.empty()) continue;
    auto const row = name_and_number(line);
    if (!row && number == 1) continue;  // the header
    if (!row || row->second < 0 || row->second > largest_time)
      throw std::runtime_error{file.string() + " line " + std::to_string(number) + ": want source,unix_time"};
    by_source[row->first].push_back(sys_seconds{std::chrono::seconds{row->second}});
  }
  if (by_source.empty()) throw std::runtime_error{file.string() + " holds no posting: want lines source,unix_time"};
  trace known;
  for (auto const& [name, postings] : by_source) known.names.push_back(name);
  std::sort(known.names.begin(), known.names.end());
  auto first = sys_seconds::max();
  auto last = sys_seconds::min();
  for (auto const& name : known.names) {
    sync::schedule::feed_history feed;
    feed.postings = std::move(by_source[name]);
    std::sort(feed.postings.begin(), feed.postings.end());
    first = std::min(first, feed.postings.front());
    last = std::max(last, feed.postings.back());
    known.feeds.push_back(std::move(feed));
  }
  known.from = std::chrono::floor<std::chrono::days>(first);
  known.until = std::chrono::floor<std::chrono::days>(last) + 24h;
  if (auto const meta = meta_beside(file); std::filesystem::exists(meta)) apply_meta(known, meta);
  return known;
}

void set_capacities(trace& known, std::string const& what) {
  std::int64_t number = 0;
  auto const read = std::from_chars(what.data(), what.data() + what.size(), number);
  if (read.ec == std::errc{} && read.ptr == what.data() + what.size()) {
    if (number < 1 || number > largest_capacity) throw std::runtime_error{"--capacity wants 1 or more items"};
    for (auto& feed : known.feeds) feed.capacity = number;
    return;
  }
  std::filesystem::path const file{what};
  if (file.extension() == ".json") {
    auto const object = json_object(file);
    auto const* const inner = object.if_contains("S");
    apply_capacities(known, inner != nullptr && inner->is_object() ? inner->as_object() : object);
    return;
  }
  line_reader lines{file};
  json::object capacities;
  for (std::string line; lines.next(line);)
    if (auto const row = name_and_number(line)) capacities[row->first] = row->second;
  apply_capacities(known, capacities);
}

trace stable_panel(trace const& all, sys_seconds score_from) {
  trace stable{.names = {}, .feeds = {}, .from = all.from, .until = all.until};
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    auto const first = std::lower_bound(all.feeds[i].postings.begin(), all.feeds[i].postings.end(), all.from);
    if (first == all.feeds[i].postings.end() || *first >= score_from) continue;
    stable.names.push_back(all.names[i]);
    stable.feeds.push_back(all.feeds[i]);
  }
  return stable;
}

void write_visits(std::filesystem::path const& file, std::vector<std::string> const& names,
                  std::vector<std::vector<sys_seconds>> const& visits) {
  std::ofstream out{file, std::ios::binary};
  out << "source,unix_time\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto const name = quoted(names[i]);
    for (auto const at : visits[i]) out << name << ',' << at.time_since_epoch().count() << '\n';
  }
  out.flush();
  if (!out) throw std::runtime_error{"cannot write " + file.string() + ": check the folder and the space left"};
}

}  // namespace cistern::tools
