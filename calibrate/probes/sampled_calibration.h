// Curves of all operators within a range of sizes, from probes that run on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/probes/adaptive_sampling.h"
#include "calibrate/probes/probe_run.h"

namespace quintet::calibrate {

struct SampledRequest {
  ProbeRange range;
  ProbePlace place;
  std::string conditions;  // of the journal
  std::filesystem::path journal;
  double target = 0.03;
  Seconds time{300};
  int cores = 1;
};

struct SampledCalibration {
  Sampled sampled;
  std::vector<ProbeRecord> records;
  std::vector<Candidate> candidates;
};

// Progress on the standard error.
Result<SampledCalibration> sampled_calibration(const SampledRequest& request);

// "21 probes; median error of operators left out 2.1 %; ended as the target was reached"
std::string how_it_ended(const Sampled& sampled);
// What the curves do not hold for, a sentence each.
std::vector<std::string> not_measured(const SampledRequest& request, const Sampled& sampled);

}  // namespace quintet::calibrate
