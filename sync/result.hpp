#pragma once

#include <boost/system/result.hpp>

namespace cistern::sync {

/// The world outside misbehaved, or here is a T.
template <class T>
using result = boost::system::result<T>;

}  // namespace cistern::sync
