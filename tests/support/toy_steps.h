// The steps that toy models learn from: every layout sees the same sequences.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/communication/local_world.h"
#include "engine/executor/rank_executor.h"
#include "engine/files/storage/counter_random.h"
#include "sim/program/groups.h"
#include "tests/support/toy_models.h"

namespace quintet::engine::test {

// Sequence number n of step s: an arithmetic progression (BERT: one word), so that there is
// something to learn.
inline void append_sequence(const Model& model, int step, int number, Batch& batch) {
  const RandomStream stream{7, static_cast<std::uint64_t>(step)};
  const auto word = [&](std::uint64_t which, int limit) {
    return static_cast<std::int32_t>(random_below(stream,
                                                  static_cast<std::uint64_t>(number) * 64 + which,
                                                  static_cast<std::uint64_t>(limit)));
  };
  const bool bert = model.family == ModelFamily::bert;
  const std::int32_t first = word(0, model.vocabulary), stride = bert ? 0 : 1 + word(1, 3);
  for (int place = 0; place < toy_length; ++place) {
    const std::int32_t token = (first + place * stride) % model.vocabulary;
    const bool masked = bert && word(2 + static_cast<std::uint64_t>(place), 4) == 0;
    batch.tokens.push_back(masked ? 0 : token);
    if (bert)
      batch.targets.push_back(masked ? token : no_target);
    else
      batch.targets.push_back((token + stride) % model.vocabulary);
    batch.positions.push_back(place);
    if (bert) batch.types.push_back(place < toy_length / 2 ? 0 : 1);
  }
  batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
  ++batch.sequences;
}

// A plan's layout with 8 sequences a step; micro-batch m of replica d takes the sequences from
// (m * replicas + d) * micro_batch.
struct Toy {
  Model model;
  Plan plan;
  OptimizerSettings optimizer{.learning_rate = 3e-3F, .weight_decay = 0.1F, .maximum_norm = 0.5F};
  DataType type = DataType::fp32;
  int vocabulary_multiple = 1;
  std::uint64_t seed = 11;
};

inline constexpr int toy_sequences = 8;

inline Toy toy(Model model) {
  Toy made;
  made.model = std::move(model);
  Parallelism& parallelism = made.plan.parallelism;
  parallelism.sequence_length = toy_length;
  parallelism.compute_type = DataType::fp32;
  parallelism.micro_batch = 1;
  parallelism.micro_batches = toy_sequences;
  return made;
}

inline StepInput step_input(const Toy& toy, int step, int replica) {
  const Parallelism& parallelism = toy.plan.parallelism;
  StepInput input;
  for (int micro = 0; micro < parallelism.micro_batches; ++micro) {
    Batch batch;
    batch.length = toy_length;
    batch.starts = {0};
    const int first = (micro * parallelism.data + replica) * parallelism.micro_batch;
    batch.first_sequence = step * global_batch(parallelism) + first;
    for (int number = first; number < first + parallelism.micro_batch; ++number)
      append_sequence(toy.model, step, number, batch);
    input.micro_batches.push_back(std::move(batch));
  }
  Batch all;
  for (int number = 0; number < global_batch(parallelism); ++number)
    append_sequence(toy.model, step, number, all);
  input.targets = static_cast<double>(std::count_if(all.targets.begin(), all.targets.end(),
                                                    [](TokenId target) { return target >= 0; }));
  return input;
}

struct Curve {
  std::vector<double> losses;  // mean per target, per step
  std::vector<double> norms;   // of the gradient before clipping
  std::optional<Error> error;
  std::vector<std::vector<Span>> last_spans;  // per rank
};

inline RankExecutorInput executor_input(const Toy& toy, const Program& program, Rank rank) {
  RankExecutorInput input;
  input.model = toy.model;
  input.plan = toy.plan;
  input.program = program;
  input.options.vocabulary_multiple = toy.vocabulary_multiple;
  input.rank = rank;
  input.optimizer = toy.optimizer;
  input.initial = {.seed = toy.seed, .deviation = 0.08};
  return input;
}

inline Program program_of(const Toy& toy) {
  CompileOptions options;
  options.vocabulary_multiple = toy.vocabulary_multiple;
  return compile(toy.model, toy.plan, options);
}

// One rank's thread: its share of every step's loss.
struct RankCurve {
  std::vector<double> loss_sums, norms;
  std::optional<Error> error;
  std::vector<Span> last_spans;
};

inline RankCurve train_rank(const Toy& toy, const Program& program, Rank rank,
                            RankExecutor& executor, int steps) {
  RankCurve curve;
  const int replica = coordinate(program.grid, rank, Axis::data);
  for (int step = 0; step < steps; ++step) {
    const StepInput input = step_input(toy, step, replica);
    auto report = executor.step(input);
    if (!report) {
      curve.error = report.error();
      return curve;
    }
    curve.loss_sums.push_back(report->loss_sum / input.targets);
    curve.norms.push_back(report->gradient_norm);
    curve.last_spans = std::move(report->spans);
  }
  return curve;
}

inline RankCurve train_rank(const Toy& toy, const Program& program, Rank rank,
                            CommunicationBackend& backend, int steps) {
  const std::unique_ptr<kernels::Kernels> kernels = kernels::reference_kernels();
  auto executor = RankExecutor::make(executor_input(toy, program, rank), *kernels, backend);
  if (executor) return train_rank(toy, program, rank, **executor, steps);
  RankCurve curve;
  curve.error = executor.error();
  backend.abort(executor.error());
  return curve;
}

// Ranks of the last stage that are first along the tensor axis tell the loss.
inline Curve put_together(const Program& program, std::vector<RankCurve> ranks, int steps) {
  Curve curve;
  curve.losses.assign(static_cast<std::size_t>(steps), 0.0);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankCurve& each = ranks[rank];
    if (each.error) curve.error = each.error;
    if (curve.error) return curve;
    if (coordinate(program.grid, Rank{static_cast<int>(rank)}, Axis::tensor) == 0)
      for (std::size_t step = 0; step < curve.losses.size(); ++step)
        curve.losses[step] += each.loss_sums[step];
    curve.norms = each.norms;
    curve.last_spans.push_back(std::move(each.last_spans));
  }
  return curve;
}

// A thread per rank: train_one(rank, its backend).
template <class TrainOne>
Curve train_in_threads(const Program& program, int steps, const TrainOne& train_one) {
  LocalWorld world(program);
  std::vector<RankCurve> curves(static_cast<std::size_t>(world_size(program.grid)));
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < curves.size(); ++number)
    threads.emplace_back([&, number] {
      const Rank rank{static_cast<int>(number)};
      curves[number] = train_one(rank, world.rank(rank));
    });
  for (std::thread& thread : threads) thread.join();
  return put_together(program, std::move(curves), steps);
}

inline Curve train(const Toy& toy, int steps) {
  const Program program = program_of(toy);
  return train_in_threads(program, steps, [&](Rank rank, CommunicationBackend& backend) {
    return train_rank(toy, program, rank, backend, steps);
  });
}

}  // namespace quintet::engine::test
