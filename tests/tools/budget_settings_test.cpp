#include "tools/cistern/budget_settings.hpp"

#include "tools/cistern/config_value.hpp"

#include <catch2/catch.hpp>

using namespace cistern::tools;
using namespace std::chrono_literals;
using cistern::store::job_class;
using cistern::sync::day_hours;
using cistern::sync::index_of;

TEST_CASE("budgets are written as people say them", "[tools]") {
  config settings;
  auto const set = [&](char const* name, char const* value) {
    return assign_text(*find_key("budget", name), settings, value);
  };
  CHECK(set("per_day", "50MB").empty());
  CHECK(set("per_month", "1.5 GB").empty());
  CHECK(set("month_starts", "15").empty());
  CHECK(set("limits", "enclosures 20MB/day, enclosures 300 MB/month, feeds 2MiB/day").empty());
  CHECK(set("hours", "enclosures 01-05, enclosures 13-14:30, requisites 22-06").empty());
  CHECK(set("rate", "40kB/s").empty());
  CHECK(set("metered_wait", "enclosures, images").empty());

  auto const rules = budget_rules_from(settings.budget);
  CHECK(rules.all.day == 50'000'000);
  CHECK(rules.all.month == 1'500'000'000);
  CHECK(rules.month_starts == 15);
  CHECK(rules.of_class[index_of(job_class::enclosure)].day == 20'000'000);
  CHECK(rules.of_class[index_of(job_class::enclosure)].month == 300'000'000);
  CHECK(rules.of_class[index_of(job_class::feed)].day == 2 << 20);
  CHECK(rules.of_class[index_of(job_class::page)].day == 0);
  CHECK(rules.hours[index_of(job_class::enclosure)] == std::vector{day_hours{1h, 5h}, day_hours{13h, 14h + 30min}});
  CHECK(rules.hours[index_of(job_class::requisite)] == std::vector{day_hours{22h, 6h}});
  CHECK(rules.no_metered_images);
  CHECK(rules.not_metered[index_of(job_class::enclosure)]);
  CHECK_FALSE(rules.not_metered[index_of(job_class::page)]);
  CHECK(pace_from(settings.budget)->bytes_per_second() == 40'000);
}

TEST_CASE("by default nothing is limited but enclosures on a metered link", "[tools]") {
  auto const rules = budget_rules_from({});
  for (auto const purpose : {job_class::person, job_class::feed, job_class::page, job_class::requisite})
    CHECK_FALSE(is_limited(rules, {.purpose = purpose, .image = true}));
  CHECK(is_limited(rules, {.purpose = job_class::enclosure}));
  CHECK_FALSE(pace_from({}));
}

TEST_CASE("a budget that is not understood is refused with a sentence", "[tools]") {
  config settings;
  auto const [name, value] = GENERATE(table<char const*, char const*>({
      {"limits", "enclosures 20MB"},
      {"limits", "enclosures 20MB/week"},
      {"limits", "podcasts 20MB/day"},
      {"limits", "enclosures 0/day"},
      {"limits", "enclosures"},
      {"hours", "enclosures 25-3"},
      {"hours", "01-05"},
      {"rate", "40kB"},
      {"rate", "fast"},
      {"rate", ""},
      {"metered_wait", "video"},
      {"month_starts", "31"},
  }));
  CAPTURE(name, value);
  CHECK_FALSE(assign_text(*find_key("budget", name), settings, value).empty());
}
