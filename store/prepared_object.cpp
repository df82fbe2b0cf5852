#include "store/prepared_object.hpp"

#include "store/schema.hpp"
#include "store/url.hpp"

#include <utility>

namespace cistern::store {

stored_object unnumbered_object(object_head head, std::uint64_t seed) {
  stored_object object;
  static_cast<object_head&>(object) = std::move(head);
  if (auto normal = normalise_url(object.url)) object.url = std::move(*normal);
  object.ref.url = digest_of(object.url, seed);
  return object;
}

prepared_object prepare_object(object_head head, std::string_view body, std::uint64_t seed) {
  prepared_object out{.object = unnumbered_object(std::move(head), seed)};
  auto& object = out.object;
  object.size = body.size();
  object.complete = true;
  if (body.empty()) return out;
  digest fold;
  for (std::size_t at = 0; at < body.size(); at += chunk_payload) {
    out.checks.push_back(digest_of(body.substr(at, chunk_payload), seed));
    fold = fold_chunk(fold, out.checks.back(), seed);
  }
  object.content = seal_content(fold, body.size(), seed);
  if (!fits_inside(object, body.size())) return out;
  object_record record{.object = std::move(object), .check = out.checks.front(), .bytes = body};
  out.record = encode(record, chunk_value);
  object = std::move(record.object);
  return out;
}

}  // namespace cistern::store
