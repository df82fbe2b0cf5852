#include "stitch/template/traits.hpp"

namespace cistern::stitch::templates {
namespace {

std::string host_of(std::string_view link) {
  auto const from = link.find("//");
  if (from == std::string_view::npos) return {};
  auto const host = link.substr(from + 2);
  return std::string{host.substr(0, host.find_first_of("/?#"))};
}

}  // namespace

std::set<std::string> values_of(trait t, item_table const& items, item_id i, std::size_t time) {
  auto const& item = items.as_of(i, time);
  if (t == trait::category) return {item.categories.begin(), item.categories.end()};
  auto value = t == trait::author ? item.author : host_of(items[i].link);
  if (value.empty()) return {};
  return {std::move(value)};
}

}  // namespace cistern::stitch::templates
