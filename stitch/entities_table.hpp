#pragma once

#include <string_view>

namespace cistern::stitch {

struct named_reference {
  std::string_view name;  // without & and ;
  std::string_view text;  // UTF-8
  bool legacy;            // browsers also know it without the semicolon
};

extern named_reference const named_references[];  // sorted by name, bytewise
extern unsigned const named_reference_count;

}  // namespace cistern::stitch
