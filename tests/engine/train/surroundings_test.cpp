#include "engine/train/surroundings.h"

#include <gtest/gtest.h>

#include "engine/train/memory_plan.h"
#include "tests/stand_ins/fake_device.h"

namespace quintet::engine {
namespace {

TrainingOptions on_gpus(Carry carry) {
  TrainingOptions options;
  options.processor = Processor::gpu;
  options.carry = carry;
  return options;
}

TEST(BackendKinds, AreThePlansUnlessOneIsAskedFor) {
  using enum BackendKind;
  const HostNet direct, delegated{.delivery = Delivery::delegated};
  const HostNet split{.delivery = Delivery::staged, .pipeline_delivery = Delivery::delegated};
  EXPECT_EQ(backends_of(on_gpus(Carry::plan), direct), (BackendKinds{nccl, nccl}));
  EXPECT_EQ(backends_of(on_gpus(Carry::plan), delegated), (BackendKinds{delegates, delegates}));
  EXPECT_EQ(backends_of(on_gpus(Carry::plan), split), (BackendKinds{nccl, delegates}));
  EXPECT_EQ(backends_of(on_gpus(Carry::nccl), delegated), (BackendKinds{nccl, nccl}));
  EXPECT_EQ(backends_of(on_gpus(Carry::host), direct), (BackendKinds{delegates, delegates}));
  EXPECT_EQ(backends_of({}, delegated), (BackendKinds{network, network}));
  TrainingOptions threads = on_gpus(Carry::plan);
  threads.ranks = RankKind::threads;
  EXPECT_EQ(backends_of(threads, delegated), (BackendKinds{memory, memory}));
}

Surroundings gpus(int ranks_per_device, BackendKind kind) {
  Surroundings made;
  made.processor = Processor::gpu;
  made.device = "NVIDIA H200";
  made.ranks_per_device = ranks_per_device;
  made.backends = {kind, kind};
  return made;
}

using Lines = std::vector<std::string>;

TEST(Places, AreSaidPlainly) {
  EXPECT_EQ(place_lines({}, 4),
            Lines{"Ranks are processes on CPU cores; the network carries data between them."});
  EXPECT_EQ(place_lines(gpus(1, BackendKind::nccl), 1), Lines{"On NVIDIA H200."});
  Surroundings own = gpus(1, BackendKind::nccl);
  own.backends.messages = BackendKind::delegates;
  own.libraries = {"NCCL 2.28.9 of /lib/libnccl.so.2", "attention of our own"};
  EXPECT_EQ(place_lines(own, 8),
            (Lines{"Ranks are processes, each with NVIDIA H200 of its own; NCCL carries "
                   "collectives, the host, through the network, carries messages between stages.",
                   "With NCCL 2.28.9 of /lib/libnccl.so.2; attention of our own."}));
}

TEST(Times, MeanSomethingWhereRanksShareNothing) {
  EXPECT_EQ(meaning_of_times({}).why_not, "");
  EXPECT_EQ(meaning_of_times(gpus(1, BackendKind::nccl)).why_not, "");
  for (const BackendKind kind : {BackendKind::nccl, BackendKind::delegates}) {
    const MeaningOfTimes shared = meaning_of_times(gpus(2, kind));
    EXPECT_FALSE(shared.kernels || shared.communication || shared.steps);
    EXPECT_EQ(place_lines(gpus(2, kind), 2).back(), shared.why_not);
  }
  Surroundings threads = gpus(4, BackendKind::memory);
  threads.ranks = RankKind::threads;
  EXPECT_FALSE(meaning_of_times(threads).kernels);
  threads.processor = Processor::cpu;
  EXPECT_TRUE(meaning_of_times(threads).kernels);
  EXPECT_FALSE(meaning_of_times(threads).communication);
}

TEST(Memory, OfTheFullestRankIsTold) {
  std::vector<RankFigures> ranks(3);
  EXPECT_EQ(memory_text(ranks), "");
  ranks[1].memory = 2.0 * 1024 * 1024 * 1024;
  ranks[1].predicted_memory = 1.5 * 1024 * 1024 * 1024;
  ranks[2].memory = 1024 * 1024;
  EXPECT_EQ(memory_text(ranks),
            "Memory of the GPU: at most 2 GiB, on rank 1; predicted 1.5 GiB (-25.0 %).");
}

// What is predicted is taken at once, where the device has it for all that share it.
TEST(Memory, IsTakenAsFarAsThereIsSome) {
  const auto device = fake_device({1, 1000000});
  EXPECT_EQ(arena_size(1000, *device, 2).first, 1000u);
  EXPECT_EQ(arena_size(900000, *device, 2).first, 475000u);
  void* const taken = device->allocate(800000);
  EXPECT_EQ(arena_size(900000, *device, 2).first, 190000u);
  device->free(taken);
}

}  // namespace
}  // namespace quintet::engine
