// By how much a checkpoint delays the steps of one rank on CPU cores: its state copied and brought
// into the tensors' order by the training thread, as Quintet did before, against copies that are
// taken beside the next step. Steps without one, with the one and with the other follow each other,
// so that whatever else the machine does meets all three.
//   checkpoint_benchmark CONFIG.json [ROUNDS=5] [LENGTH=64] [LAYERS=all]
// Nothing is written: both ways give what they have to a thread that writes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "engine/communication/local_world.h"
#include "engine/files/storage/counter_random.h"
#include "engine/saving/state_copy.h"
#include "sim/model/model_file.h"

namespace quintet::engine {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

RankExecutorInput input_of(Model model, int length) {
  RankExecutorInput input;
  model.dropout = model.attention_dropout = 0;
  input.plan.parallelism.sequence_length = length;
  input.plan.parallelism.compute_type = DataType::fp32;
  input.program = compile(model, input.plan, input.options);
  input.model = std::move(model);
  return input;
}

StepInput tokens_of(const RankExecutorInput& input) {
  Batch batch;
  batch.sequences = 1;
  batch.length = input.plan.parallelism.sequence_length;
  for (int token = 0; token < batch.length; ++token) {
    const auto word =
        static_cast<std::int32_t>(random_below({1, 2}, static_cast<std::uint64_t>(token),
                                               static_cast<std::uint64_t>(input.model.vocabulary)));
    batch.tokens.push_back(word);
    batch.targets.push_back(word);
    batch.positions.push_back(token);
  }
  batch.starts = {0, batch.length};
  StepInput made;
  made.micro_batches.push_back(std::move(batch));
  made.targets = input.plan.parallelism.sequence_length;
  return made;
}

double step_seconds(RankExecutor& executor, const StepInput& input) {
  const double begin = seconds_now();
  if (!executor.step(input)) std::abort();
  return seconds_now() - begin;
}

// Every part of the state in memory of its own, in its tensor's order, before the step goes on.
double as_before(RankExecutor& executor, const StepInput& input) {
  const double begin = seconds_now();
  {
    std::vector<std::vector<float>> parts;
    for (const KeptStretch& kept : executor.state().kept()) {
      const Section& section = executor.layout().sections()[static_cast<std::size_t>(kept.section)];
      for (const void* const memory : {static_cast<const void*>(kept.weights),
                                       static_cast<const void*>(kept.first_moments.data),
                                       static_cast<const void*>(kept.second_moments.data)})
        for (const HeldPart& part : held_parts(section, kept.place, kept.count)) {
          parts.emplace_back(static_cast<std::size_t>(elements(part.box.shape)));
          take_out(part, static_cast<const float*>(memory), parts.back());
        }
    }
    const double delay = seconds_now() - begin;
    return delay + step_seconds(executor, input);  // the memory goes with the writing thread
  }
}

double beside(RankExecutor& executor, const StepInput& input) {
  const double begin = seconds_now();
  StateCopy copy(executor, Contents::weights_and_moments, nullptr);
  std::thread writer([&] {
    if (copy.take_copies()) std::abort();
  });
  if (!executor.step(input)) std::abort();
  const double took = seconds_now() - begin;
  writer.join();
  return took;
}

int run(int count, char** arguments) {
  if (count < 2) return std::fprintf(stderr, "see the head of checkpoint_benchmark.cpp\n"), 2;
  Result<Model> model = read_model(arguments[1]);
  if (!model) return std::fprintf(stderr, "%s\n", model.error().text().c_str()), 2;
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 5;
  if (count > 4) model->layers = std::atoi(arguments[4]);
  const RankExecutorInput input =
      input_of(std::move(*model), count > 3 ? std::atoi(arguments[3]) : 64);
  const auto kernels = kernels::fast_kernels();
  LocalWorld world(input.program);
  auto executor = RankExecutor::make(input, *kernels, world.rank(Rank{0}));
  if (!executor) return std::fprintf(stderr, "%s\n", executor.error().text().c_str()), 2;
  const StepInput tokens = tokens_of(input);
  std::vector<double> alone, before, now;
  for (int warm = 0; warm < 2; ++warm) step_seconds(**executor, tokens);
  for (int round = 0; round < rounds; ++round) {
    alone.push_back(step_seconds(**executor, tokens));
    before.push_back(as_before(**executor, tokens));
    now.push_back(beside(**executor, tokens));
  }
  const double step = median(alone), was = median(before) - step, is = median(now) - step;
  std::printf(
      "step %.1f ms; a checkpoint delays it by %.1f ms (%.2f steps) as it was, by %.1f ms "
      "(%.2f steps) beside it: %.2f of before\n",
      1e3 * step, 1e3 * was, was / step, 1e3 * is, is / step, is / was);
  return 0;
}

}  // namespace
}  // namespace quintet::engine

int main(int count, char** arguments) {
  return quintet::engine::run(count, arguments);
}
