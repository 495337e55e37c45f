// What the plan asks of NCCL, communicator by communicator. Pure.
#pragma once

#include <optional>
#include <vector>

#include "engine/nccl/tuner_rules.h"
#include "sim/base/ids.h"
#include "sim/plan/ccl.h"
#include "sim/plan/plan_deviation.h"
#include "sim/program/program.h"

namespace quintet::engine {

// The communicator gets a rule for each kind of collective that the program runs on it, all-to-all
// aside, in the order of the enumeration.
TunerRules tuner_rules(const Program& program, const Ccl& ccl, CommunicatorId communicator);

// How many channels (CTAs) NCCL has to make room for; none: it decides.
struct ChannelLimits {
  std::optional<int> least, most;
  bool operator==(const ChannelLimits&) const = default;
};
// As many as any rule asks for must exist; there is an upper limit only where every kind has one,
// or it would hold back those that the plan leaves to NCCL.
ChannelLimits channel_limits(const TunerRules& rules);

// The plan's algorithms that NCCL does not have.
std::vector<PlanDeviation> nccl_deviations(const Program& program, const Ccl& ccl);

}  // namespace quintet::engine
