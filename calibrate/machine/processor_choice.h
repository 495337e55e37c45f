// What computes in runs that are measured: --device of quintet calibrate and quintet loop.
#pragma once

#include <optional>
#include <string>

#include "engine/plan_limits/plan_deviations.h"
#include "sim/base/result.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

using engine::Processor;

Processor processor_of(const std::string& device);  // cpu or gpu

// Where the topology's ranks are others than those that compute, with what would do.
std::optional<Error> other_ranks(const Topology& topology, Processor processor);

// Where GPUs are to compute and there is none: as quintet run says it.
std::optional<Error> missing_gpu(Processor processor);

}  // namespace quintet::calibrate
