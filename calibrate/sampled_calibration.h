// Curves of all operators within a range of sizes, from probes that run on this machine.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "calibrate/adaptive_sampling.h"
#include "kernels/kernels.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

struct SampledRequest {
  ProbeRange range;
  const Topology& topology;
  std::function<std::unique_ptr<kernels::Kernels>()> kernels;
  std::string conditions;  // of the journal
  std::filesystem::path journal;
  double target = 0.03;
  Seconds time{300};
  int cores = 1;
};

// Probes are steps of all ranks, as threads of this process (measure_operators.h): caches, memory
// and cores are shared as in a step, the network is none. Progress on the standard error.
Result<Sampled> sampled_calibration(const SampledRequest& request);

// "21 probes; median error of operators left out 2.1 %; ended as the target was reached"
std::string how_it_ended(const Sampled& sampled);
// What the curves do not hold for, a sentence each.
std::vector<std::string> not_measured(const SampledRequest& request, const Sampled& sampled);

}  // namespace quintet::calibrate
