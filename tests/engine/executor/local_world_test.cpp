// Collectives and messages between threads of one process.
#include "engine/communication/local_world.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <thread>

namespace quintet::engine {
namespace {

// Two communicators of the same ranks.
Program world_of(int ranks) {
  Program program;
  program.grid.axes = {{Axis::data, ranks}};
  program.communicators = {{"first", {{Axis::data}}, {}}, {"second", {{Axis::data}}, {}}};
  return program;
}

std::span<std::byte> bytes(std::vector<float>& values) {
  return std::as_writable_bytes(std::span(values));
}

Result<std::vector<Completion>> wait(CommunicationBackend& world, Ticket ticket) {
  return world.finished(std::span(&ticket, 1), Patience::until_one_is_over);
}

void on_all(int ranks, const std::function<void(int)>& run) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  for (std::thread& thread : threads) thread.join();
}

std::vector<std::vector<float>> collective(CollectiveKind kind, Reduction reduction,
                                           std::vector<std::vector<float>> values) {
  const int ranks = static_cast<int>(values.size());
  LocalWorld world(world_of(ranks));
  on_all(ranks, [&](int rank) {
    auto& mine = values[static_cast<std::size_t>(rank)];
    CommunicationBackend& here = world.rank(Rank{rank});
    const Ticket ticket =
        here.start({kind, CommunicatorId{0}, 0, bytes(mine), DataType::fp32, reduction});
    EXPECT_TRUE(wait(here, ticket));
  });
  return values;
}

using Values = std::vector<std::vector<float>>;

TEST(LocalWorld, AllReduceAddsInTheOrderOfRanks) {
  // (1e8 + 1) - 1e8 is 0 in fp32; in another order it would be 1.
  EXPECT_EQ(collective(CollectiveKind::all_reduce, Reduction::sum, {{1e8F}, {1.0F}, {-1e8F}}),
            (Values{{0.0F}, {0.0F}, {0.0F}}));
}

TEST(LocalWorld, AllReduceFindsTheLargest) {
  EXPECT_EQ(collective(CollectiveKind::all_reduce, Reduction::maximum, {{1, 5}, {3, -2}}),
            (Values{{3, 5}, {3, 5}}));
}

TEST(LocalWorld, ReduceScatterLeavesEachRankItsPart) {
  const Values after =
      collective(CollectiveKind::reduce_scatter, Reduction::sum, {{1, 2}, {10, 20}});
  EXPECT_EQ(after[0][0], 11);
  EXPECT_EQ(after[1][1], 22);
}

TEST(LocalWorld, AllGatherPutsThePartsTogether) {
  EXPECT_EQ(collective(CollectiveKind::all_gather, Reduction::sum, {{1, 0}, {0, 2}}),
            (Values{{1, 2}, {1, 2}}));
}

TEST(LocalWorld, CollectivesOfDifferentCommunicatorsMayStartInAnyOrder) {
  LocalWorld world(world_of(2));
  on_all(2, [&](int rank) {
    CommunicationBackend& here = world.rank(Rank{rank});
    std::vector<float> left{1}, right{10};
    const auto start = [&](int communicator, std::vector<float>& values) {
      return here.start({CollectiveKind::all_reduce, CommunicatorId{communicator}, 0, bytes(values),
                         DataType::fp32, Reduction::sum});
    };
    const int first = rank;  // rank 1 begins with the other one
    const Ticket one = start(first, first == 0 ? left : right);
    const Ticket two = start(1 - first, first == 0 ? right : left);
    EXPECT_TRUE(wait(here, one));
    EXPECT_TRUE(wait(here, two));
    EXPECT_EQ(left[0] + right[0], 22);
  });
}

TEST(LocalWorld, MessagesWithOneTagKeepTheirOrder) {
  LocalWorld world(world_of(2));
  std::vector<float> one{1}, two{2}, first(1), second(1);
  CommunicationBackend& sender = world.rank(Rank{0});
  CommunicationBackend& receiver = world.rank(Rank{1});
  const Ticket early = receiver.receive({.from = Rank{0}, .tag = 5, .message = bytes(first)});
  sender.send({.to = Rank{1}, .tag = 5, .message = bytes(one)});
  sender.send({.to = Rank{1}, .tag = 5, .message = bytes(two)});
  EXPECT_TRUE(wait(receiver, early));
  EXPECT_TRUE(
      wait(receiver, receiver.receive({.from = Rank{0}, .tag = 5, .message = bytes(second)})));
  EXPECT_EQ(first[0], 1);
  EXPECT_EQ(second[0], 2);
}

TEST(LocalWorld, AnAbortWakesWhoeverWaits) {
  LocalWorld world(world_of(2));
  std::vector<float> values{1};
  std::thread waiting([&] {
    CommunicationBackend& here = world.rank(Rank{0});
    const auto over =
        wait(here, here.receive({.from = Rank{1}, .tag = 1, .message = bytes(values)}));
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error(), (Error{"rank 1", "ran out of disk"}));
  });
  world.rank(Rank{1}).abort({"rank 1", "ran out of disk"});
  waiting.join();
}

TEST(LocalWorld, MembersThatDisagreeAreToldSo) {
  LocalWorld world(world_of(2));
  std::vector<float> short_one(1), long_one(2);
  CommunicationBackend& left = world.rank(Rank{0});
  CommunicationBackend& right = world.rank(Rank{1});
  const Ticket ticket = left.start({CollectiveKind::all_reduce, CommunicatorId{0}, 0,
                                    bytes(short_one), DataType::fp32, Reduction::sum});
  right.start({CollectiveKind::all_reduce, CommunicatorId{0}, 0, bytes(long_one), DataType::fp32,
               Reduction::sum});
  const auto over = wait(left, ticket);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().where, "rank 0 to rank 1");
}

}  // namespace
}  // namespace quintet::engine
