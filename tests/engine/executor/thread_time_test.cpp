// What a rank's thread computed, beside the spans that the clock on the wall gives.
#include <gtest/gtest.h>

#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

struct Measured {
  Program program;
  StepReport report;
};

// One step of the first of two ranks.
Measured first_of_two_ranks() {
  Toy pair = toy(toy_gpt2());
  pair.plan.parallelism.data = 2;
  pair.plan.parallelism.micro_batches = toy_sequences / 2;
  Measured measured;
  measured.program = program_of(pair);
  LocalWorld world(measured.program);
  std::thread other([&] { train_rank(pair, measured.program, Rank{1}, world.rank(Rank{1}), 1); });
  const std::unique_ptr<kernels::Kernels> kernels = kernels::reference_kernels();
  const auto executor = RankExecutor::make(executor_input(pair, measured.program, Rank{0}),
                                           *kernels, world.rank(Rank{0}));
  if (executor) {
    auto report = (*executor)->step(step_input(pair, 0, 0));
    if (report) measured.report = std::move(*report);
  }
  other.join();
  return measured;
}

TEST(ThreadTime, OfAKernelIsAtMostItsTimeAndOfCommunicationItsPacking) {
  const Measured measured = first_of_two_ranks();
  ASSERT_FALSE(measured.report.spans.empty());
  ASSERT_EQ(measured.report.cpu.size(), measured.report.spans.size());
  std::vector<const Instruction*> instructions;
  for (const Body& body : measured.program.bodies)
    for (const Instruction& instruction : body.instructions) instructions.push_back(&instruction);
  Duration all, packing;
  for (std::size_t place = 0; place < measured.report.spans.size(); ++place) {
    const Span& span = measured.report.spans[place];
    const Duration cpu = measured.report.cpu[place];
    const Instruction& what = *instructions[static_cast<std::size_t>(span.info)];
    if (!std::holds_alternative<Compute>(what.action)) {
      packing += cpu;  // before the span's start and after its end: no time to hold it against
      continue;
    }
    // Two clocks, each of which may tick at its own microsecond.
    constexpr Duration tick{1'000'000};
    EXPECT_LE(cpu, span.end - span.start + tick) << what.name;
    all += cpu;
  }
  EXPECT_GT(all, Duration{});
  EXPECT_GT(packing, Duration{});  // gradients are packed for their all-reduce
}

}  // namespace
}  // namespace quintet::engine::test
