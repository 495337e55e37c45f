// Measures the probe that teaches most, again and again, until enough is known or time is up.
#pragma once

#include <functional>
#include <vector>

#include "calibrate/operators/operator_knowledge.h"
#include "calibrate/probes/probe.h"
#include "calibrate/probes/probe_journal.h"

namespace quintet::calibrate {

struct SamplingProgress {
  int probes = 0;        // measured
  double held_out = 1;   // median error so far
  Seconds passed, left;  // of the time given
  std::string next;
};

struct SamplingOptions {
  double target = 0.03;  // held-out error
  Seconds time{300};     // no probe begins after it; the first of each form, after three times that
  Seconds longest{20};   // that one probe may take, as far as that is foreseen
  Seconds preparation{0.2};        // of a probe, before its first step
  int cores = 1;                   // or GPUs, that the ranks share
  double unknown_rate = 2e9;       // flops or bytes of each per second, before one is known
  std::function<Seconds()> clock;  // since the calibration began, interruptions included
  std::function<void(const SamplingProgress&)> progress = [](const SamplingProgress&) {};
};

// Steps to run of a probe whose step takes about so long.
struct ProbeSteps {
  int warm_up = 2, steps = 3;
};

using Prober = std::function<Result<ProbeRecord>(const Candidate&, const ProbeSteps&)>;

enum class SamplingEnd { target_reached, time_up, all_measured };

struct Sampled {
  SamplingEnd end = SamplingEnd::time_up;
  OperatorKnowledge knowledge;        // fitted
  std::vector<StagingCosts> staging;  // medians
  int probes = 0;
  double held_out = 1;
};

// First one probe of every form, then whichever promises most per second of measuring: the sum over
// its operators of weight times deviation. Every other one at most is of
// operators that the others contradict, which are measured again.
// What the journal holds is not measured again.
Result<Sampled> sample_operators(const std::vector<Candidate>& candidates, const Prober& prober,
                                 ProbeJournal& journal, const SamplingOptions& options);

}  // namespace quintet::calibrate
