#pragma once

#include <boost/system/error_code.hpp>

#include <type_traits>

namespace cistern::stitch::feed {

enum class errc {
  not_a_feed = 1,  // HTML, OPML, an empty file, any other XML or JSON
  not_opml,
};
[[nodiscard]] boost::system::error_code make_error_code(errc e) noexcept;

}  // namespace cistern::stitch::feed

template <>
struct boost::system::is_error_code_enum<cistern::stitch::feed::errc> : std::true_type {};
