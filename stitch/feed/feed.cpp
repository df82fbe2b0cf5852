#include "stitch/feed/feed.hpp"
