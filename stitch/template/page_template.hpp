#pragma once

/// What is kept of a homepage between syncs so that it can be stitched: its last versions and what the feeds told of
/// the items on them. It is the evidence, not the conclusions: learning from it again costs less than parsing the
/// pages, a better method learns more from the same evidence, and the pristine page is always in it.

#include "stitch/result.hpp"
#include "stitch/template/stitch.hpp"

#include <string>
#include <string_view>

namespace cistern::stitch::templates {

struct page_template {
  std::string base;
  std::vector<snapshot> snapshots;  // oldest first; the last one is the page as it was served

  [[nodiscard]] std::string_view pristine() const {
    return snapshots.empty() ? std::string_view{} : snapshots.back().page.source();
  }
};

/// Keeps the last `most` snapshots, and of items that none of their pages links to only what is needed to place them.
[[nodiscard]] page_template learn(std::string base, std::vector<snapshot> snapshots, std::size_t most = 3);

[[nodiscard]] outcome stitch(page_template const& t, std::vector<feed::feed> const& feeds, options const& o = {});

/// As bytes and back. Reading checks every length; damaged bytes are errc::damaged, never a crash.
[[nodiscard]] std::string serialise(page_template const& t);
[[nodiscard]] result<page_template> deserialise(std::string_view bytes);

enum class errc { damaged = 1 };
[[nodiscard]] boost::system::error_code make_error_code(errc e) noexcept;

}  // namespace cistern::stitch::templates

template <>
struct boost::system::is_error_code_enum<cistern::stitch::templates::errc> : std::true_type {};
