#include "sync/resume.hpp"

#include "store/partial_content.hpp"
#include "store/ranges.hpp"
#include "store/validation.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

std::string_view value_of(store::header_block const& fields, std::string_view name) {
  return fields.find(name).value_or(std::string_view{});
}

std::string_view coding_of(store::header_block const& fields) {
  auto const coding = value_of(fields, "Content-Encoding");
  return coding.empty() ? std::string_view{"identity"} : coding;
}

/// From the head of a 206, or of a 200 that is one but for its number.
resume_verdict judge_range(store::stored_object const& partial, resume_plan const& plan, answer_facts const& answer,
                           store::received_range const& got, bool patient) {
  if (answer.content_length && *answer.content_length != got.range->size()) return {resume_step::ask_whole};
  auto const same = compare_entities(partial, answer.fields, got.size);
  auto const start = got.range->first;
  if (same == sameness::changed || start > partial.size) return {resume_step::ask_whole};
  auto const again = partial.size - start;  // bytes that come a second time
  if (same == sameness::unknown && again < std::min(resume_overlap, partial.size)) {
    bool const was_asked_for = plan.from + resume_overlap <= partial.size;
    return {was_asked_for ? resume_step::ask_whole : resume_step::doubt};
  }
  if (patient && start < plan.from && plan.from - start > cheap_prefix) return {resume_step::ask_again};
  return {resume_step::proceed, start, got.size ? got.size : partial.expected_size};
}

resume_verdict judge_whole(store::stored_object const& partial, std::optional<resume_plan> const& plan,
                           answer_facts const& answer, bool patient) {
  auto const same = compare_entities(partial, answer.fields, answer.content_length);
  if (same == sameness::changed) return {resume_step::replace, 0, answer.content_length};
  bool const never = store::same_token(value_of(answer.fields, "Accept-Ranges"), "none");
  if (plan && patient && !never && partial.size > cheap_prefix) return {resume_step::ask_again};
  return {resume_step::shadow, 0, answer.content_length};
}

resume_verdict judge_unsatisfiable(store::stored_object const& partial, resume_plan const& plan,
                                   answer_facts const& answer) {
  auto const got = store::parse_content_range(value_of(answer.fields, "Content-Range"));
  bool const ours = got && !got->range && got->size && *got->size == partial.size && plan.from == partial.size;
  if (!ours || compare_entities(partial, answer.fields, got->size) == sameness::changed)
    return {resume_step::ask_whole};
  return {resume_step::complete, partial.size, partial.size};
}

}  // namespace

sameness compare_entities(store::stored_object const& partial, store::header_block const& fields,
                          std::optional<std::uint64_t> total) {
  if (total && (*total < partial.size || (partial.expected_size && *partial.expected_size != *total)))
    return sameness::changed;
  auto const tag = value_of(partial.headers, "ETag");
  auto const new_tag = value_of(fields, "ETag");
  auto const date = value_of(partial.headers, "Last-Modified");
  auto const new_date = value_of(fields, "Last-Modified");
  if (!store::same_token(coding_of(partial.headers), coding_of(fields))) return sameness::changed;
  if (!tag.empty() && !new_tag.empty()) {
    if (store::strong_match(tag, new_tag)) return sameness::same;
    return store::weak_match(tag, new_tag) ? sameness::unknown : sameness::changed;
  }
  if (date.empty() || new_date.empty()) return sameness::unknown;
  if (date != new_date) return sameness::changed;
  return store::is_strong_date(partial.headers, partial.responded) ? sameness::same : sameness::unknown;
}

std::optional<resume_plan> plan_resume(store::stored_object const& partial, bool doubtful) {
  if (partial.complete || partial.status != 200 || partial.size == 0) return std::nullopt;
  resume_plan plan{.from = partial.size};
  plan.validator = store::strong_validator(partial.headers, partial.responded);
  plan.coding = coding_of(partial.headers);
  bool const coded = !store::same_token(plan.coding, "identity");
  if (coded && (doubtful || plan.validator.empty() || !partial.headers.has("ETag"))) return std::nullopt;
  if (doubtful || plan.validator.empty()) {
    if (partial.size <= resume_overlap) return std::nullopt;
    plan.from -= resume_overlap;
  } else if (partial.expected_size && *partial.expected_size <= partial.size) {
    --plan.from;  // all is there and only that is not written down: a range that can be answered
  }
  return plan;
}

void add_resume_fields(store::header_block& request, resume_plan const& plan) {
  request.set("Range", "bytes=" + std::to_string(plan.from) + "-");
  if (!plan.validator.empty()) request.set("If-Range", plan.validator);
  request.set("Accept-Encoding", plan.coding);
}

resume_verdict judge_answer(store::stored_object const& partial, std::optional<resume_plan> const& plan,
                            answer_facts const& answer, bool patient) {
  auto const got = store::parse_content_range(value_of(answer.fields, "Content-Range"));
  bool const has_range = got && got->range;
  if (answer.status == 206 && plan)
    return has_range ? judge_range(partial, *plan, answer, *got, patient) : resume_verdict{resume_step::ask_whole};
  if (answer.status == 200 && plan && has_range && got->range->first > 0) {
    // Some honour the range and forget the status. The length tells it from a whole body with a stray field.
    bool const is_range = answer.content_length && *answer.content_length == got->range->size();
    return is_range ? judge_range(partial, *plan, answer, *got, patient) : resume_verdict{resume_step::ask_whole};
  }
  if (answer.status == 200) return judge_whole(partial, plan, answer, patient);
  if (answer.status == 416 && plan) return judge_unsatisfiable(partial, *plan, answer);
  return {resume_step::unrelated};
}

}  // namespace cistern::sync
