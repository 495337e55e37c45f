// The stand-in for NCCL waits where NCCL does: what hid faults before would show.
#include "tests/stand_ins/moving_nccl.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "tests/stand_ins/fake_device.h"

namespace quintet::engine::test {
namespace {

using std::chrono::milliseconds;
using Stuck = std::vector<std::string>;

// Two ranks with two communicators, "a" and "b".
class TwoMembers : public testing::Test {
 protected:
  struct Rank {
    std::unique_ptr<kernels::Device> device;
    NcclFunctions nccl;
    kernels::Stream stream;
    std::byte* memory = nullptr;
    std::array<ncclComm_t, 2> communicators{};
  };

  void open(int blocking = 1) {
    std::array<ncclUniqueId, 2> ids{};
    for (Rank& rank : ranks_) {
      rank.device = fake_device({.patience = milliseconds(300)});
      rank.nccl = moving_.functions(*rank.device);
      rank.stream = rank.device->make_stream();
      rank.memory = static_cast<std::byte*>(rank.device->allocate(64));
    }
    for (ncclUniqueId& id : ids) ranks_[0].nccl.get_unique_id(&id);
    both([&](int member) {
      for (std::size_t which = 0; which < 2; ++which) {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = blocking;
        config.commName = which == 0 ? "a" : "b";
        Rank& rank = ranks_[static_cast<std::size_t>(member)];
        rank.nccl.init_rank(&rank.communicators[which], 2, ids[which], member, &config);
        await(rank, which);
      }
    });
  }
  // As each member, in a thread of its own.
  template <class Body>
  static void both(Body body) {
    std::thread first([&] { body(0); }), second([&] { body(1); });
    first.join();
    second.join();
  }
  static ncclResult_t state(Rank& rank, std::size_t which) {
    ncclResult_t state = ncclSuccess;
    rank.nccl.get_async_error(rank.communicators[which], &state);
    return state;
  }
  static void await(Rank& rank, std::size_t which) {
    while (state(rank, which) == ncclInProgress) std::this_thread::yield();
  }
  ncclResult_t sum(int member, std::size_t which) {
    Rank& rank = ranks_[static_cast<std::size_t>(member)];
    return rank.nccl.all_reduce(rank.memory, rank.memory, 4, ncclFloat32, ncclSum,
                                rank.communicators[which],
                                static_cast<cudaStream_t>(rank.stream.handle));
  }
  ncclResult_t receive(int member, std::size_t which) {
    Rank& rank = ranks_[static_cast<std::size_t>(member)];
    return rank.nccl.receive(rank.memory, 64, ncclUint8, 1 - member, rank.communicators[which],
                             static_cast<cudaStream_t>(rank.stream.handle));
  }

  MovingNccl moving_{milliseconds(300)};
  std::array<Rank, 2> ranks_;
};

// As two stages that each ask for their first message before they send one.
TEST_F(TwoMembers, FirstUsesThatWaitForEachOtherAreStuck) {
  open();
  both([&](int member) {
    EXPECT_EQ(receive(member, static_cast<std::size_t>(member)), ncclInternalError);
  });
  Stuck stuck = moving_.stuck();
  std::sort(stuck.begin(), stuck.end());
  EXPECT_EQ(stuck, (Stuck{"member 0 of \"a\" alone has come to the first use of 1>0",
                          "member 1 of \"b\" alone has come to the first use of 0>1"}));
}

TEST_F(TwoMembers, AnAbortEndsAFirstUse) {
  open();
  std::thread aborts([&] {
    std::this_thread::sleep_for(milliseconds(20));
    ranks_[0].nccl.abort(ranks_[0].communicators[0]);
  });
  EXPECT_EQ(sum(0, 0), ncclInternalError);
  aborts.join();
  EXPECT_EQ(moving_.stuck(), Stuck{});
}

TEST_F(TwoMembers, AnAbortWaitsForAGraphThatKeepsWork) {
  open();
  both([&](int member) { EXPECT_EQ(sum(member, 0), ncclSuccess); });
  Rank& rank = ranks_[0];
  rank.device->begin_capture(rank.stream);
  EXPECT_EQ(sum(0, 0), ncclSuccess);
  const kernels::Graph graph = rank.device->end_capture(rank.stream);
  // In a group the flags go up at the call, and the waiting is at its end.
  rank.nccl.group_start();
  EXPECT_EQ(rank.nccl.abort(rank.communicators[0]), ncclSuccess);
  rank.device->destroy(graph);
  EXPECT_EQ(rank.nccl.group_end(), ncclSuccess);
  EXPECT_EQ(moving_.stuck(), Stuck{});

  both([&](int member) { EXPECT_EQ(sum(member, 1), ncclSuccess); });
  rank.device->begin_capture(rank.stream);
  EXPECT_EQ(sum(0, 1), ncclSuccess);
  rank.device->end_capture(rank.stream);
  EXPECT_EQ(rank.nccl.abort(rank.communicators[1]), ncclInternalError);
  EXPECT_EQ(moving_.stuck(),
            Stuck{"the abort or the end of member 0 of \"b\" waits for a graph that "
                  "keeps its work"});
}

TEST_F(TwoMembers, ACommunicatorThatDoesNotBlockLaunchesInAThreadOfItsOwn) {
  open(0);
  both([&](int member) {
    EXPECT_EQ(sum(member, 0), ncclInProgress);
    await(ranks_[static_cast<std::size_t>(member)], 0);
  });
  both([&](int member) {
    Rank& rank = ranks_[static_cast<std::size_t>(member)];
    rank.device->synchronise(rank.stream);
  });
  EXPECT_EQ(moving_.moves(), 1);
}

}  // namespace
}  // namespace quintet::engine::test
