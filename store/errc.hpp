#pragma once

#include <boost/system/error_code.hpp>

namespace cistern::store {

/// What can go wrong between a caller and the repository.
enum class errc {
  store_full = 1,  // the quota or the map is used up and nothing may be evicted
  disk_full,       // the file system has no room
  damaged,         // a checksum or a record does not add up; the object is quarantined
  gone,            // the object or its body was removed meanwhile: look it up again
  read_only,       // opened without the right to write
  misplaced,       // an append did not start where the stored bytes end
  closed,          // the repository is shutting down
  took_too_long,   // a search was given up
  in_use,          // by another process
};

boost::system::error_code make_error_code(errc e);

}  // namespace cistern::store

template <>
struct boost::system::is_error_code_enum<cistern::store::errc> : std::true_type {};
