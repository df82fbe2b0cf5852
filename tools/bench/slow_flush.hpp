#pragma once

/// A disk like the one in a field box. A virtual machine's disk often answers a flush from its host's memory in a tenth
/// of a millisecond; a solid-state disk without a capacitor takes one or more, a memory card or a turning disk ten.
/// Programs for measuring only: whoever links this has every `fdatasync` of the process wait as long as is said here.

#include <chrono>

namespace cistern::bench {

/// From now on, for all threads; 0 is the disk as it is. LMDB's second write of a commit, of its 120 bytes of meta
/// page through O_DSYNC, is left as it is.
void flush_takes_longer_by(std::chrono::microseconds extra);

}  // namespace cistern::bench
