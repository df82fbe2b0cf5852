#include "tests/support/child_process.hpp"

#include <zlib.h>
#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

using cistern::tests::run;

namespace {

constexpr long monday = 1704067200;  // 2024-01-01
constexpr long an_hour = 3600;
constexpr long six_weeks = 6 * 7 * 24 * an_hour;

struct folder {
  folder() : path(std::filesystem::temp_directory_path() / ("simulate-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~folder() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string operator/(std::string const& name) const { return (path / name).string(); }
  std::filesystem::path path;
};

/// Twelve feeds that post every 1, 2, ... 12 hours by day; one more joins in the third week. `until` cuts it short.
std::string postings(long until) {
  std::string lines = "source,unix_time\n";
  for (long feed = 1; feed <= 12; ++feed)
    for (long t = monday + 137 * feed; t < std::min(until, monday + six_weeks); t += feed * an_hour + 11)
      if (t / an_hour % 24 > 6) lines += "f" + std::to_string(feed) + ',' + std::to_string(t) + '\n';
  for (long t = monday + 17 * 24 * an_hour; t < std::min(until, monday + six_weeks); t += 5 * an_hour)
    lines += "late," + std::to_string(t) + '\n';
  return lines;
}

void write_trace(folder const& in, std::string const& name, long until = monday + six_weeks) {
  auto const text = postings(until);
  gzFile const file = gzopen((in / (name + ".csv.gz")).c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ofstream{in / (name + ".meta.json")} << R"({"period_unix":[)" << monday << ',' << monday + six_weeks
                                            << R"(],"S":{"f1":5,"f2":10}})";
}

boost::json::array rows(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {CISTERN_PROGRAM, "simulate"});
  arguments.push_back("--json");
  auto const result = run(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return boost::json::parse(result.out).as_array();
}

std::vector<std::string> lines_before(std::string const& file, long cut) {
  std::ifstream in{file};
  std::vector<std::string> lines;
  std::string line;
  std::getline(in, line);
  CHECK(line == "source,unix_time");
  while (std::getline(in, line))
    if (std::stol(line.substr(line.rfind(',') + 1)) <= cut) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("simulate prints one row a policy and interval with the promised fields", "[tools]") {
  folder const here;
  write_trace(here, "t");
  auto const table =
      rows({"--trace", here / "t.csv.gz", "--policy", "uniform,min-delay,min-missing,adaptive", "--interval", "6,12"});
  REQUIRE(table.size() == 8);
  for (auto const& row : table) {
    for (auto const* const key :
         {"policy", "interval_hours", "visits", "mean_delay_minutes", "max_delay_minutes", "missing_percent"})
      CHECK(row.as_object().contains(key));
    // Twelve of the thirteen post in the learnt part; four weeks are scored.
    auto const most = 12 * 28 * 24 / row.at("interval_hours").to_number<double>();
    CHECK(row.at("visits").to_number<double>() <= most + 1e-6);
  }
  CHECK(table[0].at("policy").as_string() == "uniform");
  CHECK(table[0].at("visits").as_int64() == 12 * 28 * 4);
}

TEST_CASE("with all sources in the panel those that join later count too", "[tools]") {
  folder const here;
  write_trace(here, "t");
  auto const table = rows({"--trace", here / "t.csv.gz", "--policy", "uniform", "--interval", "6", "--panel", "all"});
  CHECK(table[0].at("visits").as_int64() == 13 * 28 * 4);
}

TEST_CASE("the visits written out are those counted, and a trace cut short gives the same up to the cut", "[tools]") {
  folder const here;
  long const cut = monday + 27 * 24 * an_hour + 5 * an_hour;
  write_trace(here, "whole");
  write_trace(here, "cut", cut);
  auto const whole =
      rows({"--trace", here / "whole.csv.gz", "--policy", "adaptive", "--interval", "6", "--visits-out", here / "a"});
  (void)rows({"--trace", here / "cut.csv.gz", "--policy", "adaptive", "--interval", "6", "--visits-out", here / "b"});
  CHECK(lines_before(here / "a", monday + six_weeks).size() ==
        static_cast<std::size_t>(whole[0].at("visits").as_int64()));
  auto const before = lines_before(here / "a", cut);
  CHECK(before.size() > 100);
  CHECK(before == lines_before(here / "b", cut));
}

TEST_CASE("a trace cut short without a word on its period gives the same visits up to the cut", "[tools]") {
  folder const here;
  long const cut = monday + 27 * 24 * an_hour + 5 * an_hour;
  std::ofstream{here / "whole.csv"} << postings(monday + six_weeks);
  std::ofstream{here / "cut.csv"} << postings(cut);
  for (auto const* const interval : {"6", "7.7", "1.3"}) {
    for (auto const* const name : {"whole", "cut"})
      (void)rows({"--trace", here / (std::string{name} + ".csv"), "--policy", "adaptive", "--interval", interval,
                  "--visits-out", here / name});
    CHECK(lines_before(here / "whole", cut) == lines_before(here / "cut", cut));
  }
}

TEST_CASE("simulate draws delay and missing as an SVG", "[tools]") {
  folder const here;
  write_trace(here, "t");
  (void)rows({"--trace", here / "t.csv.gz", "--policy", "uniform,adaptive", "--interval", "6,12,24", "--picture",
              here / "p.svg"});
  std::ifstream in{here / "p.svg"};
  std::string const svg{std::istreambuf_iterator<char>{in}, {}};
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.find("adaptive") != std::string::npos);
}

TEST_CASE("simulate says in one line what is wrong", "[tools]") {
  folder const here;
  write_trace(here, "t");
  auto const wrong = [&](std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.begin(), {CISTERN_PROGRAM, "simulate"});
    auto const result = run(arguments);
    CHECK(result.exit_code == code);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  };
  wrong({"--trace", here / "t.csv.gz"}, 2);
  wrong({"--trace", here / "t.csv.gz", "--interval", "6", "--policy", "magic"}, 2);
  wrong({"--trace", here / "t.csv.gz", "--interval", "6", "--visits", "100"}, 2);
  wrong({"--trace", here / "none.csv", "--interval", "6"}, 1);
  wrong({"--trace", here / "t.csv.gz", "--interval", "6", "--outages", "sometimes"}, 1);
  std::ofstream{here / "bad.csv"} << "source,unix_time\na,1704067200\nb,soon\n";
  wrong({"--trace", here / "bad.csv", "--interval", "6"}, 1);
}
