#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cistern::stitch::feed {

/// What a publisher attached to an item: a podcast episode, a picture, a transcript.
struct enclosure {
  std::string url;  // absolute
  std::string type;
  std::optional<std::uint64_t> length;
  std::string hash{};  // of the file, as Media RSS has it: "md5 …", "sha-1 …", "sha-256 …", in lower case
};

/// One item of a feed. Empty strings and empty optionals are absent fields.
/// Title and author are plain text; summary and content are HTML as the publisher gave it, with absolute links (or
/// plain text, where the publisher says so), and pass the sanitiser before they are shown or stitched. Dates are UTC.
struct item {
  std::string id;  // as the publisher gave it, never resolved or changed
  std::string link;
  std::string title;
  std::string summary;
  std::string content;
  std::string author;
  std::optional<std::chrono::sys_seconds> published;
  std::optional<std::chrono::sys_seconds> updated;
  std::optional<std::chrono::minutes> zone{};  // how far from UTC the publisher's clock was, where a date says so
  std::vector<std::string> categories;
  std::string comments;
  std::vector<enclosure> enclosures;
  std::string image;
  bool summary_is_text = false;  // the publisher says plain text: a '<' in it is a '<', not markup
  bool content_is_text = false;
};

/// A publisher's rule "between these hours on these days I post every so many minutes" (Wanrooij and Pras).
struct interval_rule {
  int start_hour = 0, end_hour = 24;  // [start, end), in UTC
  int start_day = 0, end_day = 6;     // Monday is 0, both included
  std::chrono::minutes interval{};
};

/// One feed document, whatever its format, as one value that owns its strings.
struct feed {
  std::string format;  // "rss 2.0", "atom 1.0", "json feed 1.1" ...
  std::string title;
  std::string link;
  std::string description;
  std::string self;
  std::string hub;
  std::string next;          // RFC 5005 paging
  std::string prev_archive;  // RFC 5005 archives
  std::string language;
  std::optional<std::chrono::sys_seconds> updated;
  std::optional<int> ttl_minutes;
  std::vector<int> skip_hours;
  std::vector<std::string> skip_days;
  std::string update_period;
  std::optional<int> update_frequency;
  std::optional<std::chrono::sys_seconds> update_base;
  std::vector<interval_rule> intervals;
  std::vector<item> items;
  bool repaired = false;  // the document was broken and what could be saved was saved
};

}  // namespace cistern::stitch::feed
