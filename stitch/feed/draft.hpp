#pragma once

/// A feed or an item while it is being read: for each field the best that was offered so far, as it stood in the
/// document. Links are resolved and texts made plain when it is finished, because the channel may say later what they
/// are relative to.

#include "stitch/feed/feed.hpp"
#include "stitch/feed/limits.hpp"
#include "stitch/url.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace cistern::stitch::feed {

/// What the publisher says a text is.
enum class text_kind {
  loose,   // RSS and whatever has no types: HTML, escaped or not
  plain,   // a '<' is a '<'
  html,    // escaped HTML
  markup,  // XHTML or XML, serialised
};

inline constexpr int nothing_yet = 1000;

struct offered_text {
  std::string text;
  std::string base;  // its xml:base, empty when none applies; may be relative to the document
  text_kind kind = text_kind::loose;
  int rank = nothing_yet;

  [[nodiscard]] bool empty() const { return rank == nothing_yet; }
  /// Takes the text when its rank is better; blank texts are no offer.
  void offer(int new_rank, std::string new_text, std::string_view new_base, text_kind new_kind = text_kind::loose,
             bool last_wins = false);
};

struct offered_date {
  std::optional<std::chrono::sys_seconds> time;
  std::optional<std::chrono::minutes> zone;
  int rank = nothing_yet;
  int repeats = 0;

  /// An unreadable date is no offer: false. One that is not needed is not even looked at; of a few
  /// equals the last counts.
  bool offer(int new_rank, std::string_view text);
};

struct offered_enclosure {
  std::string url, base, type;
  std::optional<std::uint64_t> length;
  int rank = 0;
  std::string hash{};
};

struct draft {
  offered_text title, summary, content, link, id, comments, image;
  offered_text self, hub, next, prev_archive, language;
  offered_date published, updated;
  std::vector<std::string> authors, source_authors;
  int author_rank = nothing_yet;
  std::vector<std::string> categories;
  std::unordered_set<std::string> seen_categories;
  std::vector<offered_enclosure> enclosures;
  offered_text own_enclosure;  // the publisher's address of the first, where a counter put its own
  int alternate_score = -1;    // of the best Atom link so far
  std::string hash;            // of the one file that the item has
  bool guid_is_link = true;

  void add_author(int rank, std::string name);
  [[nodiscard]] bool wants_author(int rank) const {
    return rank < author_rank || (rank == author_rank && authors.size() < 64);
  }
  void add_category(std::string_view text, std::size_t most);
};

/// What a draft is finished with. References, for the length of the call.
struct surroundings {
  url_resolver const& document;
  std::string_view author;  // the feed's, who is an item's that names none
  limits const& bounds;
  allowance& growth;
  bool site_only = false;  // `document` is no more than the site's address: nobody said where the feed is
};

/// The item as its readers get it.
[[nodiscard]] item finished_item(draft&& from, surroundings const& around);

/// Fills the fields that feeds and items share.
void finish_channel(draft&& from, surroundings const& around, feed& to);

/// Several authors in one line.
[[nodiscard]] std::string joined(std::vector<std::string> const& names);

/// Bytes a "length" attribute means; nothing for what is no plain number.
[[nodiscard]] std::optional<std::uint64_t> read_length(std::string_view text);

/// Takes a digest as enclosures carry it when it can be one and says more than what is held.
void offer_hash(std::string& held, std::string_view algorithm, std::string_view digits);

/// A language tag with hyphens: "en_US" is en-US. What can be no tag stays as it is.
[[nodiscard]] std::string read_language(std::string_view text);

}  // namespace cistern::stitch::feed
