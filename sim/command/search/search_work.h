// A search at work: what is seen of it meanwhile, when it stops, where it is saved.
#pragma once

#include <filesystem>
#include <optional>

#include "sim/base/result.h"
#include "sim/search/search.h"
#include "sim/search/search_file.h"

namespace quintet {

struct SearchWork {
  std::filesystem::path state;  // empty: it is not saved
  std::optional<Seconds> time;  // after which it stops
  bool quiet = false;
};

struct SearchEnd {
  SearchState state;
  SearchProgress progress;
  bool interrupted = false;  // by SIGINT or SIGTERM; else, where it is not done, by the time
  Seconds took;
};

// Goes on from the saved state where there is one; fails where that is of another search, or cannot
// be written. SIGINT and SIGTERM end it with the best so far; a second one ends the process.
Result<SearchEnd> work_on(Search& search, const SearchIdentity& identity, const SearchWork& work);

}  // namespace quintet
