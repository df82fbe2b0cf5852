#include "stitch/feed/date.hpp"

#include "stitch/feed/date_words.hpp"
#include "stitch/feed/date_zones.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cistern::stitch::feed {
namespace {

using std::optional;
using std::string;
using std::string_view;
using namespace std::chrono;

constexpr std::size_t longest = 160;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

struct civil {
  int year = 0;
  unsigned month = 1, day = 1;
  int hour = 0, minute = 0, second = 0;
  minutes offset{};
  bool has_zone = false;
  clock_rule rule = clock_rule::fixed;
};

optional<sys_seconds> to_time(civil c) {
  if (c.year < 1 || c.year > 9999 || c.hour < 0 || c.hour > 24 || c.minute < 0 || c.minute > 59 || c.second < 0 ||
      c.second > 60)
    return {};
  // 24:00 ends a day (ISO 8601); 24:05 is how clocks that count from one to 24 say five past midnight.
  if (c.hour == 24 && (c.minute != 0 || c.second != 0)) c.hour = 0;
  auto const date = year{c.year} / month{c.month} / day{c.day};
  if (!date.ok() || abs(c.offset) > hours{26}) return {};
  sys_seconds const local = sys_days{date} + hours{c.hour} + minutes{c.minute} + seconds{c.second};
  auto const time = local - c.offset - (is_summer(local, c.offset, c.rule) ? hours{1} : hours{0});
  auto const given = year_month_day{floor<days>(time)}.year();
  if (given < year{1} || given > year{9999}) return {};
  return time;
}

int century(int value, std::size_t digits) {
  if (digits >= 4) return value;
  if (digits == 3) return 1900 + value;  // a program that counts from 1900
  return value < 50 ? 2000 + value : 1900 + value;
}

/// Reads from the front of a text; every `take` leaves the text alone when it does not match.
struct cursor {
  string_view text;

  bool take(char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  }
  void skip_blanks() { text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n"))); }
  std::size_t digits() const {
    auto const end = text.find_first_not_of("0123456789");
    return end == string_view::npos ? text.size() : end;
  }
  optional<int> number(std::size_t length) {
    if (length == 0 || length > 9 || digits() < length) return {};
    int value = 0;
    for (char const c : text.substr(0, length)) value = value * 10 + (c - '0');
    text.remove_prefix(length);
    return value;
  }
  string word() {
    std::size_t end = 0;
    while (end < text.size() && (is_letter(text[end]) || (end > 0 && (text[end] == '/' || text[end] == '_')))) ++end;
    auto const out = fold_case(text.substr(0, end));
    text.remove_prefix(end);
    return out;
  }
};

optional<minutes> offset_at(cursor& in) {
  auto at = in;
  bool const minus = at.text.starts_with('-') || at.text.starts_with("\xe2\x88\x92");
  if (at.text.starts_with("\xe2\x88\x92"))
    at.text.remove_prefix(3);
  else if (!at.take('+') && !at.take('-'))
    return {};
  at.take('-');  // "--0700"
  at.skip_blanks();
  auto const run = at.digits();
  optional<int> hour, minute = 0;
  bool const long_hour = run == 3 && at.text.size() > 4 && at.text[3] == ':' && is_digit(at.text[4]);  // "-010:00"
  if (run == 1 || run == 2 || long_hour) {
    hour = at.number(run);
    if (at.text.size() >= 3 && at.text[0] == ':' && is_digit(at.text[1]) && is_digit(at.text[2])) {
      at.take(':');
      minute = at.number(2);
    }
  } else if (run == 3 || run == 4) {
    hour = at.number(run - 2);
    minute = at.number(2);
  }
  if (!hour || !minute || *hour > 24 || *minute > 59) return {};
  in = at;
  auto const size = hours{*hour} + minutes{*minute};
  return minus ? -minutes{size} : minutes{size};
}

// "Pacific Standard Time": the letters that stand for it.
string initials(cursor& in, string first) {
  auto at = in;
  at.skip_blanks();
  auto const kind = at.word();
  if (kind != "standard" && kind != "daylight") return first;
  at.skip_blanks();
  if (at.word() != "time") return first;
  in = at;
  return {first[0], kind[0], 't'};
}

// What may follow a time: an offset, a name, a name with an offset ("GMT+1", "UTC+02:00"), an offset with Z.
void read_zone(cursor& in, civil& out) {
  for (int round = 0; round < 3; ++round) {
    in.skip_blanks();
    if (auto const offset = offset_at(in)) {
      out.offset = *offset;
      out.has_zone = true;
      continue;
    }
    auto at = in;
    auto word = at.word();
    if (word.empty() || month_named(word)) return;
    word = initials(at, std::move(word));
    auto const zone = zone_named(word);
    if (!zone && word.find('/') == string::npos) return;
    if (zone && out.offset == minutes{0}) {
      out.offset = zone->offset;
      out.rule = zone->rule;
      out.has_zone = true;
    }
    in = at;
  }
}

// A sign behind the time with no offset in it: "+zz:00", "-99:99".
bool is_broken_zone(string_view rest) {
  if (rest.starts_with(':')) return rest.size() > 1 && is_letter(rest[1]);
  if (!rest.starts_with('+') && !rest.starts_with('-')) return false;
  return rest.size() > 1 && (is_letter(rest[1]) || is_digit(rest[1]));
}

// "9:15", "10:14:55.7", "10:14:55,7", "23h45", with am or pm behind.
bool read_clock(cursor& in, civil& out) {
  auto at = in;
  auto const run = at.digits();
  if (run != 1 && run != 2) return false;
  auto const hour = at.number(run);
  bool const colon = at.take(':') || (at.text.size() > 1 && is_digit(at.text[1]) && at.take('h'));
  if (!colon || at.digits() < 1 || at.digits() > 2) return false;
  auto const minute = at.number(at.digits());
  int second = 0;
  if (at.text.size() > 1 && at.text[0] == ':' && is_digit(at.text[1])) {
    at.take(':');
    auto const length = std::min<std::size_t>(2, at.digits());
    second = at.number(length).value_or(0);
    bool const parts = at.text.size() > 1 && (at.text[0] == '.' || at.text[0] == ',' || at.text[0] == ':');
    if (parts && at.text[0] == ':' && (at.text[1] == '-' || at.text[1] == '+')) {
      at.take(':');  // "15:04:05:-0700"
    } else if (parts && is_digit(at.text[1])) {
      bool const colon_again = at.take(':');
      if (colon_again && at.digits() < 2) return false;  // "1:2:3:4"
      if (!colon_again) at.text.remove_prefix(1);
      at.text.remove_prefix(at.digits());
    }
  }
  out.hour = *hour;
  out.minute = *minute;
  out.second = second;
  in = at;
  at.skip_blanks();
  auto const word = at.word();
  bool const am = word == "am" || word == "a" || word == "오전", pm = word == "pm" || word == "p" || word == "오후";
  if ((am || pm) && (word.size() > 1 || at.text.starts_with(".m"))) {
    if (word.size() == 1) at.text.remove_prefix(std::min<std::size_t>(3, at.text.size()));
    out.hour = out.hour % 12 + (pm ? 12 : 0);
    in = at;
  }
  return true;
}

optional<civil> iso_week(cursor& in, int year_number) {
  auto const week = in.number(2);
  in.take('-');
  auto const day_number = in.digits() > 0 ? in.number(1) : optional<int>{1};
  if (!week || *week < 1 || *week > 53 || !day_number || *day_number < 1 || *day_number > 7) return {};
  sys_days const fourth = year{year_number} / January / 4;  // always in week 1
  auto const monday = fourth - (weekday{fourth} - Monday);
  auto const date = year_month_day{monday + weeks{*week - 1} + days{*day_number - 1}};
  return civil{.year = int{date.year()}, .month = unsigned{date.month()}, .day = unsigned{date.day()}};
}

civil ordinal_day(int year_number, int day_number) {
  auto const date = year_month_day{sys_days{year{year_number} / January / 1} + days{day_number - 1}};
  if (day_number < 1 || day_number > 366 || int{date.year()} != year_number) return {.year = 0};
  return {.year = year_number, .month = unsigned{date.month()}, .day = unsigned{date.day()}};
}

// The date part of ISO 8601, extended or basic, full or cut short.
optional<civil> iso_date(cursor& in) {
  bool const implied = in.text.starts_with('-') && in.text.size() > 1 && is_digit(in.text[1]) && in.take('-');
  auto const run = in.digits();
  auto const as_unsigned = [](int value) { return static_cast<unsigned>(value); };
  if (run == 8 || run == 12 || run == 14)  // the longer ones go on with the time
    return civil{.year = *in.number(4), .month = as_unsigned(*in.number(2)), .day = as_unsigned(*in.number(2))};
  if (run == 7 || run == 5) {
    auto const y = century(*in.number(run - 3), run - 3);
    return ordinal_day(y, *in.number(3));
  }
  if (run == 6) {
    auto const y = century(*in.number(2), 2);
    auto const m = *in.number(2);
    return civil{.year = y, .month = as_unsigned(m), .day = as_unsigned(*in.number(2))};
  }
  if (run == 4 && implied) {
    auto const y = century(*in.number(2), 2);
    return civil{.year = y, .month = as_unsigned(*in.number(2))};
  }
  if (run != 4 && run != 2) return {};
  auto const y = century(*in.number(run), run);
  bool const dash = in.take('-');
  if (in.take('W') || in.take('w')) return iso_week(in, y);
  if (!dash) return run == 4 ? optional{civil{.year = y}} : std::nullopt;
  auto const length = in.digits();
  if (length == 3 && (in.text.size() == 3 || in.text[3] != '-')) return ordinal_day(y, *in.number(3));
  if (length == 4) {
    auto const m = *in.number(2);
    return civil{.year = y, .month = as_unsigned(m), .day = as_unsigned(*in.number(2))};
  }
  if (length < 1 || length > 3) return {};
  civil out{.year = y, .month = as_unsigned(*in.number(length))};
  if (!in.take('-')) return run == 4 || implied ? optional{out} : std::nullopt;
  auto const day_length = in.digits();
  bool const slip = day_length == 3 && in.text.size() > 3 && in.text[3] == 'T';  // "2003-12-311T10:14"
  if (day_length != 1 && day_length != 2 && !slip) return {};
  out.day = as_unsigned(*in.number(slip ? 2 : day_length));
  if (slip) in.text.remove_prefix(1);
  return out;
}

optional<sys_seconds> parse_iso(string_view text) {
  cursor in{text};
  auto out = iso_date(in);
  if (!out) return {};
  if (in.text.empty()) return to_time(*out);
  bool const marked = in.take('T') || in.take('t');
  auto const blanks = in.text.size();
  in.skip_blanks();
  if (!marked && blanks == in.text.size() && in.digits() == 0) {
    bool const part = in.text.size() < 4 && in.text.starts_with('-');  // "2013-01-27-01" is a date of four parts
    read_zone(in, *out);                                               // "2003-12-31Z", "2003-12-31-05:00"
    return in.text.empty() && !part ? to_time(*out) : std::nullopt;
  }
  if (auto const run = in.digits();
      run == 6 || run == 4 || (run == 2 && marked && (in.text.size() == 2 || in.text[2] != ':'))) {
    out->hour = *in.number(2);
    out->minute = run > 2 ? *in.number(2) : 0;
    out->second = run > 4 ? *in.number(2) : 0;
    if (in.take('.') || in.take(',')) in.text.remove_prefix(in.digits());
  } else if (!read_clock(in, *out)) {
    return {};
  }
  read_zone(in, *out);
  if (in.text.starts_with('[') && in.text.ends_with(']')) in.text = {};  // "+01:00[Europe/Paris]"
  if (in.text.starts_with(":00") && in.text.size() == 3) in.text = {};   // "-07:00:00"
  return in.text.empty() ? to_time(*out) : std::nullopt;
}

// "2021-01-31T23:59:59Z", as nearly every Atom feed has it: no need to look for anything else in it.
optional<civil> utc_stamp(string_view text) {
  constexpr string_view form = "0000-00-00T00:00:00Z";
  if (text.size() != form.size()) return {};
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == '0' ? !is_digit(text[i]) : text[i] != form[i]) return {};
  auto const two = [text](std::size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
  if (two(11) > 23) return {};
  return civil{.year = two(0) * 100 + two(2),
               .month = static_cast<unsigned>(two(5)),
               .day = static_cast<unsigned>(two(8)),
               .hour = two(11),
               .minute = two(14),
               .second = two(17)};
}

// A date that says by its T that it is ISO's has no other reading.
bool is_marked_iso(string_view text) {
  return text.size() > 11 && (text[10] == 'T' || text[10] == 't') && text[4] == '-' && text[7] == '-' &&
         std::ranges::all_of(text.substr(0, 4), is_digit);
}

struct number_token {
  int value;
  std::size_t digits;
  char before;  // what stood in front of it: separators tell 31.12.2003 from 12/31/2003
};

struct loose_date {
  optional<unsigned> month;
  optional<unsigned> weekday;
  std::vector<number_token> numbers;
  bool has_time = false;
  bool broken = false;
  optional<bool> afternoon;
  civil at;
};

/// Everything between blanks and punctuation, in any order; unknown words ("at", "th") say nothing.
class date_scanner {
public:
  explicit date_scanner(string_view text) : in_{text} {}

  loose_date scan() && {
    while (!in_.text.empty() && out_.numbers.size() < 8) {
      if (!out_.has_time && read_clock(in_, out_.at)) {
        out_.has_time = true;
        read_zone(in_, out_.at);
        out_.broken = out_.broken || is_broken_zone(in_.text);
        before_ = ' ';
      } else if (in_.digits() > 0) {
        number();
      } else if (is_letter(in_.text[0])) {
        word(in_.word());
      } else if (!late_offset()) {
        if (before_ != '.' || in_.text[0] != ' ') before_ = in_.text[0];  // "31. 12. 2003"
        in_.text.remove_prefix(1);
      }
    }
    if (korean_ && !out_.at.has_zone) out_.at.offset = hours{9};  // those who write so never name their zone
    if (out_.has_time && out_.afternoon) out_.at.hour = out_.at.hour % 12 + (*out_.afternoon ? 12 : 0);
    return std::move(out_);
  }

private:
  void number() {
    auto const run = in_.digits();
    auto const value = in_.number(std::min<std::size_t>(run, 9));
    if (run > 9) in_.text.remove_prefix(in_.digits());
    out_.numbers.push_back({value.value_or(0), run, before_});
    before_ = ' ';
  }

  void word(string const& word) {
    if (auto const month = month_named(word); month && (!out_.month || early_month_)) {
      // "mar., 01 déc. 2020": what came before the first number was a Tuesday.
      if (out_.month) out_.weekday = 2;
      out_.month = month;
      early_month_ = out_.numbers.empty();
    } else if (word == "am" || word == "pm" || word == "오전" || word == "오후") {
      out_.afternoon = word == "pm" || word == "오후";
      if (word.size() == 2) hour_alone();  // Korean's stand in front
      korean_ = korean_ || word.size() > 2;
    } else if (word == "일") {
      korean_ = true;
    } else if (word == "년" || word == "월" || word == "年" || word == "月") {
      before_ = '-';
      in_.skip_blanks();
    } else if (auto const day = weekday_named(word); day && !out_.weekday) {
      out_.weekday = day;
    } else if (auto const zone = zone_named(word); zone && word.size() > 1 && out_.has_time && !out_.at.has_zone) {
      out_.at.offset = zone->offset;
      out_.at.rule = zone->rule;
      out_.at.has_zone = true;
    }
  }

  // "5 pm": what stood before it was the time.
  void hour_alone() {
    if (out_.has_time || out_.numbers.empty() || out_.numbers.back().digits > 2) return;
    out_.at.hour = out_.numbers.back().value;
    out_.numbers.pop_back();
    out_.has_time = true;
    read_zone(in_, out_.at);
  }

  // "15:04 02.01.2006 -0700", "May 3 11:46:11 2016 +0200": behind the whole date a sign with four digits is an offset.
  bool late_offset() {
    bool const sign = in_.text[0] == '+' || in_.text[0] == '-';
    bool const whole = out_.numbers.size() + (out_.month ? 1 : 0) > 2;
    if (!sign || before_ != ' ' || out_.at.has_zone || !whole) return false;
    auto at = in_;
    at.text.remove_prefix(1);
    if (at.digits() != 4) return false;
    auto const offset = offset_at(in_);
    if (!offset) return false;
    out_.at.offset = *offset;
    out_.at.has_zone = true;
    return true;
  }

  cursor in_;
  loose_date out_;
  char before_ = ' ';
  bool korean_ = false;
  bool early_month_ = false;  // the month's name came before any number
};

bool looks_like_year(number_token const& n) { return n.digits >= 3 || n.value > 31 || n.before == '\''; }

// A time without colons behind a date that is complete: "15", "150405", "15.04.05".
bool take_time(loose_date& d, std::size_t from) {
  auto const& n = d.numbers;
  if (n.size() == from) return true;
  if (d.has_time) return n.size() == from + 1 && n[from].value == 0;  // "15:04:05 00"
  auto const& first = n[from];
  if (first.before != ' ') return false;
  if (n.size() == from + 1 && (first.digits == 6 || first.digits == 4)) {
    auto const clock = first.digits == 6 ? first.value : first.value * 100;
    d.at.hour = clock / 10000;
    d.at.minute = clock / 100 % 100;
    d.at.second = clock % 100;
    return true;
  }
  if (n.size() > from + 3) return false;
  for (auto i = from + 1; i < n.size(); ++i)
    if (n[i].before != '.') return false;
  d.at.hour = first.value;
  if (n.size() > from + 1) d.at.minute = n[from + 1].value;
  if (n.size() > from + 2) d.at.second = n[from + 2].value;
  return true;
}

optional<sys_seconds> with_month_name(loose_date& d) {
  auto const& n = d.numbers;
  if (n.empty()) return {};
  d.at.month = *d.month;
  if (n.size() == 1) {
    if (n[0].digits != 4 || d.has_time) return {};
    d.at.year = n[0].value;
    return to_time(d.at);
  }
  bool const year_first = looks_like_year(n[0]) && !looks_like_year(n[1]);
  auto const& day_token = year_first ? n[1] : n[0];
  auto const& year_token = year_first ? n[0] : n[1];
  if (year_token.before == '-' && year_token.digits == 4 && year_token.value < 100) return {};  // "30 Nov -0001"
  d.at.day = static_cast<unsigned>(day_token.value);
  d.at.year = century(year_token.value, year_token.digits);
  if (!take_time(d, 2)) return {};
  return to_time(d.at);
}

bool falls_on(int y, int m, int d, unsigned weekday_number) {
  auto const date = year{y} / m / d;
  return date.ok() && weekday{sys_days{date}}.iso_encoding() == weekday_number;
}

optional<sys_seconds> with_numbers(loose_date& d) {
  auto const& n = d.numbers;
  if (!n.empty() && n[0].digits == 8) {
    d.at.year = n[0].value / 10000;
    d.at.month = static_cast<unsigned>(n[0].value / 100 % 100);
    d.at.day = static_cast<unsigned>(n[0].value % 100);
    return to_time(d.at);
  }
  if (n.size() < 3) return {};
  bool const by_blanks = n[1].before == ' ' || n[2].before == ' ';
  if (by_blanks && (n[1].before != n[2].before || n[2].digits != 4 || !d.has_time)) return {};
  int y = n[2].value, m = n[1].value, day_number = n[0].value;
  std::size_t year_digits = n[2].digits;
  if (n[0].digits == 4) {
    y = n[0].value;
    year_digits = 4;
    day_number = n[2].value;
  } else if (n[1].before == '/' || by_blanks) {
    std::swap(m, day_number);  // 12/31/2003
  }
  d.at.year = century(y, year_digits);
  bool const swapped = d.weekday && n[0].digits != 4 && !falls_on(d.at.year, m, day_number, *d.weekday) &&
                       falls_on(d.at.year, day_number, m, *d.weekday);
  if (swapped || (m > 12 && day_number <= 12)) std::swap(m, day_number);
  d.at.month = static_cast<unsigned>(std::max(0, m));
  d.at.day = static_cast<unsigned>(std::max(0, day_number));
  if (!take_time(d, 3)) return {};
  return to_time(d.at);
}

optional<sys_seconds> unix_time(string_view text) {
  auto const dot = text.find('.');
  auto const whole = text.substr(0, dot);
  if (whole.size() < 9 || whole.size() > 13 || !std::ranges::all_of(whole, is_digit)) return {};
  if (dot != string_view::npos && !std::ranges::all_of(text.substr(dot + 1), is_digit)) return {};
  // As milliseconds twelve digits were a day before 2001; 200311141505 is a date with its time.
  if (whole.size() == 12 && (whole.starts_with("19") || whole.starts_with("20")))
    if (auto const time = parse_iso(whole)) return time;
  std::int64_t value = 0;
  for (char const c : whole) value = value * 10 + (c - '0');
  return sys_seconds{seconds{whole.size() > 11 ? value / 1000 : value}};
}

// A remark in brackets says nothing that the rest does not, unless it is all the zone there is: "15:04:05 (EST)".
string without_remark(string_view text) {
  string out;
  for (;;) {
    auto const open = text.find('(');
    out += text.substr(0, open);
    auto const close = open == string_view::npos ? open : text.find(')', open);
    if (close == string_view::npos) return out;
    auto const remark = fold_case(text.substr(open + 1, close - open - 1));
    auto const colon = out.rfind(':');
    bool const bare_time = colon != string::npos && out.ends_with(' ') && is_digit(out[out.size() - 2]) &&
                           out.find_first_of("+-", colon) == string::npos;
    if (bare_time && zone_named(remark)) out += remark;
    text.remove_prefix(close + 1);
  }
}

// RFC 822 lets blanks, and so remarks, stand around the colons: "13 : 15 : 30".
string with_closed_clock(string text) {
  for (auto colon = text.find(':'); colon != string::npos; colon = text.find(':', colon + 1)) {
    auto const last = text.find_last_not_of(' ', colon - 1);
    auto const next = text.find_first_not_of(' ', colon + 1);
    if (colon == 0 || last == string::npos || next == string::npos) continue;
    bool const clock = is_digit(text[last]) && is_digit(text[next]) &&
                       (last < 2 || !is_digit(text[last - 1]) || !is_digit(text[last - 2]));  // no year
    if (!clock) continue;
    text.erase(colon + 1, next - colon - 1);
    text.erase(last + 1, colon - last - 1);
    colon = last + 1;
  }
  return text;
}

}  // namespace

optional<sys_seconds> parse_date(string_view text) {
  if (auto const usual = utc_stamp(text))
    if (auto const time = to_time(*usual)) return time;
  if (text.size() > longest) return {};
  auto clean = without_remark(text);
  if (clean.find(" :") != string::npos || clean.find(": ") != string::npos) clean = with_closed_clock(std::move(clean));
  auto view = string_view{clean};
  auto const first = view.find_first_not_of(" \t\r\n\v\f");
  if (first == string_view::npos) return {};
  view = view.substr(first, view.find_last_not_of(" \t\r\n\v\f") - first + 1);
  if (auto const time = unix_time(view)) return time;
  if (auto const time = parse_iso(view)) return time;
  // "2003-12-31Thh:mm:ssZ", from a program that never filled in the time, still has a date.
  if (is_marked_iso(view)) return is_letter(view[11]) ? parse_iso(view.substr(0, 10)) : std::nullopt;
  auto loose = date_scanner{view}.scan();
  if (loose.broken) return {};
  return loose.month ? with_month_name(loose) : with_numbers(loose);
}

optional<minutes> stated_offset(string_view text) {
  auto const end = text.find_last_not_of(" \t\r\n");
  if (text.size() > longest || end == string_view::npos) return {};
  text = text.substr(0, end + 1);
  auto const clock = text.rfind(':', text.size() > 6 ? text.size() - 6 : 0);  // a date alone has hyphens too
  auto const sign = text.find_last_of("+-");
  if (sign == string_view::npos || clock == string_view::npos || clock > sign) return {};
  cursor in{text.substr(sign)};
  auto const out = offset_at(in);
  return out && in.text.empty() && abs(*out) <= hours{14} ? out : std::nullopt;
}

string format_date(sys_seconds time) {
  auto const day_point = floor<days>(time);
  auto const date = year_month_day{day_point};
  auto const clock = hh_mm_ss{time - day_point};
  string out = "0000-00-00T00:00:00Z";
  auto const put = [&out](std::size_t end, long value) {  // the digits in front of `end`
    for (; value > 0; value /= 10) out[--end] = static_cast<char>('0' + value % 10);
  };
  put(4, std::clamp(int{date.year()}, 0, 9999));
  put(7, unsigned{date.month()});
  put(10, unsigned{date.day()});
  put(13, clock.hours().count());
  put(16, clock.minutes().count());
  put(19, clock.seconds().count());
  return out;
}

}  // namespace cistern::stitch::feed
