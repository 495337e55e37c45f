// A whole file, and how many events of which sort it had: for tests of what is counted.
#pragma once

#include "traces/json_stream/json_window.h"
#include "traces/trace/rank_trace.h"

namespace quintet::kineto {

struct WholeTrace {
  RankTrace trace;
  std::int64_t events = 0;    // in the file, of all phases
  std::int64_t arrows = 0;    // that link what is linked otherwise too
  std::int64_t metadata = 0;  // names of rows and the like
};
Result<WholeTrace> read_whole(json_stream::JsonWindow& window);

}  // namespace quintet::kineto
