#include "calibrate/operators/measure_operators.h"

#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "engine/communication/local_world.h"
#include "engine/executor/rank_executor.h"
#include "sim/plan/parallelism.h"
#include "sim/program/groups.h"

namespace quintet::calibrate {
namespace {

Batch random_batch(const Model& model, const Parallelism& parallelism, std::mt19937& random) {
  std::uniform_int_distribution<TokenId> token(0, static_cast<TokenId>(model.vocabulary - 1));
  Batch batch;
  batch.sequences = static_cast<int>(parallelism.micro_batch);
  batch.length = static_cast<int>(parallelism.sequence_length);
  batch.starts = {0};
  for (int sequence = 0; sequence < batch.sequences; ++sequence) {
    for (int place = 0; place < batch.length; ++place) {
      batch.tokens.push_back(token(random));
      batch.targets.push_back(token(random));
      batch.positions.push_back(place);
      if (model.token_types > 0) batch.types.push_back(0);
    }
    batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
  }
  return batch;
}

engine::StepInput step_input(const OperatorRun& run, int replica) {
  const Parallelism& parallelism = run.plan.parallelism;
  std::mt19937 random(static_cast<unsigned>(replica));
  engine::StepInput input;
  for (int number = 0; number < parallelism.micro_batches; ++number)
    input.micro_batches.push_back(random_batch(run.model, parallelism, random));
  input.targets = static_cast<double>(global_batch(parallelism)) *
                  static_cast<double>(parallelism.sequence_length);
  return input;
}

struct RankSteps {
  std::vector<engine::StepReport> reports;
  std::optional<Error> error;
};

RankSteps steps_of(const OperatorRun& run, const OperatorRunOptions& options, Rank rank,
                   engine::CommunicationBackend& backend) {
  RankSteps result;
  const std::unique_ptr<kernels::Kernels> kernels = options.kernels();
  engine::RankExecutorInput input;
  input.model = run.model;
  input.plan = run.plan;
  input.program = run.program;
  input.options = run.options;
  input.rank = rank;
  input.initial.seed = 1;
  auto executor = engine::RankExecutor::make(std::move(input), *kernels, backend);
  if (!executor) {
    backend.abort(executor.error());
    return {{}, executor.error()};
  }
  const engine::StepInput batch = step_input(run, coordinate(run.program.grid, rank, Axis::data));
  for (int step = 0; step < options.warm_up + options.steps; ++step) {
    Result<engine::StepReport> report = (*executor)->step(batch);
    if (!report) return {{}, report.error()};
    if (step >= options.warm_up) result.reports.push_back(std::move(*report));
  }
  return result;
}

}  // namespace

std::optional<Error> measure_operators(const OperatorRun& run, const OperatorRunOptions& options,
                                       OperatorSamples& samples) {
  const auto ranks = static_cast<std::size_t>(world_size(run.program.grid));
  engine::LocalWorld world(run.program);
  std::vector<RankSteps> all(ranks);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      all[rank] = steps_of(run, options, id_at<Rank>(rank), world.rank(id_at<Rank>(rank)));
    });
  for (std::thread& thread : threads) thread.join();
  for (const RankSteps& each : all)
    if (each.error) return each.error;
  for (const RankSteps& each : all)
    for (const engine::StepReport& report : each.reports)
      samples.add(run.program, report.spans, report.cpu);
  return std::nullopt;
}

}  // namespace quintet::calibrate
