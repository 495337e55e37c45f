// Runs steps of a program for real, all ranks as threads of this process, and takes the processor
// time of every operator. The network is none: ranks hand each other their buffers.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "calibrate/operators/operator_samples.h"
#include "kernels/kernels.h"
#include "sim/base/result.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"

namespace quintet::calibrate {

struct OperatorRun {
  Model model;
  Plan plan;
  Program program;
  CompileOptions options;  // those the program was compiled with
};

struct OperatorRunOptions {
  // One for every rank: implementations keep caches.
  std::function<std::unique_ptr<kernels::Kernels>()> kernels;
  int warm_up = 3;  // steps that do not count: memory is touched, connections of caches made
  int steps = 10;   // that count
};

// Adds what all ranks computed to `samples`. Tokens are random. Fails where the engine does not do
// what the plan asks.
std::optional<Error> measure_operators(const OperatorRun& run, const OperatorRunOptions& options,
                                       OperatorSamples& samples);

}  // namespace quintet::calibrate
