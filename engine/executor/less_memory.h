// What to change in a plan whose step does not fit into a device, or whose offload not into its
// host: for whoever reads that it does not.
#pragma once

#include <string>

#include "sim/plan/parallelism.h"

namespace quintet::engine {

// "parallelism.micro_batch below 4, parallelism.recompute full (now none), or more of
// parallelism.tensor or pipeline (now 1, 2)": what is not at its least already, what costs least
// time first.
std::string less_memory(const Parallelism& parallelism);

// Likewise of ranks on CPU cores: their memory is the host's, so that offload would move nothing,
// and more ranks on it would share it.
std::string less_on_cores(const Parallelism& parallelism);

// Likewise of the host's pinned memory.
std::string less_on_host(const Parallelism& parallelism);

}  // namespace quintet::engine
