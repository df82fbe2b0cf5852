#include "stitch/feed/sax.hpp"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <new>
#include <string>
#include <vector>

namespace cistern::stitch::feed {

struct sax_parser::state {
  xml_events& events;
  xmlParserCtxtPtr context = nullptr;
  std::exception_ptr failure;
  std::vector<xml_attribute> attributes;
  std::deque<std::string> decoded;  // values that attributes point to

  explicit state(xml_events& target) : events{target} {}

  // Without XML_PARSE_NOENT, which would also expand everything else, libxml2 leaves each '&' of an attribute as
  // "&#38;".
  std::string_view decode(std::string_view value) {
    constexpr std::string_view escaped = "&#38;";
    if (value.find('&') == std::string_view::npos) return value;
    auto& out = decoded.emplace_back();
    for (auto at = value.find(escaped); at != std::string_view::npos; at = value.find(escaped)) {
      (out += value.substr(0, at)) += '&';
      value.remove_prefix(at + escaped.size());
    }
    return out += value;
  }

  // No exception may pass through libxml2: it is kept, and the parser stopped.
  template <class Work>
  void guarded(Work work) noexcept {
    if (failure) return;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
      xmlStopParser(context);
    }
  }
};

namespace {

char const* chars(xmlChar const* text) { return reinterpret_cast<char const*>(text); }

void ignore_error(void*, char const*, ...) {}
void ignore_structured(void*, xmlErrorPtr) {}

}  // namespace

sax_parser::sax_parser(xml_events& events) : state_{std::make_unique<state>(events)} {
  using inner = state;
  static bool const ready = (xmlInitParser(), true);  // once, before any thread can race for it
  static_cast<void>(ready);
  xmlSAXHandler handler{};
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = [](void* data, xmlChar const* local, xmlChar const* prefix, xmlChar const* uri, int spaces,
                              xmlChar const** declared, int count, int, xmlChar const** values) {
    auto& self = *static_cast<inner*>(data);
    self.guarded([&] {
      self.attributes.clear();
      self.decoded.clear();
      for (auto const* at = declared; at != declared + 2 * spaces; at += 2)
        if (at[1]) self.events.declared(chars(at[1]));
      for (auto const* at = values; at != values + 5 * count; at += 5)
        self.attributes.push_back(
            {{chars(at[0]), chars(at[1]), chars(at[2])}, self.decode({chars(at[3]), chars(at[4])})});
      self.events.start({chars(local), chars(prefix), chars(uri)}, self.attributes);
    });
  };
  handler.endElementNs = [](void* data, xmlChar const*, xmlChar const*, xmlChar const*) {
    auto& self = *static_cast<inner*>(data);
    self.guarded([&] { self.events.end(); });
  };
  handler.characters = [](void* data, xmlChar const* text, int length) {
    auto& self = *static_cast<inner*>(data);
    self.guarded([&] { self.events.text({chars(text), static_cast<std::size_t>(length)}); });
  };
  handler.ignorableWhitespace = handler.characters;
  handler.cdataBlock = handler.characters;
  handler.getEntity = [](void*, xmlChar const* name) { return xmlGetPredefinedEntity(name); };
  handler.warning = ignore_error;
  handler.error = ignore_error;
  handler.fatalError = ignore_error;
  handler.serror = ignore_structured;
  state_->context = xmlCreatePushParserCtxt(&handler, state_.get(), nullptr, 0, nullptr);
  if (!state_->context) throw std::bad_alloc{};
  xmlCtxtUseOptions(state_->context, XML_PARSE_RECOVER | XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  xmlSwitchEncoding(state_->context, XML_CHAR_ENCODING_UTF8);
}

sax_parser::~sax_parser() { xmlFreeParserCtxt(state_->context); }

void sax_parser::push(std::string_view xml) {
  constexpr std::size_t step = 64U << 10;  // well below libxml2's limit on what it looks at once
  // libxml2 keeps every name in a table that stops growing: looking one up then takes the longer the more there are.
  // A feed has a few hundred.
  constexpr int most_names = 20'000;
  for (; !xml.empty() && !stopped(); xml.remove_prefix(std::min(step, xml.size()))) {
    xmlParseChunk(state_->context, xml.data(), static_cast<int>(std::min(step, xml.size())), 0);
    if (xmlDictSize(state_->context->dict) > most_names) xmlStopParser(state_->context);
  }
  if (state_->failure) std::rethrow_exception(state_->failure);
}

void sax_parser::text(std::string_view characters) {
  if (!stopped()) state_->events.text(characters);
}

void sax_parser::finish() {
  if (!stopped()) xmlParseChunk(state_->context, "", 0, 1);
  if (state_->failure) std::rethrow_exception(state_->failure);
}

bool sax_parser::stopped() const { return state_->context->disableSAX != 0; }

}  // namespace cistern::stitch::feed
