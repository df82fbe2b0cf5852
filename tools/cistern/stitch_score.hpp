#pragma once

#include <string>

namespace cistern::tools {

/// One line a site and a total on standard output. Returns the exit code.
int score_corpus(std::string const& corpus, bool by_novelty);

}  // namespace cistern::tools
