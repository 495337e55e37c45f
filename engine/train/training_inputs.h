// A run's files, read and checked against each other before anything starts.
#pragma once

#include "engine/executor/rank_executor.h"
#include "engine/operators/rank_shape.h"
#include "engine/plan_limits/plan_deviations.h"
#include "engine/train/training_options.h"
#include "sim/base/result.h"
#include "sim/parallelism/compile.h"
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
  CompileOptions compile;                 // that the program was compiled with
  std::vector<Seat> seats;                // of every rank, where the machine was told; else none
  BackendKinds backends;                  // between ranks
  std::vector<PlanDeviation> deviations;  // what of the plan ranks do otherwise
};

// Reads model, plan and machine and checks that they fit and can be run. The error names the file,
// the place and what is accepted; several of a plan come together, a line each.
Result<TrainingInputs> read_training_inputs(const TrainingOptions& options);

// What one rank executes of them.
RankExecutorInput executor_input(const TrainingInputs& inputs, const TrainingOptions& options,
                                 Rank rank);

// What ranks add to the plan by themselves. GPUs: the vocabulary is padded to a multiple of 128
// times the tensor ranks, as Megatron-LM (make_vocab_size_divisible_by) and llm.c (50,257 to
// 50,304) do, since tensor cores take rows that lie on 16 bytes; weights there are zero, get no
// gradient and are in no file. CPU cores gain nothing by it, and no more is padded than the split
// over ranks needs. The simulator knows nothing of it: costs are those of the plan's own sizes, as
// the ranks take them (calibrate/probes/measured_run.h).
CompileOptions compile_options(Processor processor);

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
// What config.json says beside the shapes. Refuses what no kernel here does (rotary positions
// scaled in another way than kernels/rotary_scaling.h's).
Result<ModelNumerics> read_numerics(const std::filesystem::path& config, ModelFamily family);

}  // namespace quintet::engine
