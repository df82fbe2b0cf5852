#pragma once

#include "store/object.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace cistern::sync {

/// Going on with a download that broke (RFC 9110 §14, RFC 9111 §3.4): what to ask for, and what the answer means. Pure.
///
/// Nothing is ever spliced. Stored bytes are used again only when a strong validator says that they are of the same
/// entity (a strong ETag, or a Last-Modified that is strong by the one-second rule), or, where nobody says anything,
/// when the bytes themselves agree: an overlap for a 206, the whole prefix for a 200.
///
/// Ranges count bytes of one coded representation. A resume asks for `identity`, and a partial that was stored coded
/// (gzip …) is continued only with a strong tag, in the same coding; dates and overlaps do not vouch for a coder.

/// Bytes before the end that are fetched again and compared where no validator vouches.
inline constexpr std::uint64_t resume_overlap = 16 << 10;
/// A prefix up to this is rather fetched again and compared than avoided by one more request.
inline constexpr std::uint64_t cheap_prefix = 64 << 10;

struct resume_plan {
  std::uint64_t from = 0;          // the first byte to ask for
  std::string validator{};         // for If-Range; empty: none
  std::string coding{"identity"};  // for Accept-Encoding
};

/// What to ask for; nothing when the whole must be asked for. With `doubtful`, an overlap is compared even though there
/// is a validator.
[[nodiscard]] std::optional<resume_plan> plan_resume(store::stored_object const& partial, bool doubtful = false);
/// Range, If-Range and Accept-Encoding.
void add_resume_fields(store::header_block& request, resume_plan const& plan);

/// A head as far as it matters here.
struct answer_facts {
  unsigned status = 0;
  store::header_block const& fields;
  std::optional<std::uint64_t> content_length{};  // of the message's body
};

enum class resume_step {
  proceed,    // bytes from `start` on: those that are stored already must be equal, the rest is new
  shadow,     // the whole, perhaps the same: compared with what is stored, and new behind it
  replace,    // the whole of another entity: what is stored goes
  complete,   // nothing is missing
  ask_again,  // the Range was ignored though the entity may be the same: the next answer may honour it
  doubt,      // a range that nobody vouches for: ask with an overlap
  ask_whole,  // cannot be used: ask without Range
  unrelated,  // a redirect, an error: says nothing about the body
};

struct resume_verdict {
  resume_step step = resume_step::unrelated;
  std::uint64_t start = 0;
  std::optional<std::uint64_t> total{};  // of the entity, where known
};

/// `plan` is what was asked for; absent when the whole was. With `patient`, ask_again is a possible answer.
[[nodiscard]] resume_verdict judge_answer(store::stored_object const& partial, std::optional<resume_plan> const& plan,
                                          answer_facts const& answer, bool patient);

/// Whether what is stored and what comes are of one entity, by what their heads say.
enum class sameness { same, unknown, changed };
[[nodiscard]] sameness compare_entities(store::stored_object const& partial, store::header_block const& fields,
                                        std::optional<std::uint64_t> total);

}  // namespace cistern::sync
