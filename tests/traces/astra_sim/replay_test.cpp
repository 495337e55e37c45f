#include "traces/astra_sim/replay.h"

#include <gtest/gtest.h>

#include "tests/traces/astra_sim/astra_table.h"

namespace quintet {
namespace {

// A byte takes a nanosecond on every wire, and a nanosecond to write or to read: adding n bytes up
// takes 3 n ns.
AstraNetwork plain(AstraShape shape, int ranks, double latency = 100.0) {
  return {{{shape, ranks, 1e9 / 1073741824.0, latency}}};
}
AstraSystem plain_system() {
  AstraSystem system;
  system.memory_gigabytes = 1.0;
  system.policy = AstraPolicy::first_in_first_out;
  for (AstraCollective& collective : system.collectives) collective.per_dimension = {{}};
  return system;
}

// Builds ranks task by task; lanes do not order anything.
class Work {
 public:
  explicit Work(int ranks) {
    workload_.lanes_in_order = false;
    workload_.lanes = {{LaneKind::compute, "compute"},
                       {LaneKind::communication, "communication"},
                       {LaneKind::host, "host"}};
    workload_.ranks.resize(static_cast<std::size_t>(ranks));
  }
  int group(std::vector<std::int32_t> ranks) {
    workload_.groups.push_back({std::to_string(workload_.groups.size()), std::move(ranks)});
    return static_cast<int>(workload_.groups.size()) - 1;
  }
  int compute(int rank, std::int64_t nanoseconds, std::vector<std::int32_t> after = {}) {
    return add(rank, info(SpanKind::compute, 0, 0), {nanoseconds * 1000}, std::move(after));
  }
  int host(int rank, std::int64_t nanoseconds, std::vector<std::int32_t> after = {}) {
    return add(rank, info(SpanKind::host, 0, 2), {nanoseconds * 1000}, std::move(after));
  }
  int priced(int rank, double operations, double bytes, std::vector<std::int32_t> after = {}) {
    const int task = compute(rank, -1, std::move(after));
    WorkloadTask& added = rank_of(rank).tasks.back();
    added.flops = {operations};
    added.touched = {bytes};
    return task;
  }
  int collective(int rank, CollectiveKind kind, double bytes, int group = -1,
                 std::vector<std::int32_t> after = {}) {
    const int task = add(rank, info(SpanKind::collective, bytes, 1), {-1}, std::move(after));
    TaskPeers& peers = peers_of(rank);
    peers.collective = kind;
    peers.group = group;
    return task;
  }
  int message(int rank, SpanKind kind, int peer, double bytes, std::int64_t tag = 0,
              std::vector<std::int32_t> after = {}) {
    const int task = add(rank, info(kind, bytes, 1), {-1}, std::move(after));
    TaskPeers& peers = peers_of(rank);
    peers.peer = peer;
    peers.tag = tag;
    return task;
  }
  Workload& workload() { return workload_; }

 private:
  WorkloadRank& rank_of(int rank) { return workload_.ranks[static_cast<std::size_t>(rank)]; }
  int info(SpanKind kind, double bytes, int lane) {
    SpanInfo info;
    info.name = name_of(kind);
    info.kind = kind;
    info.size = {bytes};
    info.lane = lane;
    workload_.infos.push_back(info);
    return static_cast<int>(workload_.infos.size()) - 1;
  }
  int add(int rank, int info, Duration work, std::vector<std::int32_t> after) {
    WorkloadRank& to = rank_of(rank);
    WorkloadTask task;
    task.info = info;
    task.work = work;
    to.tasks.push_back(task);
    to.after.insert(to.after.end(), after.begin(), after.end());
    to.after_begin.push_back(static_cast<std::int32_t>(to.after.size()));
    return static_cast<int>(to.tasks.size()) - 1;
  }
  TaskPeers& peers_of(int rank) {
    WorkloadRank& to = rank_of(rank);
    to.tasks.back().peers = static_cast<std::int32_t>(to.peers.size());
    to.peers.emplace_back();
    return to.peers.back();
  }
  Workload workload_;
};

struct Time {
  std::int64_t finish, exposed;
  bool operator==(const Time&) const = default;
};
std::vector<Time> replayed(const Workload& workload, const AstraNetwork& network,
                           const AstraSystem& system,
                           AstraBackend backend = AstraBackend::congestion_unaware) {
  const auto times = replay_by_astra_rules(workload, network, system, backend);
  if (!times) {
    ADD_FAILURE() << times.error().text();
    return {};
  }
  std::vector<Time> found;
  for (const AstraRankTime& rank : times->ranks)
    found.push_back({rank.finish.picoseconds / 1000, rank.exposed.picoseconds / 1000});
  return found;
}
std::string refused(const Workload& workload, const AstraNetwork& network,
                    const AstraSystem& system,
                    AstraBackend backend = AstraBackend::congestion_unaware) {
  const auto times = replay_by_astra_rules(workload, network, system, backend);
  return times ? "replayed" : times.error().text();
}

// Rank 0 sends 1000 bytes when its 50 ns of compute are over: there at 50 + 100 + 1000, when both
// ends know it. Rank 1 computes meanwhile, 400 ns, and 7 ns after.
TEST(AstraReplay, SendsWhenWhatComesBeforeHasEnded) {
  Work work(2);
  const int before = work.compute(0, 50);
  work.message(0, SpanKind::send, 1, 1000, 5, {before});
  work.compute(1, 400);
  const int received = work.message(1, SpanKind::receive, 0, 1000, 5);
  work.compute(1, 7, {received});
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 2), plain_system()),
            (std::vector<Time>{{1150, 1100}, {1157, 750}}));
}

// The message lies there at 1100; the receive begins at 5000.
TEST(AstraReplay, ReceivesAtOnceWhatLiesThere) {
  Work work(2);
  work.message(0, SpanKind::send, 1, 1000);
  const int late = work.compute(1, 5000);
  work.message(1, SpanKind::receive, 0, 1000, 0, {late});
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 2), plain_system()),
            (std::vector<Time>{{1100, 1100}, {5000, 0}}));
}

// One compute task at a time, but the host beside it; a send waits for the one before it, a receive
// for nobody.
TEST(AstraReplay, RunsOneTaskOfAKindAtATime) {
  Work work(2);
  work.compute(0, 100);
  work.compute(0, 100);
  work.host(0, 150);
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 2), plain_system()),
            (std::vector<Time>{{200, 0}, {0, 0}}));
  Work sends(2);
  for (const int tag : {1, 2}) sends.message(0, SpanKind::send, 1, 1000, tag);
  for (const int tag : {2, 1}) sends.message(1, SpanKind::receive, 0, 1000, tag);
  EXPECT_EQ(replayed(sends.workload(), plain(AstraShape::ring, 2), plain_system()),
            (std::vector<Time>{{2200, 2200}, {2200, 2200}}));
}

TEST(AstraReplay, OrdersLanesOnlyWhereTheWorkloadDoes) {
  Work work(2);
  work.compute(0, 50);
  work.workload().infos.back().lane = 1;  // that of the send, which is not after it otherwise
  work.message(0, SpanKind::send, 1, 1000);
  work.message(1, SpanKind::receive, 0, 1000);
  const auto end = [&] {
    return replayed(work.workload(), plain(AstraShape::ring, 2), plain_system()).front().finish;
  };
  EXPECT_EQ(end(), 1100);
  work.workload().lanes_in_order = true;
  EXPECT_EQ(end(), 1150);
}

// A task without a time takes a nanosecond, fractions of one are cut off.
TEST(AstraReplay, TakesANanosecondAtLeast) {
  Work work(2);
  const int first = work.compute(0, -1);
  work.compute(0, 0, {first});
  work.compute(1, 1);
  work.workload().ranks[1].tasks[0].work = {2999};
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 2), plain_system()),
            (std::vector<Time>{{2, 0}, {2, 0}}));
}

// Peak 1 TFLOP/s, memory 1 GB/s: 2000 operations on 4 bytes take 4 ns of memory, 2e6 on 4 take 2000
// of computing. What touches nothing is over at once, and so is what follows it.
TEST(AstraReplay, PricesComputeByTheRoofline) {
  AstraSystem system = plain_system();
  system.roofline = true;
  system.peak_teraflops = 1.0;
  Work work(2);
  const int memory = work.priced(0, 2000, 4);
  const int nothing = work.priced(0, 5e6, 0, {memory});
  work.priced(0, 2e6, 4, {nothing});
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 2), system).front(), (Time{2004, 0}));
  work.priced(1, 0, 4);
  EXPECT_NE(refused(work.workload(), plain(AstraShape::ring, 2), system).find("rank 1: task 0"),
            std::string::npos);
}

// A ring of 2, 1000 bytes in halves: 10, then 100 + 500; 10 and 3 x 500 to add up, 600 again,
// and 10.
TEST(AstraReplay, AddsUpWhatHasCome) {
  Work work(2);
  for (const int rank : {0, 1}) work.collective(rank, CollectiveKind::all_reduce, 1000);
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 2), plain_system()),
            (std::vector<Time>(2, {2730, 2730})));
}

// Our all-gather is of 1000 bytes in all: a rank of 4 puts 250 in, which goes round in three steps.
TEST(AstraReplay, GathersEachRanksShare) {
  Work work(4);
  for (int rank = 0; rank < 4; ++rank) work.collective(rank, CollectiveKind::all_gather, 1000);
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 4), plain_system()),
            (std::vector<Time>(4, {3 * (10 + 350) + 10, 3 * (10 + 350) + 10})));
}

// Ranks 0 and 2, two hops apart, as a ring of their own; the others have nothing to do. Endpoints
// take 10 ns in groups whatever the system says.
TEST(AstraReplay, RunsARingInAGroup) {
  Work work(4);
  const int group = work.group({2, 0});
  for (const int rank : {0, 2}) work.collective(rank, CollectiveKind::all_gather, 1000, group);
  AstraSystem system = plain_system();
  system.endpoint_nanoseconds = 77;
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 4), system),
            (std::vector<Time>{{720, 720}, {0, 0}, {720, 720}, {0, 0}}));
}

// Four pieces of 125 a rank, one after the other: each gathers in 10 + 100 + 125 + 10. Two at once
// take the wire together where congestion does not count. Where it does, the wire has the first at
// 10, the second at 135 until 260, the third, ready at 255, from then, the last from 385: there at
// 610.
TEST(AstraReplay, HasSoManyPiecesInWork) {
  Work work(2);
  for (const int rank : {0, 1}) work.collective(rank, CollectiveKind::all_gather, 1000);
  AstraSystem system = plain_system();
  system.dataset_splits = 4;
  const auto end = [&](AstraBackend backend) {
    return replayed(work.workload(), plain(AstraShape::ring, 2), system, backend).front().finish;
  };
  EXPECT_EQ(end(AstraBackend::congestion_unaware), 4 * 245);
  system.active_chunks = 2;
  EXPECT_EQ(end(AstraBackend::congestion_unaware), 2 * 245);
  EXPECT_EQ(end(AstraBackend::congestion_aware), 620);
}

// ASTRA-sim runs one collective after the other on a rank; those of one group and another match by
// their order in each.
TEST(AstraReplay, RunsOneCollectiveAtATime) {
  Work work(2);
  const int group = work.group({0, 1});
  for (const int rank : {0, 1}) {
    work.collective(rank, CollectiveKind::all_gather, 1000, group);
    work.collective(rank, CollectiveKind::all_gather, 1000);
  }
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 2), plain_system()),
            (std::vector<Time>(2, {2 * 620, 2 * 620})));
}

TEST(AstraReplay, TakesOnlyTheTracesTimesWhereTheSystemSaysSo) {
  Work work(2);
  work.collective(0, CollectiveKind::all_reduce, 1000);
  work.workload().ranks[0].tasks[0].work = {5000};
  work.compute(0, 7);
  AstraSystem system = plain_system();
  system.replay_only = true;
  // It counts communication as computed time then.
  EXPECT_EQ(replayed(work.workload(), plain(AstraShape::ring, 2), system).front(), (Time{7, -5}));
}

TEST(AstraReplay, EndsACollectiveOfOneRankAtOnceAndSaysSo) {
  Work work(2);
  const int group = work.group({1});
  work.collective(1, CollectiveKind::all_reduce, 1000, group);
  const auto times = replay_by_astra_rules(work.workload(), plain(AstraShape::ring, 2),
                                           plain_system(), AstraBackend::congestion_unaware);
  ASSERT_TRUE(times) << times.error().text();
  EXPECT_EQ(times->end, Instant{});
  ASSERT_EQ(times->remarks.size(), 1U);
  EXPECT_NE(times->remarks.front().find("1 collectives of one rank"), std::string::npos);
}

TEST(AstraReplay, SaysWhoWaitsInVain) {
  Work work(3);
  work.message(2, SpanKind::receive, 0, 1000, 3);
  const std::string error = refused(work.workload(), plain(AstraShape::ring, 3), plain_system());
  EXPECT_NE(
      error.find("1 of 3 ranks never end, rank 2 first: rank 2 waits for 1000 bytes from rank 0"),
      std::string::npos)
      << error;
}

TEST(AstraReplay, EndsWhereEventTimeEnds) {
  Work work(2);
  work.compute(0, 50);
  work.message(0, SpanKind::send, 1, 9e15, 0, {0});
  work.message(1, SpanKind::receive, 0, 9e15);
  AstraNetwork network = plain(AstraShape::ring, 2);
  network.dimensions.front().gigabytes = 1e-9;
  EXPECT_NE(refused(work.workload(), network, plain_system()).find("106 days"), std::string::npos);
}

TEST(AstraReplay, RefusesWhatAstraSimWouldNotDo) {
  const AstraNetwork eight = plain(AstraShape::ring, 8);
  const Workload all_reduce = one_collective(CollectiveKind::all_reduce, 1000, 8);
  const Workload all_to_all = one_collective(CollectiveKind::all_to_all, 1000, 8);
  const auto expect = [](const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  AstraSystem system = plain_system();
  expect(refused(all_reduce, plain(AstraShape::ring, 4), system),
         "is of 4 ranks, the workload has 8");
  const AstraNetwork levels{{{AstraShape::ring, 2, 1.0, 1.0}, {AstraShape::ring, 4, 1.0, 1.0}}};
  expect(refused(all_reduce, levels, system, AstraBackend::congestion_aware),
         "congestion-aware network takes one");
  system.collectives[0].per_dimension = {{}, {}};
  expect(refused(all_reduce, eight, system), "names 2 algorithms for 1 dimensions");
  system.collectives[0].per_dimension = {{AstraAlgorithm::double_binary_tree, false, -1}};
  expect(refused(all_reduce, eight, system), "doubleBinaryTree is not simulated here");
  system.collectives[0].per_dimension = {{AstraAlgorithm::halving_doubling, false, -1}};
  expect(refused(one_collective(CollectiveKind::all_reduce, 1000, 6), plain(AstraShape::ring, 6),
                 system),
         "no power of two");
  system.collectives[3].per_dimension = {{AstraAlgorithm::halving_doubling, false, -1}};
  expect(refused(all_to_all, eight, system), "no halvingDoubling for an all-to-all");
  system = plain_system();
  system.memory_gigabytes = 0.0;
  expect(refused(all_reduce, eight, system), "local-mem-bw");
  system = plain_system();
  system.shared_bus = true;
  expect(refused(all_reduce, eight, system), "model-shared-bus");
  system = plain_system();
  system.collectives[0].custom = "steps";
  expect(refused(all_reduce, eight, system), "steps from files are not simulated here");
  expect(refused(one_collective(CollectiveKind::reduce, 1000, 8), eight, plain_system()),
         "rank 0: task 0 \"reduce\": is a reduce, which ASTRA-sim does not have");
  expect(refused(one_collective(CollectiveKind::all_gather, 7, 8), eight, plain_system()),
         "pieces of less than a byte");
  Workload broken = all_reduce;
  broken.ranks[3].after_begin = {0, 1};
  broken.ranks[3].after = {0};
  expect(refused(broken, eight, plain_system()), "rank 3: task 0");
}

// Two dimensions, one algorithm: nothing goes through the other, as in ASTRA-sim, and it is said.
TEST(AstraReplay, SaysWhichDimensionsNothingGoesThrough) {
  const AstraNetwork levels{{{AstraShape::ring, 2, 1e9 / 1073741824.0, 100.0},
                             {AstraShape::ring, 4, 1e9 / 1073741824.0, 100.0}}};
  const auto times =
      replay_by_astra_rules(one_collective(CollectiveKind::reduce_scatter, 1000, 8), levels,
                            plain_system(), AstraBackend::congestion_unaware);
  ASSERT_TRUE(times) << times.error().text();
  EXPECT_EQ(times->end, (Instant{(10 + 600 + 10 + 1500) * 1000}));
  EXPECT_EQ(times->remarks.size(), 4U);
}

// Pieces of 2000 in two dimensions. In the first: 10 + 100 + 1000 + 10 + 3000 = 4120 each, one
// after the other. In the second, 1000 bytes: 10 + 600 + 1510 + 600 + 10 = 2730, from 4120 and
// 8240. Back, 1000 bytes: 10 + 1100 + 10 = 1120; the first waits for 8240, the second goes from
// 10970.
TEST(AstraReplay, LetsAPieceWaitForTheDimensionThatAnotherIsIn) {
  const AstraNetwork levels{{{AstraShape::ring, 2, 1e9 / 1073741824.0, 100.0},
                             {AstraShape::ring, 2, 1e9 / 1073741824.0, 100.0}}};
  AstraSystem system = plain_system();
  system.dataset_splits = 2;
  system.optimization = AstraOptimization::local_bandwidth_aware;
  for (AstraCollective& collective : system.collectives) collective.per_dimension = {{}, {}};
  EXPECT_EQ(replayed(one_collective(CollectiveKind::all_reduce, 4000, 4), levels, system),
            (std::vector<Time>(4, {12090, 12090})));
}

}  // namespace
}  // namespace quintet
