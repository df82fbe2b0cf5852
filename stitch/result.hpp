#pragma once

#include <boost/system/result.hpp>

namespace cistern::stitch {

/// The input was not what it had to be, or here is a T.
template <class T>
using result = boost::system::result<T>;

}  // namespace cistern::stitch
