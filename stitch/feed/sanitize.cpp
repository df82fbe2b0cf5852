#include "stitch/feed/sanitize.hpp"

#include "stitch/feed/text.hpp"
#include "stitch/html/sanitizer.hpp"

namespace cistern::stitch::feed {

bool sanitize(std::string& html, allowance& left) {
  auto const work = html::sanitizing_work(html);
  bool const affordable = work <= left.left();
  if (affordable) left.spend(work);
  html = affordable ? html::sanitized(html) : html::escaped(html_to_text(html));
  return affordable;
}

bool sanitize(item& one, allowance& left) {
  bool whole = true;
  auto const show = [&](std::string& text, bool is_text) {
    if (is_text)
      text = html::escaped(text);
    else
      whole = sanitize(text, left) && whole;
  };
  show(one.summary, one.summary_is_text);
  show(one.content, one.content_is_text);
  return whole;
}

}  // namespace cistern::stitch::feed
