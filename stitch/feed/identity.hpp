#pragma once

/// When are two items the same item? By its id, else its normalised link, else a digest of what it says; inside one
/// feed. An edit changes the version, never the key. The ways of telling keys apart are numbered: a later algorithm
/// gets a new number, so that an upgrade does not make every item new.

#include "stitch/feed/feed.hpp"

#include <chrono>
#include <span>
#include <string>
#include <string_view>

namespace cistern::stitch::feed {

/// What a feed's items are told apart by. Stored per feed and only ever made coarser (`settled`), so that a feed whose
/// guids repeat now and then does not turn everything new twice.
enum class key_policy : std::uint8_t {
  id = 1,     // guid, else link, else digest
  link = 2,   // ids repeat or change: link, else digest
  digest = 3  // links repeat too: title and date, with link and id
};

struct identity {
  std::string key;      // same key in the same feed: same item
  std::string link;     // normalised, empty when there is none: a second key when the id's scheme changed
  std::string title;    // folded title and day of publication: a third
  std::string version;  // changes when what is shown changes; dates alone do not count
};

[[nodiscard]] identity identify(item const& item, key_policy policy);

/// The policy for this feed given what it shows now: `current`, or coarser when different items share a key under it.
[[nodiscard]] key_policy settled(key_policy current, std::span<item const> items);

enum class sameness {
  different,
  same,
  edited,  // same key, other version
  moved    // another key, but the same link, or the same title and day: the publisher changed how ids are made
};
[[nodiscard]] sameness compare(identity const& known, identity const& seen);

/// Without what does not change the page it leads to: http or https, www, default port, fragment, a final slash and the
/// parameters that count visitors.
[[nodiscard]] std::string normalised_link(std::string_view link);

/// Dates later than when the item was first seen become that moment, so that nothing sticks to the top for years.
void clamp_future(item& item, std::chrono::sys_seconds first_seen);

}  // namespace cistern::stitch::feed
