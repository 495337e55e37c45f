// Training over NCCL, of which only the library is not real: it moves data among stand-ins for
// devices, when the streams of all members have come to it.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "engine/executor/rank_executor.h"
#include "engine/train/failed_rank.h"
#include "engine/train/thread_ranks.h"
#include "sim/program/groups.h"
#include "tests/engine/train/nccl_run.h"

namespace quintet::engine::test {
namespace {

RunRecords single_rank() {
  SmallRun run(R"("micro_batches": 8)");
  run.options.ranks = RankKind::threads;
  const auto end = train_in_threads(run.inputs(), run.options, {}, run.hooks());
  return run.records(end ? std::nullopt : std::optional(end.error()));
}

TEST(NcclRanks, TrainTheSingleRanksModel) {
  const RunRecords single = single_rank();
  std::uint64_t seed = 10;
  for (const char* const parallelism :
       {R"("data": 2, "micro_batches": 4)", R"("tensor": 2, "pipeline": 2, "micro_batches": 8)",
        R"("data": 4, "micro_batches": 2, "sharding": "optimizer")",
        R"("data": 2, "micro_batches": 4, "sharding": "parameters")"}) {
    SmallRun run(parallelism);
    SCOPED_TRACE(parallelism);
    expect_equal_losses(single, run.records(NcclRun(run, seed += 10).train()));
  }
}

// Collectives and messages are kept in the graph of a step.
TEST(NcclRanks, LaunchStepsAsGraphs) {
  const RunRecords single = single_rank();
  std::uint64_t seed = 70;
  for (const char* const parallelism :
       {R"("data": 2, "micro_batches": 4)", R"("tensor": 2, "pipeline": 2, "micro_batches": 8)"}) {
    SmallRun run(parallelism, R"(, "host_net": {"launch": "graphs"})");
    SCOPED_TRACE(parallelism);
    const RunRecords found = run.records(NcclRun(run, seed += 10).train());
    expect_equal_losses(single, found);
    EXPECT_TRUE(found.says("Steps are launched as graphs from the fourth on."));
  }
}

// Rank 1 never comes to the collective that rank 0's device waits in: the host hears of its end
// while it waits for the device.
TEST(NcclRanks, ARankThatDiesEndsTheWaitForTheDevice) {
  SmallRun run(R"("data": 2, "micro_batches": 4)");
  run.options.processor = Processor::gpu;
  run.options.carry = Carry::nccl;
  const TrainingInputs inputs = run.inputs();
  MovingNccl moving;
  ThreadPeers peers(2);
  std::optional<Error> heard;
  const auto be = [&](Rank rank) {
    const auto device = fake_device({3});
    const NcclFunctions functions = moving.functions(*device);
    auto nccl = NcclCommunicator::make(functions, inputs.program, inputs.plan.ccl, peers.rank(rank),
                                       *device, {});
    ASSERT_TRUE(nccl) << nccl.error().text();
    NcclBackend backend(**nccl);
    RankExecutorInput input;
    input.model = inputs.model;
    input.plan = inputs.plan;
    input.program = inputs.program;
    input.rank = rank;
    auto executor = RankExecutor::make(std::move(input), *device, {}, backend);
    ASSERT_TRUE(executor) << executor.error().text();
    if (rank == Rank{1}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      peers.rank(rank).abort("the GPU is lost");
      return;
    }
    StepInput step;
    for (int micro = 0; micro < 4; ++micro) {
      Batch batch;
      batch.sequences = 1;
      batch.length = 16;
      batch.starts = {0, 16};
      for (int place = 0; place < 16; ++place) {
        batch.tokens.push_back(place);
        batch.targets.push_back(place + 1);
        batch.positions.push_back(place);
      }
      step.micro_batches.push_back(std::move(batch));
    }
    step.targets = 128;
    const auto report = (*executor)->step(step);
    ASSERT_FALSE(report);
    heard = report.error();
  };
  std::thread first([&] { be(Rank{0}); }), second([&] { be(Rank{1}); });
  first.join();
  second.join();
  EXPECT_EQ(heard, (Error{"rank 1", "the GPU is lost"}));
}

}  // namespace
}  // namespace quintet::engine::test
