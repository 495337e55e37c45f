// A run over NCCL, of which only the library and the devices are not real.
#pragma once

#include <thread>

#include "engine/executor/rank_executor.h"
#include "engine/nccl/nccl_backend.h"
#include "engine/peers/thread_peers.h"
#include "sim/program/groups.h"
#include "tests/engine/train/small_run.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/stand_ins/moving_nccl.h"

namespace quintet::engine::test {

// A thread per rank, with a device of its own; what the last of them to fail said.
class NcclRun {
 public:
  NcclRun(SmallRun& run, std::uint64_t seed) : run_(run), seed_(seed) {
    run.options.processor = Processor::gpu;
    run.options.carry = Carry::nccl;
  }

  // What ended it.
  std::optional<Error> train() {
    const TrainingInputs inputs = run_.inputs();
    const int ranks = world_size(inputs.program.grid);
    ThreadPeers peers(ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] { be(inputs, peers, Rank{rank}); });
    for (std::thread& thread : threads) thread.join();
    return peers.failure();
  }

 private:
  void be(const TrainingInputs& inputs, ThreadPeers& peers, Rank rank) {
    const auto device = fake_device({seed_ + static_cast<std::uint64_t>(rank.value)});
    const NcclFunctions functions = moving_.functions(*device);
    auto nccl = NcclCommunicator::make(functions, inputs.program, inputs.plan.ccl, peers.rank(rank),
                                       *device, {});
    ASSERT_TRUE(nccl) << nccl.error().text();
    NcclBackend backend(**nccl);
    Surroundings here;
    here.processor = Processor::gpu;
    here.backends = inputs.backends;
    const auto end = engine::train(inputs, run_.options,
                                   {backend, peers.rank(rank), here, device.get()}, run_.hooks());
    if (!end) return;
    EXPECT_FALSE((*nccl)->close());
  }

  SmallRun& run_;
  std::uint64_t seed_;
  MovingNccl moving_;
};

}  // namespace quintet::engine::test
