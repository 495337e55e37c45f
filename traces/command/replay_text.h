// What `quintet replay` prints.
#pragma once

#include <optional>
#include <string>

#include "traces/command/replay_inputs.h"
#include "traces/replay/replay.h"
#include "traces/workload/workload.h"

namespace quintet {

struct ReplayAnswer {
  const Workload& workload;
  std::string format;
  const Timeline& recorded;                  // of a recorded workload
  const std::optional<Replay>& as_recorded;  // likewise
  const std::optional<Replay>& changed;      // none: nothing was asked to be otherwise
  const std::optional<Replay>&low, &high;    // on another GPU: between these
  const ReplayMachines& machines;
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
