// What `quintet replay` prints.
#pragma once

#include <optional>
#include <string>

#include "traces/replay/replay.h"
#include "traces/workload/workload.h"

namespace quintet {

struct ReplayAnswer {
  const Workload& workload;
  std::string format;
  const Timeline& recorded;              // of a recorded workload
  const Replay& as_recorded;             // likewise
  const std::optional<Replay>& changed;  // none: nothing was asked to be otherwise
  std::string on;                        // what was: "on box-4-100mbit"
  std::string rests_on;                  // how communication was priced there, a sentence
};

std::string replay_text(const ReplayAnswer& answer);
// {"schema_version": 1, ...}: docs/schema/replay.json.
std::string replay_json(const ReplayAnswer& answer);

// How far the replayed step, and the end of its worst rank, are from the recorded ones, as shares.
struct ReplayError {
  double step = 0, worst_rank = 0;
};
ReplayError replay_error(const Workload& workload, const Replay& replay);

}  // namespace quintet
