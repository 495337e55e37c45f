#include "engine/validation/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/network/transport/transport.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

constexpr std::uint64_t validation_label = label_in(LabelSpace::training, 8);

// Plain numbers: sent as they lie.
struct Part {
  double loss = 0;
  std::int64_t targets = 0;
};

std::int64_t targets_in(const StepInput& input) {
  const auto& targets = input.micro_batches.front().targets;
  return std::count_if(targets.begin(), targets.end(),
                       [](TokenId target) { return target != no_target; });
}

}  // namespace

std::string validation_line(const ValidationLoss& found) {
  return fmt::format(
      "validation after step {}: loss {:.4f} over {} sequences ({} targets), {:.1f} ms", found.step,
      found.loss, found.sequences, found.targets, found.seconds * 1e3);
}

Validation::Validation(BatchSampler sampler, std::int64_t most, const When& when, Peers& peers)
    : peers_(&peers),
      sampler_(std::move(sampler)),
      sequences_(std::min(sampler_.rows_per_epoch(), most)),
      when_(when) {}

// One micro-batch of a replica. Sequences behind the last are its padding.
Result<StepInput> Validation::input(const RankExecutorInput& of) const {
  const Parallelism& parallelism = of.plan.parallelism;
  const int replica = coordinate(of.program.grid, of.rank, Axis::data);
  Result<Batch> batch = sampler_.batch({replica, 0, 1, parallelism.micro_batch});
  if (!batch) return batch.error();
  if (of.model.token_types > 0 && batch->types.empty()) batch->types.resize(batch->tokens.size());
  const std::int64_t there =
      std::clamp<std::int64_t>(sequences_ - batch->first_sequence, 0, batch->sequences);
  std::fill(batch->targets.begin() + there * batch->length, batch->targets.end(), no_target);
  StepInput made;
  made.micro_batches.push_back(std::move(*batch));
  return made;
}

Result<ValidationLoss> Validation::loss(int step, RankExecutor& executor) {
  const auto start = Clock::now();
  const RankExecutorInput& of = executor.input();
  const auto place = [&](Axis axis) { return coordinate(of.program.grid, of.rank, axis); };
  const Parallelism& parallelism = of.plan.parallelism;
  const std::int64_t at_once = std::int64_t{parallelism.data} * parallelism.micro_batch;
  Part mine;
  std::int64_t begun = 0;
  for (; begun < sequences_; begun += at_once, sampler_.advance(at_once)) {
    const Result<StepInput> given = input(of);
    if (!given) return given.error();
    const Result<double> found = executor.forward_loss(*given);
    if (!found) return found.error();
    // Tensor ranks all know the loss of their replica; one rank of a replica counts its targets.
    if (place(Axis::tensor) != 0) continue;
    mine.loss += *found;
    if (place(Axis::pipeline) == 0) mine.targets += targets_in(*given);
  }
  sampler_.advance(-begun);
  const Result<std::vector<Part>> all = exchanged(*peers_, validation_label, mine);
  if (!all) return all.error();
  ValidationLoss whole{step, 0, sequences_, 0, 0};
  for (const Part& each : *all) {
    whole.loss += each.loss;
    whole.targets += each.targets;
  }
  whole.loss /= static_cast<double>(std::max<std::int64_t>(whole.targets, 1));
  whole.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return whole;
}

}  // namespace quintet::engine
