#pragma once

/// Which element feeds which field, for all XML formats at once: one table, field <- ordered sources.
/// The lowest rank that has something to say wins, whatever the order in the document; among equals the first
/// (for RSS links and dates the last). Bound by namespace; by prefix only where that says nothing.

#include "stitch/feed/sax.hpp"

#include <string_view>

namespace cistern::stitch::feed {

/// Whose element it is. `own` is RSS in all its namespaces and in none; a `counter` is a service that put addresses of
/// its own in the publisher's place, to count readers.
enum class vocabulary {
  own,
  atom,
  dc,
  dcterms,
  content,
  media,
  itunes,
  googleplay,
  podcast,
  counter,
  sy,
  xhtml,
  rdf,
  foreign
};

enum class place { channel, item };

enum class field {
  title,
  link,
  summary,
  content,
  id,
  author,
  published,
  updated,
  category,
  comments,
  enclosure,
  hash,
  image,
  language,
  ttl,
  skip_hours,
  skip_days,
  update_period,
  update_frequency,
  update_base,
  none
};

/// How the element is read.
enum class form {
  text,  // its text
  html,  // a text construct: plain, escaped or inline markup
  date,
  person,     // RSS's one line, or Atom's name and email
  link,       // RSS's text, or Atom's rel and href
  category,   // text, or Atom's term and label, or itunes' text
  keywords,   // several, between commas
  enclosure,  // url, type, length
  media,      // media:content, which is also a group
  href,       // an address in an attribute (url, href, resource), else the text
  image,      // RSS's <image> with a <url> inside
  values,     // skipHours, skipDays: the children's texts
  group,      // its children count as if they stood outside
  source      // where an entry was first: only its author counts
};

/// The rank of a link that even a guid which may be one is better than.
inline constexpr int last_resort = 6;

struct source {
  place where;
  vocabulary whose;
  std::string_view element;  // lower case
  field to;
  form as;
  int rank = 0;
};

/// The row for an element, or nullptr when it says nothing to us. `name` is lower case.
[[nodiscard]] source const* find_source(place where, vocabulary whose, std::string_view name);

/// By namespace, or by the usual prefix when that was not declared or, for an extension, nobody knows its namespace.
/// Other unknown namespaces are foreign.
[[nodiscard]] vocabulary vocabulary_of(xml_name const& name);

}  // namespace cistern::stitch::feed
