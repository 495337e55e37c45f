// Probes as they are measured: trained for real by `quintet run`, every rank a process behind its
// own link, so that operators find the caches, the memory and the network's work of a real step.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/probes/adaptive_sampling.h"
#include "calibrate/probes/training_run.h"
#include "calibrate/probes/whole_steps.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

struct ProbePlace {
  const Topology& topology;
  std::string topology_name, kernels;  // as given on command lines
  bool shaped = true;                  // in network namespaces
  std::filesystem::path folder;        // where models, plans and timelines of probes are written
  Processor processor = Processor::cpu;
};

// Runs the probe as a job of its own in the place's folder, again where others disturbed it. Fails
// where the plan does not fit, the job fails, or its trace cannot be read.
Result<ProbeRecord> run_probe(const Probe& probe, const ProbeSteps& steps, const ProbePlace& place);

// The probes' steps beside what the table in the file `costs` predicts of them.
Result<std::vector<WholeStep>> whole_steps(const std::vector<ProbeRecord>& records,
                                           const std::vector<Candidate>& candidates,
                                           const std::string& costs, const ProbePlace& place);

}  // namespace quintet::calibrate
