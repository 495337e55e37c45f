// Ranks whose threads share processor cores (processors.h), derived by hand.

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/simulate/predict.h"
#include "tests/sim/simulate/spans_by_rank.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

using namespace literals;

// One kernel of `work` per rank and nothing else.
Operator kernel(int size) {
  return {Computation::mlp_up, Phase::forward, DataType::fp32, GemmShape{size, size, size}};
}

struct World {
  Topology topology = test::shipped_topology("ethernet-cpu-4", 4);  // 10 GbE, a slot a host
  CostTable costs;
  Plan plan;
  Program program;

  // A core moves 1 GB/s; messages cost nothing beside their bytes.
  explicit World(int data, int cores) {
    for (Link& link : topology.links) link.latency = {};
    costs.processors = ProcessorCosts{cores, 1_GBps, Seconds{}, Seconds{}, Seconds{}, "derived"};
    costs.operators = {{as_priced(kernel(1)), 8_ms}, {as_priced(kernel(2)), 4_ms}};
    plan.parallelism.data = data;
    program.grid = {{{Axis::data, data}}};
    program.lanes = {{LaneKind::compute, "compute"}, {LaneKind::communication, "data"}};
    program.communicators = {{"data", {{Axis::data}}, {}}};
    program.roles = {{"all", 0, {}}};
  }

  void call(Body body) {
    const auto number = id_at<BodyId>(program.bodies.size());
    program.bodies.push_back(std::move(body));
    program.roles.front().script.calls.push_back({.body = number});
  }

  Timeline timeline(Folding folding = Folding::equivalent) const {
    PredictOptions options;
    options.folding = folding;
    return test::required(simulate(program, plan, topology, costs, options)).timeline;
  }
};

Instruction compute(int size, std::vector<int> after = {}) {
  return {"kernel", LaneId{0}, Compute{kernel(size)}, std::move(after), Block::none};
}

Instruction all_reduce(Bytes size, std::vector<int> after = {}) {
  return {"sum", LaneId{1},
          Collective{CollectiveKind::all_reduce, CommunicatorId{0}, size, DataType::fp32,
                     Purpose::sum_gradients},
          std::move(after), Block::none};
}

Instant at(Seconds time) {
  return Instant{} + time;
}

// Four ranks want a core each and there are two: 8 ms of work take 8 * 4 / 2.
TEST(SharedCores, ThreadsTakeTurns) {
  World world(4, 2);
  world.call({"step", {compute(1)}});
  EXPECT_EQ(world.timeline().end, at(16_ms));
}

// They get 80 % of the two cores: 16 ms / 0.8. A single one has no other to wait for.
TEST(SharedCores, GiveLessThanAllWhereAllIsWanted) {
  World world(4, 2);
  world.costs.processors->usable = 0.8;
  world.call({"step", {compute(1)}});
  EXPECT_EQ(world.timeline().end, at(20_ms));
  World alone(1, 2);
  alone.costs.processors->usable = 0.8;
  alone.call({"step", {compute(1)}});
  EXPECT_EQ(alone.timeline().end, at(8_ms));
}

// Four ranks on two cores compute for 16 ms and wait an eighth of it for the last one, and nothing
// where they meet again at once; two ranks have a core each.
TEST(SharedCores, MoreRanksThanCoresMeetLater) {
  for (const auto& [ranks, later] : {std::pair{4, 2_ms}, std::pair{2, Seconds{}}}) {
    World even(ranks, 2);
    even.call({"step", {compute(1), all_reduce(4_MB, {0}), all_reduce(64_B, {1})}});
    World uneven = even;
    uneven.costs.processors->arrival_spread = {0.125, 100_ms};
    EXPECT_EQ(uneven.timeline().end, even.timeline().end + later) << ranks << " ranks";
    EXPECT_EQ(uneven.timeline(Folding::none).end, uneven.timeline().end);
  }
}

// The second all-reduce waits for the second kernel, 8 ms, but also for the first to leave the
// lane: 1 GB is long in coming.
TEST(SharedCores, RanksThatWaitForTheLaneMeetEvenly) {
  World even(4, 2);
  even.call({"step", {all_reduce(1_GB), compute(1), all_reduce(64_B, {1})}});
  World uneven = even;
  uneven.costs.processors->arrival_spread = {0.125, 100_ms};
  EXPECT_EQ(uneven.timeline().end, even.timeline().end);
}

// As many cores as ranks: nobody waits, and nobody gets more than one.
TEST(SharedCores, AThreadFillsOneCore) {
  World world(2, 4);
  world.call({"step", {compute(1)}});
  EXPECT_EQ(world.timeline().end, at(8_ms));
}

// Hosts with cores of their own (32 each) do not share.
TEST(SharedCores, HostsKeepTheirOwnWhereTheCostsNameNone) {
  World world(4, 0);
  world.call({"step", {compute(1)}});
  EXPECT_EQ(world.timeline().end, at(8_ms));
}

// Two pipeline stages on one core, 8 and 4 ms: both at half pace until the shorter is over at 8 ms
// with 4 ms of the other left, which then has the core: 12 ms.
TEST(SharedCores, WhoIsLeftGetsTheWholeCore) {
  World world(1, 1);
  world.plan.parallelism.pipeline = 2;
  world.program.grid = {{{Axis::pipeline, 2}}};
  world.program.communicators.clear();
  world.call({"long", {compute(1)}});
  world.program.roles.push_back({"second", 1, {}});
  world.program.bodies.push_back({"short", {compute(2)}});
  world.program.roles[1].script.calls.push_back({.body = BodyId{1}});
  const Timeline timeline = world.timeline();
  std::map<int, Instant> ends;
  for (const Span& span : timeline.spans) ends[span.track] = span.end;
  EXPECT_EQ(ends, (std::map<int, Instant>{{0, at(12_ms)}, {1, at(8_ms)}}));
}

// All-reduce of 8 MB over 2 ranks by a ring: each sends and receives 8 MB, so both move 16 MB,
// which is 16 ms of one core at 1 GB/s; the links (10 Gbit/s, 1 ms for 1.25 MB less framing) need
// 6.4 ms and more. On one core the cores decide.
TEST(SharedCores, MovingBytesTakesCores) {
  World world(2, 1);
  world.call({"step", {all_reduce(8_MB)}});
  const Timeline timeline = world.timeline();
  EXPECT_EQ(timeline.spans.front().end - timeline.spans.front().moving, duration(16_ms));
  world.costs.processors->cores = 8;
  EXPECT_LT(world.timeline().end, at(16_ms));
}

// Beside it two kernels of 8 ms on the same core. A level L: each kernel gets L of the core, the
// all-reduce L of its size a second, twice that in moved bytes: 2 L + 2 L = 1 GB/s. The kernels
// end at 8 ms * 4 = 32 ms; the all-reduce has done 0.25 GB/s * 32 ms = 8 MB by then.
TEST(SharedCores, KernelsAndBytesShareTheSameCore) {
  World world(2, 1);
  world.call({"step", {all_reduce(8_MB), compute(1)}});
  EXPECT_EQ(world.timeline().end, at(32_ms));
}

// 4 messages (2 ranks, 2 steps) of 1 ms core time on 2 free cores beside 16 ms of bytes: the flow
// takes (16 + 4) / 2 ms.
TEST(SharedCores, AMessageCostsCoreTimeBesideItsBytes) {
  World world(2, 2);
  world.costs.processors->message_work = 1_ms;
  world.call({"step", {all_reduce(8_MB)}});
  EXPECT_NEAR(seconds(world.timeline().end).value, 10e-3, 1e-6);
}

// A ring of 2 takes 2 steps for an all-reduce: 2 latencies of 3 ms more than without.
TEST(SharedCores, AStepWaitsForItsMessage) {
  World world(2, 2);
  world.call({"step", {all_reduce(8_MB)}});
  const Instant before = world.timeline().end;
  world.costs.processors->message_latency = 3_ms;
  EXPECT_EQ(world.timeline().end - before, duration(6_ms));
}

// 8 MB at 8 MB in 6 ms: 3 ms of the rank's own thread before and 3 after. In between 16 ms of core
// time on two cores, and then 8 ms of kernel.
TEST(SharedCores, ThreadsPackBeforeACommunicationAndUnpackAfterIt) {
  World world(2, 2);
  world.costs.processors->staging = {{"sum", 8_MB / 6_ms}};
  world.call({"step", {all_reduce(8_MB), compute(1, {0})}});
  const Timeline timeline = world.timeline();
  const Span& sum = timeline.spans.front();
  EXPECT_NEAR(seconds(sum.moving - sum.start).value, 3e-3, 1e-6);
  EXPECT_NEAR(seconds(sum.end - sum.moving).value, 8e-3, 1e-6);
  EXPECT_NEAR(seconds(timeline.end).value, 22e-3, 1e-6);
}

// One core for two ranks: while both compute there is none left, and each of the 2 steps waits 5 ms
// instead of 3.
TEST(SharedCores, MessagesWaitLongerWhileAllCoresCompute) {
  World world(2, 1);
  world.costs.processors->message_latency = 3_ms;
  world.costs.processors->crowded_latency = 5_ms;
  world.call({"step", {all_reduce(8_MB)}});
  EXPECT_EQ(world.timeline().end, at(22_ms));  // 2 * 3 + 16
  world.program.bodies.front().instructions = {all_reduce(Bytes{1}), compute(1)};
  const Timeline beside = world.timeline();
  const auto sum = std::find_if(beside.spans.begin(), beside.spans.end(), [&](const Span& span) {
    return beside.infos[static_cast<std::size_t>(span.info)].kind == SpanKind::collective;
  });
  EXPECT_EQ(sum->end - sum->moving, duration(10_ms + 2_ns));  // a byte loads nothing, 0.5 GB/s
}

// The second all-reduce only waits for the first, which is over long before the first kernel. The
// rank's thread is in that kernel then, and starts it between the two.
TEST(SharedCores, AThreadStartsCommunicationBetweenKernels) {
  World world(2, 2);
  world.call({"step", {all_reduce(1_MB), compute(1), all_reduce(1_MB, {0}), compute(1)}});
  const Timeline timeline = world.timeline();
  std::vector<Instant> starts;
  for (const Span& span : timeline.spans)
    if (timeline.infos[static_cast<std::size_t>(span.info)].kind == SpanKind::collective)
      starts.push_back(span.start);
  std::vector<Instant> kernels;
  for (const Span& span : timeline.spans)
    if (timeline.infos[static_cast<std::size_t>(span.info)].kind == SpanKind::compute)
      kernels.push_back(span.end);
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_EQ(starts[0], Instant{});
  EXPECT_EQ(starts[1], kernels[0]);
}

TEST(SharedCores, FoldingChangesNothing) {
  for (const int cores : {0, 3}) {
    World world(4, cores);
    world.costs.processors->message_work = 7_us;
    world.costs.processors->message_latency = 50_us;
    world.costs.processors->crowded_latency = 1_ms;
    world.costs.processors->staging = {{"sum", 3_GBps}};
    world.call({"step", {all_reduce(3_MB), compute(1), all_reduce(5_MB), compute(2)}});
    world.call({"next", {compute(2), all_reduce(2_MB)}});
    const Timeline folded = world.timeline(), full = world.timeline(Folding::none);
    EXPECT_EQ(folded.tracks.size(), 1u);
    EXPECT_EQ(folded.end, full.end);
    const auto of_all = spans_by_rank(full);
    ASSERT_EQ(of_all.size(), 4u);
    for (const auto& [rank, spans] : spans_by_rank(folded)) EXPECT_EQ(of_all.at(rank), spans);
  }
}

// Core pools are no links of the topology.
TEST(SharedCores, LoadsAreOfTheTopologysLinksOnly) {
  World world(4, 2);
  world.call({"step", {all_reduce(3_MB), compute(1)}});
  const Execution execution =
      test::required(simulate(world.program, world.plan, world.topology, world.costs));
  EXPECT_EQ(execution.load_of_link.size(), world.topology.links.size());
  for (const LinkLoad& load : execution.loads)
    EXPECT_LT(load.shown.index(), world.topology.links.size());
}

TEST(SharedCores, AnOperatorWithoutAPriceIsNamed) {
  const Model model = test::shipped_model("gpt2");
  const World world(4, 2);
  Plan plan = world.plan;
  plan.name = "DP4";
  plan.parallelism.sequence_length = 64;
  plan.parallelism.compute_type = DataType::fp32;
  const Result<Prediction> refused = predict(model, plan, world.topology, world.costs);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("has no measured time of \""), std::string::npos)
      << refused.error().text();
  EXPECT_NE(refused.error().what.find("quintet calibrate"), std::string::npos);
}

}  // namespace
}  // namespace quintet
