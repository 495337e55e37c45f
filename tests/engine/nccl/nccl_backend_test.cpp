#include "engine/nccl/nccl_backend.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "engine/peers/thread_peers.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/stand_ins/fake_nccl.h"
#include "tests/support/two_by_two.h"

namespace quintet::engine::test {
namespace {

using Calls = std::vector<std::string>;

// Two stages of one replica.
class NcclBackendTest : public testing::Test {
 protected:
  NcclBackendTest() {
    program_.grid = {{{Axis::data, 1}, {Axis::pipeline, 2}}};
    std::array<std::thread, 2> threads;
    for (std::size_t rank = 0; rank < 2; ++rank) {
      nccl_[rank].memory = memory_.data();
      functions_[rank] = nccl_[rank].functions();
      threads[rank] = std::thread([this, rank] {
        const int number = static_cast<int>(rank);
        auto made = NcclCommunicator::make(functions_[rank], program_, {}, job_.rank(Rank{number}),
                                           *devices_[rank],
                                           {.patience = {.look_every = std::chrono::hours(1)}});
        if (made) made_[rank] = std::move(*made);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (FakeNccl& nccl : nccl_) nccl.calls.clear();
  }

  static kernels::Stream stream(std::size_t number) {
    return {reinterpret_cast<void*>(number)};  // never looked into
  }

  Program program_ = two_by_two();
  std::array<std::byte, 64> memory_{};
  ThreadPeers job_{2};
  std::array<std::unique_ptr<kernels::Device>, 2> devices_{fake_device(), fake_device()};
  std::array<FakeNccl, 2> nccl_{FakeNccl(0), FakeNccl(1)};
  std::array<NcclFunctions, 2> functions_;
  std::array<std::unique_ptr<NcclCommunicator>, 2> made_;
};

TEST_F(NcclBackendTest, WorkIsOverWhenItIsOnItsStream) {
  ASSERT_TRUE(made_[0] && made_[1]);
  NcclBackend backend(*made_[0]);
  const Clock::time_point before = Clock::now();
  const std::vector<Ticket> tickets{
      backend.start({.communicator = CommunicatorId{0}, .buffer = memory_, .stream = stream(5)}),
      backend.send({.to = Rank{1}, .tag = 3, .message = memory_, .stream = stream(6)})};
  const auto over = backend.finished(tickets, Patience::none);
  ASSERT_TRUE(over) << over.error().text();
  ASSERT_EQ(over->size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*over)[i].place, i);
    EXPECT_GE((*over)[i].moving, before);
    EXPECT_EQ((*over)[i].moving, (*over)[i].end);
  }
  EXPECT_EQ(nccl_[0].calls, (Calls{"all-reduce data: 0 0, 16 of type 7, operation 0, stream 5",
                                   "send to 1 activation from rank 0 to rank 1: 0, 64 of type 1, "
                                   "stream 6"}));
}

TEST_F(NcclBackendTest, GraphsMayKeepItsWork) {
  ASSERT_TRUE(made_[0] && made_[1]);
  EXPECT_TRUE(NcclBackend(*made_[0]).queues_all());
}

TEST_F(NcclBackendTest, ReceivesToo) {
  ASSERT_TRUE(made_[0] && made_[1]);
  NcclBackend backend(*made_[1]);
  const Ticket ticket = backend.receive({.from = Rank{0}, .message = memory_, .stream = stream(7)});
  const auto over = backend.finished(std::span(&ticket, 1), Patience::until_one_is_over);
  ASSERT_TRUE(over && over->size() == 1);
  EXPECT_EQ(nccl_[1].calls, Calls{"receive from 0 activation from rank 0 to rank 1: 0, 64 of type "
                                  "1, stream 7"});
}

TEST_F(NcclBackendTest, FailuresAreHeardOfWithoutATicket) {
  ASSERT_TRUE(made_[0] && made_[1]);
  NcclBackend backend(*made_[0]);
  EXPECT_TRUE(backend.finished({}, Patience::none));
  job_.fail({"rank 1", "its connection closed"});
  const auto over = backend.finished({}, Patience::none);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error(), (Error{"rank 1", "its connection closed"}));
}

TEST_F(NcclBackendTest, AnAbortIsTheJobs) {
  ASSERT_TRUE(made_[0] && made_[1]);
  NcclBackend first(*made_[0]), second(*made_[1]);
  first.abort({"step 7", "out of memory"});
  const auto over = second.finished({}, Patience::none);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error(), (Error{"rank 0", "step 7: out of memory"}));
}

}  // namespace
}  // namespace quintet::engine::test
