// A step in a dozen numbers. Inputs are plain values, so that this room needs to know neither model
// nor topology.
//
//   MFU = model FLOPs / (step time x GPUs x peak)       (PaLM, arXiv 2204.02311, appendix B)
//   HFU = the same with the FLOPs executed, recomputation included      (arXiv 2205.05198)
//   GPU power = idle power + (full power - idle power) x share of the step in which kernels compute
//   energy = (GPUs x GPU power + hosts x host power + network power) x step time
//   money = price per GPU and hour x GPUs x step time
//
// The power model is a straight line between two data-sheet numbers. It was not compared with a
// measurement: communication kernels draw more than idle power, memory-bound kernels less than
// full.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/base/text_table.h"
#include "sim/base/units.h"
#include "sim/explain/breakdown.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// The numbers of one step of the whole job.
struct StepNumbers {
  Flops model_flops;       // forward and backward, without recomputation
  Flops hardware_flops;    // with it
  std::string convention;  // "causal attention counted half, logits counted; peak: dense bf16"
  std::int64_t tokens = 0;
  int gpus = 1;
  FlopRate peak;    // of one GPU
  Watts gpu_power;  // of one GPU at full load; 0: not known
  Watts gpu_idle_power;
  int hosts = 0;
  Watts host_power;      // of one host without its GPUs
  Watts network_power;   // all switches and optics
  DollarsPerHour price;  // of one GPU, host and network included; 0: not known
  bool operator==(const StepNumbers&) const = default;
};

struct StepSummary {
  Seconds step;
  double mfu = 0.0;
  double hfu = 0.0;
  std::string convention;
  double tokens_per_second = 0.0;
  double tokens_per_second_per_gpu = 0.0;
  double compute_share = 0.0;  // of the step in which a GPU computes, mean over ranks
  Watts power;                 // of the whole job, mean over the step; 0: GPU power not known
  Joules energy;               // per step
  Dollars cost;                // per step; 0: price not known
  Dollars cost_per_trillion_tokens;
  bool operator==(const StepSummary&) const = default;
};

// `mean`: over all ranks (breakdown.h). A step of length 0 gives rates of 0.
StepSummary step_summary(const RankBreakdown& mean, const StepNumbers& numbers);
StepSummary step_summary(const Timeline& timeline, const StepNumbers& numbers);

// A column per plan; rows that are not known anywhere are left out. Ends with the formulas.
std::string summary_table(std::span<const Named<StepSummary>> plans);
// The formulas alone, and how FLOPs were counted.
std::string summary_formulas(std::span<const Named<StepSummary>> plans);
// {"schema_version": 1, "plans": [{"name", "step_s", "mfu", ...}]}, units in the keys.
std::string summary_json(std::span<const Named<StepSummary>> plans);

}  // namespace quintet
