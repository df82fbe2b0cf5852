#pragma once

#include <boost/system/result.hpp>

namespace cistern::store {

/// The world misbehaved, or here is a T. Absence is not an error: that is an optional inside.
template <class T>
using result = boost::system::result<T>;

}  // namespace cistern::store
