// What a step's Timeline, predicted or measured, says of a pipeline: what each stage takes for a
// micro-batch, and how long messages between stages are under way.
#pragma once

#include <optional>
#include <vector>

#include "sim/base/units.h"
#include "sim/parallelism/schedules/schedule.h"
#include "sim/timeline/timeline.h"

namespace quintet {

struct PipelineState {
  // The median over micro-batches of a pass from its first kernel to its last; `delay` is how much
  // later than usual messages to the next stage and from it are, which links say (link_watch.h). Of
  // a backward that is not split what its kernels of weight gradients take is W and all else B; in
  // halves, as products of equal sizes are, where they are not told apart.
  std::vector<StageTimes> stages;
  // From the last pass of the stage that is done last to the end of the step: the update, and what
  // it waits for.
  Seconds rest;
  // Between stage i and the next, either way: from the moment the sender took a message up to its
  // arrival, the least of all messages of two ranks, as others may have waited for their turn; the
  // largest over the stage's ranks, all of which its tensor ranks wait for. None where the timeline
  // shows no message whose receiver waited.
  std::vector<std::optional<Seconds>> messages;
  // How long a message of those two ranks kept its sender's lane busy: the whole time where the
  // sender holds it back (HeldSend, sim/topology/topology.h), a part of it where it is late on the
  // way.
  std::vector<std::optional<Seconds>> sends;
  // The part of the stages' delays for which senders hold messages back. Empty: all of them.
  std::vector<Seconds> held{};
  bool operator==(const PipelineState&) const = default;
};

// `stages`: of the plan. What a timeline does not show of a stage is 0.
PipelineState pipeline_state(const Timeline& timeline, int stages);

}  // namespace quintet
