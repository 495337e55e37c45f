// What steps on processor cores take beside operators: of a rank's own thread between them, and of
// the threads that move messages. Both are read from the timeline of a run. Pure.
#pragma once

#include <optional>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/timeline/timeline.h"

namespace quintet::calibrate {

// What the rank's own thread takes from an operator to the next beside what both computed, in the
// median: looking for what is ready, reading clocks, telling. Of a timeline without processor times
// or of fewer than two operators: 0.
Duration time_between_operators(const Timeline& timeline);

struct BesideOperators {
  Seconds time;      // of processors, in the step that the timeline shows, of all ranks
  int messages = 0;  // between stages, all of `size`
  Bytes size;
};

// The processes' time less what their own threads computed. Nothing where the processes' time is
// not known, or where other things than messages between stages were communicated by more than a
// few bytes: what those take is in message_work and staging.
std::optional<BesideOperators> beside_operators(const Timeline& timeline);

// Sets message_tail to what the table does not price otherwise of a message: the median of runs.
void set_message_tail(const std::vector<BesideOperators>& runs, ProcessorCosts& costs);

}  // namespace quintet::calibrate
