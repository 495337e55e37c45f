// Which algorithm a collective uses where NCCL's tuner does not choose: among ranks without GPUs,
// and for algorithms that NCCL does not have. The simulator prices this choice, and the engine
// executes it.
#pragma once

#include <optional>

#include "sim/ccl/traffic.h"
#include "sim/plan/ccl.h"

namespace quintet {

// The plan's rules for one kind of collective on one axis, merged: the first that names a field
// decides it.
CollectiveRule rule_for(const Ccl& ccl, CollectiveKind kind, Axis axis);

// Whether there is a schedule that ranks execute without GPUs and switches that compute.
bool cpu_ranks_do(CollectiveKind kind, Algorithm algorithm);

// What the plan asks for where CPU ranks do it, and on this layout; else ring, all-to-all direct.
Algorithm cpu_algorithm(CollectiveKind kind, std::optional<Algorithm> asked,
                        const HostLayout& layout);

// The same for GPUs: everything that traffic() prices counts as done, NCCL's own where it has it.
Algorithm algorithm_without_tuner(CollectiveKind kind, std::optional<Algorithm> asked,
                                  const HostLayout& layout);

}  // namespace quintet
