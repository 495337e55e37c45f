#include "engine/nccl/nccl_communicator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "engine/nccl/nccl_group.h"
#include "engine/peers/thread_peers.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/stand_ins/fake_nccl.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/two_by_two.h"

namespace quintet::engine::test {
namespace {

using Calls = std::vector<std::string>;
using Made = Result<std::unique_ptr<NcclCommunicator>>;
using std::chrono::milliseconds;

constexpr int world = 4;

// Nobody looks but who is asked to.
NcclOptions unwatched() {
  return {.patience = {.look_every = std::chrono::hours(1)}};
}

Ccl four_channels() {
  Ccl ccl;
  ccl.rules = {{.channels = 4}};
  return ccl;
}

// Two replicas of two stages (small_programs.h).
class NcclCommunicatorTest : public testing::Test {
 protected:
  NcclCommunicatorTest() {
    for (int rank = 0; rank < world; ++rank) {
      nccl_.emplace_back(rank);
      nccl_.back().memory = memory_.data();
      devices_.push_back(fake_device());
    }
  }

  // By all ranks at once; what each got.
  std::vector<Made> make_all(const NcclOptions& options = unwatched()) {
    for (FakeNccl& nccl : nccl_) functions_.push_back(nccl.functions());
    std::vector<Made> made;
    for (int rank = 0; rank < world; ++rank) made.emplace_back(Error{});
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < world; ++rank)
      threads.emplace_back([&, rank] {
        const int number = static_cast<int>(rank);
        made[rank] = NcclCommunicator::make(functions_[rank], program_, ccl_,
                                            job_.rank(Rank{number}), *devices_[rank], options);
      });
    for (std::thread& thread : threads) thread.join();
    return made;
  }

  // Rank 1, with what it did to open its communicators forgotten.
  std::unique_ptr<NcclCommunicator> rank_1(const NcclOptions& options = unwatched()) {
    std::vector<Made> made = make_all(options);
    for (Made& rank : made) EXPECT_TRUE(rank) << rank.error().text();
    nccl_[1].calls.clear();
    return *std::move(made[1]);
  }

  CollectiveCall work(CollectiveKind kind, DataType type = DataType::fp32) {
    return {.kind = kind,
            .communicator = CommunicatorId{0},
            .use = ++use_,
            .buffer = memory_,
            .type = type};
  }

  // How rank opened its communicators.
  Calls openings(std::size_t rank) const {
    Calls found;
    for (const std::string& call : nccl_[rank].calls)
      if (call.starts_with("init")) found.push_back(call);
    return found;
  }

  static kernels::Stream stream(std::size_t number) {
    return {reinterpret_cast<void*>(number)};  // never looked into
  }

  Program program_ = two_by_two();
  Ccl ccl_ = four_channels();
  std::array<std::byte, 64> memory_{};
  std::uint64_t use_ = 0;
  ThreadPeers job_{world};
  std::vector<std::unique_ptr<kernels::Device>> devices_;
  std::deque<FakeNccl> nccl_;
  std::deque<NcclFunctions> functions_;
};

TEST_F(NcclCommunicatorTest, OpensOnePerGroupAndOnePerRouteInOneOrder) {
  const std::vector<Made> made = make_all();
  for (const Made& rank : made) ASSERT_TRUE(rank) << rank.error().text();
  const std::string channels = ", channels 4 to 4", any = ", channels any to any";
  const std::string first = "activation from rank 0 to rank 2: ";
  const std::string second = "activation from rank 1 to rank 3: ";
  // The first member of each makes the id: of {0, 1} rank 0, of {2, 3} rank 2, of a route the
  // sender.
  EXPECT_EQ(openings(0), (Calls{"init data: 0 of 2, id of 0" + channels,
                                "init " + first + "0 of 2, id of 0" + any}));
  EXPECT_EQ(openings(1), (Calls{"init data: 1 of 2, id of 0" + channels,
                                "init " + second + "0 of 2, id of 1" + any}));
  EXPECT_EQ(openings(3), (Calls{"init data: 1 of 2, id of 2" + channels,
                                "init " + second + "1 of 2, id of 1" + any}));
}

TEST_F(NcclCommunicatorTest, LeavesThePluginTheRulesOfTheOneItOpens) {
  const TemporaryFolder folder;
  // Only rank 0 opens with a file of rules: ranks have one each.
  std::string seen;
  functions_.push_back(nccl_[0].functions());
  const auto init = functions_[0].init_rank;
  functions_[0].init_rank = [&](ncclComm_t* handle, int members, ncclUniqueId id, int position,
                                ncclConfig_t* config) {
    seen += bytes_of(folder.path() / "rules");
    return init(handle, members, id, position, config);
  };
  program_.grid = {{{Axis::data, 1}, {Axis::pipeline, 1}}};
  program_.roles = {{"all", 0, Script{{Call{.body = BodyId{0}}}}}};
  ThreadPeers alone(1);
  const Made made = NcclCommunicator::make(functions_[0], program_, ccl_, alone.rank(Rank{0}),
                                           *devices_[0], {.rules_file = folder.path() / "rules"});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(seen,
            "communicator data\n# kind bytes algorithm protocol channels\n"
            "all-reduce * * * 4\nall-gather * * * 4\n");
}

TEST_F(NcclCommunicatorTest, QueuesCollectivesInPlace) {
  const auto rank = rank_1();
  rank->start(work(CollectiveKind::all_reduce), stream(5));
  rank->start(work(CollectiveKind::reduce_scatter, DataType::bf16), stream(5));
  rank->start(work(CollectiveKind::all_gather, DataType::bf16), stream(6));
  CollectiveCall maximum = work(CollectiveKind::all_reduce);
  maximum.reduction = Reduction::maximum;
  rank->start(maximum, stream(5));
  EXPECT_EQ(rank->poll(), std::nullopt);
  // 64 bytes: 16 of fp32 (NCCL's type 7); halves of 32 bytes, rank 1's at 32: 16 of bf16 (type 9)
  // or 32 bytes (type 1). Operations: sum 0, maximum 2.
  EXPECT_EQ(nccl_[1].calls, (Calls{"all-reduce data: 0 0, 16 of type 7, operation 0, stream 5",
                                   "reduce-scatter data: 0 32, 16 of type 9, operation 0, stream 5",
                                   "all-gather data: 32 0, 32 of type 1, stream 6",
                                   "all-reduce data: 0 0, 16 of type 7, operation 2, stream 5"}));
}

TEST_F(NcclCommunicatorTest, SendsAndReceivesOnTheRoutesOwnCommunicator) {
  std::vector<Made> made = make_all();
  ASSERT_TRUE(made[1] && made[3]);
  nccl_[1].calls.clear();
  nccl_[3].calls.clear();
  const std::span<std::byte> memory(memory_);
  (*made[1])->send(Rank{3}, Payload::activation, memory.first(8), stream(7));
  (*made[3])->receive(Rank{1}, Payload::activation, memory.subspan(8, 8), stream(8));
  EXPECT_EQ(nccl_[1].calls, (Calls{"send to 1 activation from rank 1 to rank 3: 0, 8 of type 1, "
                                   "stream 7"}));
  EXPECT_EQ(nccl_[3].calls, (Calls{"receive from 0 activation from rank 1 to rank 3: 8, 8 of type "
                                   "1, stream 8"}));
}

TEST_F(NcclCommunicatorTest, AMessageThatIsNotInTheScriptEndsTheJob) {
  const auto rank = rank_1();
  rank->send(Rank{3}, Payload::activation_gradient, memory_, stream(7));
  EXPECT_EQ(rank->poll(), (Error{"rank 1",
                                 "gradient from rank 1 to rank 3: is not in this rank's "
                                 "script"}));
}

// The first use of NCCL's waits on the host until the other side comes to its own: all are over
// before there is work that could wait for each other.
TEST_F(NcclCommunicatorTest, UsesEachOnceInTheOrderOfOpening) {
  const std::vector<Made> made = make_all();
  for (const Made& rank : made) ASSERT_TRUE(rank) << rank.error().text();
  Calls names;
  for (const std::string& call : nccl_[3].calls) names.push_back(call.substr(0, call.find(':')));
  const std::string route = " activation from rank 1 to rank 3";
  EXPECT_EQ(names, (Calls{"init data", "all-reduce data", "all-gather data", "init" + route,
                          "receive from 0" + route}));
}

TEST_F(NcclCommunicatorTest, WhoNeverComesIsWaitedForNoLongerThanAllowed) {
  nccl_[1].hangs = true;
  const std::vector<Made> made =
      make_all({.patience = {.within = milliseconds{30}, .look_every = milliseconds{5}}});
  const Error expected{"rank 1",
                       "NCCL communicator \"data\": ncclCommInitRankConfig: not over within 30 ms, "
                       "on 2 ranks"};
  ASSERT_FALSE(made[1]);
  EXPECT_EQ(made[1].error(), expected);
  EXPECT_EQ(job_.failure(), expected);
  EXPECT_EQ(nccl_[1].calls.back(), "group end");  // what was half open is aborted
}

TEST_F(NcclCommunicatorTest, AFailureOfOneRankEndsOpeningOnAll) {
  nccl_[2].answers["init"] = ncclUnhandledCudaError;
  for (const int rank : {0, 1, 3}) nccl_[static_cast<std::size_t>(rank)].hangs = true;
  const Error expected{"rank 2",
                       "NCCL communicator \"data\": ncclCommInitRankConfig: unhandled cuda error "
                       "(said last)"};
  for (const Made& made : make_all({})) {
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), expected);
  }
}

TEST_F(NcclCommunicatorTest, AFailingCallEndsTheJobAndIsNamed) {
  const auto rank = rank_1();
  nccl_[1].answers["move"] = ncclUnhandledCudaError;
  rank->start(work(CollectiveKind::all_reduce), stream(5));
  const Error expected{"rank 1",
                       "NCCL communicator \"data\": ncclAllReduce: unhandled cuda error (said "
                       "last)"};
  EXPECT_EQ(rank->poll(), expected);
  EXPECT_EQ(job_.failure(), expected);
  nccl_[1].calls.clear();
  rank->start(work(CollectiveKind::all_reduce), stream(5));  // nothing more is asked of NCCL
  EXPECT_EQ(nccl_[1].calls, Calls{});
}

TEST_F(NcclCommunicatorTest, ABrokenConnectionIsLaidAtTheDoorOfTheRankThatTheJobNames) {
  const auto rank = rank_1();  // 3 s by default
  const Clock::time_point start = Clock::now();
  nccl_[1].state = ncclRemoteError;
  EXPECT_EQ(rank->poll(start), std::nullopt);
  EXPECT_EQ(rank->poll(start + milliseconds{2999}), std::nullopt);
  const Error cause{"rank 0", "its connection closed"};
  job_.fail(cause);
  EXPECT_EQ(rank->poll(start + milliseconds{2999}), cause);
  // In one group, so that none waits for another's kernels; it ends when graphs are gone.
  Calls expected{"abort data", "abort activation from rank 1 to rank 3"};
  EXPECT_EQ(nccl_[1].calls, expected);
  rank->abort(cause);
  expected.push_back("group end");
  EXPECT_EQ(nccl_[1].calls, expected);
}

TEST_F(NcclCommunicatorTest, ABrokenConnectionThatNobodyExplainsIsTheRanksOwn) {
  const auto rank = rank_1();  // 3 s by default
  const Clock::time_point start = Clock::now();
  nccl_[1].state = ncclRemoteError;
  EXPECT_EQ(rank->poll(start), std::nullopt);
  EXPECT_EQ(rank->poll(start + milliseconds{3000}),
            (Error{"rank 1",
                   "NCCL communicator \"data\": asynchronous error: remote process exited (said "
                   "last)"}));
}

TEST_F(NcclCommunicatorTest, AnotherRanksFailureEndsThisRank) {
  const auto rank = rank_1();
  const Error cause{"rank 3", "was silent for 5.0 s"};
  job_.fail(cause);
  EXPECT_EQ(rank->poll(), cause);
  EXPECT_EQ(nccl_[1].calls.front(), "abort data");
}

TEST_F(NcclCommunicatorTest, UsesOutOfOrderAreRefused) {
  const auto rank = rank_1();
  const CollectiveCall first = work(CollectiveKind::all_reduce);
  rank->start(work(CollectiveKind::all_reduce), stream(5));
  rank->start(first, stream(5));
  EXPECT_EQ(rank->poll(),
            (Error{"rank 1",
                   "NCCL communicator \"data\": use 1 comes after use 2; NCCL needs one order"}));
}

TEST_F(NcclCommunicatorTest, TypesThatAreNotSummedAreRefused) {
  const auto rank = rank_1();
  rank->start(work(CollectiveKind::all_reduce, DataType::fp16), stream(5));
  EXPECT_EQ(rank->poll(), (Error{"rank 1",
                                 "NCCL communicator \"data\": sums and maxima on GPUs are of fp32 "
                                 "and bf16"}));
}

TEST_F(NcclCommunicatorTest, ClosesInOrderAndAbortsWhatWasNotClosed) {
  {
    const auto rank = rank_1();
    EXPECT_EQ(rank->close(), std::nullopt);
  }
  const std::string route = " activation from rank 1 to rank 3";
  EXPECT_EQ(nccl_[1].calls,
            (Calls{"finalize data", "finalize" + route, "destroy data", "destroy" + route}));
  // The others were only dropped.
  EXPECT_EQ(nccl_[0].calls.back(), "group end");
}

// The job fails when one of two is closed: the watch ends the other, which nobody frees once more.
TEST_F(NcclCommunicatorTest, WhatTheWatchEndsIsNotFreedAgain) {
  auto rank = rank_1({.patience = {.look_every = milliseconds{2}}});
  const Error cause{"rank 3", "was silent for 5.0 s"};
  const std::string route = "activation from rank 1 to rank 3";
  functions_[1].destroy = [&, destroy = functions_[1].destroy](ncclComm_t handle) {
    const ncclResult_t result = destroy(handle);
    job_.fail(cause);
    const auto is_aborted = [&] {
      const Calls calls = nccl_[1].calls_so_far();
      return std::find(calls.begin(), calls.end(), "abort " + route) != calls.end();
    };
    for (int wait = 0; wait < 1000 && !is_aborted(); ++wait)
      std::this_thread::sleep_for(milliseconds{2});
    return result;
  };
  EXPECT_EQ(rank->close(), cause);
  rank.reset();
  for (const std::string& name : {std::string("data"), route}) {
    const Calls& calls = nccl_[1].calls;
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "destroy " + name) +
                  std::count(calls.begin(), calls.end(), "abort " + name),
              1)
        << name;
  }
}

// The device never comes to the end of what a communicator is tried with.
TEST_F(NcclCommunicatorTest, AFirstExchangeThatStallsIsWaitedForNoLongerThanAllowed) {
  std::atomic<bool> aborted = false;
  for (FakeNccl& nccl : nccl_) functions_.push_back(nccl.functions());
  functions_[1].all_reduce = [&](const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t,
                                 ncclComm_t, cudaStream_t stream) {
    queue_meeting(
        *devices_[1], {stream}, [] {}, [&] { return aborted.load(); });
    return ncclSuccess;
  };
  functions_[1].abort = [&, abort = functions_[1].abort](ncclComm_t handle) {
    aborted = true;
    return abort(handle);
  };
  std::vector<std::optional<Error>> errors(world);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < world; ++rank)
    threads.emplace_back([&, rank] {
      const Made made = NcclCommunicator::make(
          functions_[rank], program_, ccl_, job_.rank(Rank{static_cast<int>(rank)}),
          *devices_[rank],
          {.patience = {.within = milliseconds{100}, .look_every = milliseconds{5}}});
      if (!made) errors[rank] = made.error();
    });
  for (std::thread& thread : threads) thread.join();
  const Error expected{"rank 1",
                       "NCCL communicator \"data\": its first exchange is not over within 100 ms"};
  EXPECT_EQ(errors[1], expected);
  EXPECT_EQ(job_.failure(), expected);
}

// What NCCL refuses in a group ends the group: what a thread asks for later would be kept back
// else.
TEST_F(NcclCommunicatorTest, NoGroupStaysOpenAfterAnError) {
  NcclFunctions functions = nccl_[0].functions();
  int depth = 0;
  functions.group_start = [&, start = functions.group_start] {
    ++depth;
    return start();
  };
  functions.group_end = [&, end = functions.group_end] {
    --depth;
    return end();
  };
  ThreadPeers alone(1);
  {
    const NcclJob job{functions, alone.rank(Rank{0}), {.look_every = std::chrono::hours(1)}, {}};
    auto group = NcclGroup::open(job, {Rank{0}}, {"alone", {}});
    ASSERT_TRUE(group) << group.error().text();
    EXPECT_EQ(depth, 0);
    nccl_[0].answers["move"] = ncclUnhandledCudaError;
    CollectiveCall exchange = work(CollectiveKind::all_to_all);
    exchange.received = memory_;
    EXPECT_TRUE((*group)->start(exchange, stream(5)));
    EXPECT_EQ(depth, 0);
  }
  nccl_[0].answers = {{"init", ncclUnhandledCudaError}};
  const NcclJob job{functions, alone.rank(Rank{0}), {.look_every = std::chrono::hours(1)}, {}};
  EXPECT_FALSE(NcclGroup::open(job, {Rank{0}}, {"alone", {}}));
  EXPECT_EQ(depth, 0);
}

TEST_F(NcclCommunicatorTest, AProgramThatTakesMessagesInAnotherOrderIsRefused) {
  std::swap(program_.roles[1].script.calls[0], program_.roles[1].script.calls[1]);
  for (const Made& made : make_all()) {
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().text().find("NCCL needs one order"), std::string::npos);
  }
}

}  // namespace
}  // namespace quintet::engine::test
