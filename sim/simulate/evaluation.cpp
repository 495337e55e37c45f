#include "sim/simulate/evaluation.h"

#include <algorithm>
#include <cmath>

#include "sim/model/parameters.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/program/forward_only.h"

namespace quintet {

namespace {

int rounds(double count, double each) {
  return static_cast<int>(std::max(1.0, std::ceil(count / each)));
}

double moments(Optimizer optimizer) {
  return optimizer == Optimizer::sgd ? 1 : 2;
}

}  // namespace

Plan evaluation_plan(const Plan& plan) {
  Plan made = plan;
  Parallelism& parallelism = made.parallelism;
  const double batch = global_batch(parallelism);
  const double samples = plan.run.batch > 0 ? plan.run.batch : batch;
  const double sequences = plan.run.evaluation.samples * batch / samples;
  const int each = rounds(sequences, parallelism.data);
  parallelism.micro_batch = std::min(parallelism.micro_batch, each);
  const int needed = rounds(each, parallelism.micro_batch);
  const int stages = parallelism.pipeline;
  parallelism.micro_batches = rounds(needed, stages) * stages;
  return made;
}

Result<Seconds> evaluation_time(const Model& model, const Plan& plan, const Topology& topology,
                                const CostTable& costs, const PredictOptions& options) {
  const Plan evaluated = evaluation_plan(plan);
  const Result<Program> step = checked_program(model, evaluated, topology, costs, options.compile);
  if (!step) return step.error();
  const Program program = forward_only(*step, ForwardOf::every_micro_batch);
  const Result<Execution> execution =
      simulate(program, evaluated, topology, costs,
               {.folding = options.folding, .fidelity = options.fidelity});
  if (!execution) return execution.error();
  return seconds(execution->timeline.end - Instant{});
}

Bytes checkpoint_size(const Model& model, const Parallelism& parallelism) {
  const Bytes weight =
      size_of(parallelism.master_weights ? DataType::fp32 : tensor_type(parallelism.compute_type));
  const Bytes each = weight + moments(parallelism.optimizer) * size_of(parallelism.moment_type);
  return static_cast<double>(total_parameters(model)) * each;
}

}  // namespace quintet
