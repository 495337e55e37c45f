// A run's files, read and checked against each other before anything starts.
#pragma once

#include "engine/operators/rank_shape.h"
#include "engine/plan_limits/plan_deviations.h"
#include "engine/train/training_options.h"
#include "sim/base/result.h"
#include "sim/plan/plan.h"
#include "sim/plan/plan_deviation.h"
#include "sim/program/program.h"
#include "sim/topology/host_layout.h"
#include "sim/topology/topology.h"

namespace quintet::engine {

struct TrainingInputs {
  Model model;
  Numerics numerics;
  double deviation = 0.02;  // of initial weights
  Plan plan;
  Topology topology;
  Program program;
  std::vector<Seat> seats;                // of every rank, where the machine was told; else none
  BackendKinds backends;                  // between ranks
  std::vector<PlanDeviation> deviations;  // what of the plan ranks do otherwise
};

// Reads model, plan and machine and checks that they fit and can be run. The error names the file,
// the place and what is accepted; several of a plan come together, a line each.
Result<TrainingInputs> read_training_inputs(const TrainingOptions& options);

// What is known before ranks are started. `emulated`: EmulatedCluster::deviations(), where there is
// one.
std::vector<PlanDeviation> deviations_by(const TrainingInputs& inputs,
                                         const TrainingOptions& options,
                                         std::vector<std::string> emulated = {});

// One rank on each host, all hosts on one switch: what runs anywhere.
Topology one_switch(int hosts);

struct ModelNumerics {
  Numerics numerics;
  double deviation = 0.02;
};
// What config.json says beside the shapes. Refuses what no kernel here does (scaled rotary
// positions).
Result<ModelNumerics> read_numerics(const std::filesystem::path& config, ModelFamily family);

}  // namespace quintet::engine
