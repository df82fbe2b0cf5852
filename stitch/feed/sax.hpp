#pragma once

/// libxml2's push parser behind a small door: events out, no C types. It is handed UTF-8 without a DOCTYPE, so it has
/// nothing to load and nothing to expand; network and external entities are switched off all the same.

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace cistern::stitch::feed {

/// Names are interned by the parser: equal names of one document have equal addresses while it lives.
struct xml_name {
  char const* local = "";
  char const* prefix = nullptr;
  char const* uri = nullptr;
};

struct xml_attribute {
  xml_name name;
  std::string_view value;
};

/// What happens in a document. Views live as long as the call.
class xml_events {
public:
  virtual ~xml_events() = default;
  virtual void start(xml_name const& name, std::span<xml_attribute const> attributes) = 0;
  /// A namespace that the element which starts next declares, used or not.
  virtual void declared(std::string_view /*uri*/) {}
  virtual void end() = 0;
  virtual void text(std::string_view characters) = 0;
};

class sax_parser {
public:
  /// `events` outlives the parser. An exception it throws comes out of `push` or `finish`.
  explicit sax_parser(xml_events& events);
  ~sax_parser();
  sax_parser(sax_parser&&) = delete;

  void push(std::string_view xml);
  /// Text that needs no parsing, after all that was pushed so far: straight to the events.
  void text(std::string_view characters);
  void finish();
  /// libxml2 had to give up before the end (a limit of its own).
  [[nodiscard]] bool stopped() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace cistern::stitch::feed
