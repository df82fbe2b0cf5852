#include "sync/engine/article.hpp"

#include "store/url.hpp"
#include "sync/engine/part_depth.hpp"
#include "sync/feeds/visit_news.hpp"
#include "sync/plain_body.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

using stitch::html::requisite;
using stitch::html::requisite_kind;

enum class content { page, style, other };

content kind_of(store::stored_object const& object) {
  auto const type = object.headers.find("Content-Type").value_or("");
  if (type.find("html") != type.npos) return content::page;
  return type.find("text/css") != type.npos ? content::style : content::other;
}

std::vector<requisite> needs_of(store::repository& kept, store::job const& job, store::stored_object const& object,
                                article_settings const& settings) {
  auto const what = kind_of(object);
  if (what == content::other || job.priority == store::job_class::enclosure) return {};
  auto const body = plain_body(kept, object, settings.largest_page);
  if (!body) return {};
  auto const type = object.headers.find("Content-Type").value_or("");
  if (what == content::style) {
    if (job.depth >= settings.style_depth) return {};
    return stitch::html::requisites_of_style(*body, type, object.url, job.found_on, settings.choose);
  }
  auto const page = stitch::html::document::parse(*body, {.content_type = type});
  if (!page) return {};
  return stitch::html::requisites(*page, object.url, settings.choose);
}

/// Required things before the rest, and of these the order in which they matter.
double worth_of(std::size_t place, bool required) {
  return (required ? 2.0 : 1.0) / (1.0 + static_cast<double>(place));
}

void tell_owner(store::item& item, store::job const& job, part_end how, std::uint64_t bytes, std::size_t wanted,
                std::string const& error) {
  bool const is_page = job.priority != store::job_class::requisite;
  item.bytes += bytes;
  item.parts_wanted += static_cast<std::uint32_t>(wanted);
  if (is_page) {
    item.page_error = how == part_end::stored ? std::string{} : error;
    if (how == part_end::stored) item.state = store::completeness::partial;
  } else {
    if (item.parts_wanted > 0) --item.parts_wanted;
    ++(how == part_end::stored ? item.parts_stored : item.parts_missing);
  }
  if (item.state == store::completeness::partial && item.parts_wanted == 0) item.state = store::completeness::whole;
}

}  // namespace

parts_list find_parts(store::repository& kept, store::job const& job, store::stored_object const& object,
                      std::chrono::sys_seconds now, article_settings const& settings) {
  parts_list out;
  std::size_t place = 0;
  for (auto const& need : needs_of(kept, job, object, settings)) {
    auto const url = store::normalise_url(need.url);
    bool const goes_on = need.kind == requisite_kind::next_page;
    if (!url || *url == object.url || (goes_on && job.depth >= settings.next_pages)) continue;
    auto const stored = kept.find(*url);
    if (stored && *stored) {
      out.here.push_back((*stored)->ref);
      continue;
    }
    store::job part{.url = *url, .priority = store::job_class::requisite};
    part.owners = job.owners;
    part.created = now;
    part.value = job.value * worth_of(place++, need.required);
    part.subscription = job.subscription;
    part.found_on = job.priority == store::job_class::requisite ? job.found_on : object.url;
    part.depth = goes_on || need.kind == requisite_kind::style ? job.depth + 1
                 : need.kind == requisite_kind::image          ? image_part
                                                               : settings.style_depth;
    out.wanted.push_back(std::move(part));
  }
  return out;
}

part_news finish_part(store::write_batch& batch, store::job const& job, part_end how, std::uint64_t bytes,
                      parts_list const& parts, std::string const& error) {
  part_news out;
  auto const current = batch.get<store::job>(job.key());
  if (!current) return out;  // dropped by a person meanwhile
  std::size_t fresh = 0;
  for (auto part : parts.wanted) {
    part.owners = current->owners;
    auto const id = batch.enqueue(part);
    part.id = id;
    if (auto queued = batch.get<store::job>(part.key())) out.queued.push_back(std::move(*queued));
    ++fresh;
  }
  for (auto const& ref : parts.here) batch.set_retention(ref, store::retention::needed);
  for (auto const& owner : current->owners) {
    auto const key = item_key_of(owner);
    auto item = key && job.priority != store::job_class::enclosure ? batch.get<store::item>(*key) : std::nullopt;
    if (!item) continue;
    auto const before = item->state;
    tell_owner(*item, *current, how, bytes, fresh, error);
    out.articles_completed += item->state == store::completeness::whole && before != store::completeness::whole;
    batch.put_item(*item);
  }
  batch.finish_job(job.id);
  return out;
}

}  // namespace cistern::sync
