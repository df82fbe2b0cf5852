#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::store {

/// Header fields in the order they came, kept as the bytes HTTP/1.1 puts on the wire ("Name: value\r\n" each, without
/// the empty line at the end), so that a stored response is sent without being taken apart and put together again. A
/// value; views it gives out live until it is changed or destroyed. Names compare without case.
class header_block {
public:
  struct field {
    std::string_view name;
    std::string_view value;  // without surrounding blanks
  };

  class iterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = field;
    using difference_type = std::ptrdiff_t;
    using pointer = field const*;
    using reference = field const&;

    iterator() = default;
    explicit iterator(std::string_view rest) : rest_{rest} { read(); }
    reference operator*() const { return current_; }
    pointer operator->() const { return &current_; }
    iterator& operator++();
    iterator operator++(int);
    bool operator==(iterator const& other) const { return rest_.size() == other.rest_.size(); }

  private:
    void read();
    std::string_view rest_;  // from the current field's first byte on
    field current_;
    std::size_t length_{};  // of the current line with its line end
  };

  header_block() = default;
  /// `wire` must be lines as described above; use `add` for anything that was not.
  static header_block from_wire(std::string wire);
  void assign_wire(std::string_view wire) { text_.assign(wire); }  // the same, into the memory it has

  /// Appends. Line ends inside a name or value would be header injection: they become blanks.
  void add(std::string_view name, std::string_view value);
  /// Replaces every field of that name by one at the first one's place, or appends.
  void set(std::string_view name, std::string_view value);
  /// How many fields of that name were there and are gone now.
  std::size_t erase(std::string_view name);

  /// The first field of that name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const&;
  std::optional<std::string_view> find(std::string_view name) const&& = delete;
  [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
  [[nodiscard]] std::size_t count(std::string_view name) const;
  /// All fields of that name as one list (RFC 9110 §5.3); empty when there is none.
  [[nodiscard]] std::string joined(std::string_view name) const;

  [[nodiscard]] iterator begin() const { return iterator{text_}; }
  [[nodiscard]] iterator end() const { return iterator{std::string_view{}}; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] std::string const& wire() const { return text_; }

  bool operator==(header_block const&) const = default;

private:
  std::string text_{};
};

/// ASCII-only, as HTTP compares names and tokens.
[[nodiscard]] bool same_token(std::string_view a, std::string_view b);

}  // namespace cistern::store
