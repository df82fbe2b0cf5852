#include "proxy/listener.hpp"
