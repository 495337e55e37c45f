// Behaviour of the whole simulator on small machines.

#include <algorithm>
#include <array>
#include <random>

#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

struct World {
  Model model = test::shipped_model("llama-3-8b");
  Topology topology = test::shipped_topology("dgx-h100-1024", 2);
  CostTable costs = test::shipped_costs("h100-sxm-80gb");
  Plan plan;

  World() {
    model.layers = 4;
    plan.name = "test";
    plan.parallelism.data = 16;
    plan.parallelism.sequence_length = 2048;
    plan.parallelism.micro_batches = 2;
    plan.ccl.bucket = Bytes{100e6};
  }

  Prediction prediction() const { return test::required(predict(model, plan, topology, costs)); }
};

TEST(Simulation, PutsEveryPicosecondOfEveryRankInOneRow) {
  World world;
  world.plan.parallelism = {
      .tensor = 2, .data = 4, .pipeline = 2, .sequence_length = 2048, .micro_batches = 4};
  const Prediction prediction = world.prediction();
  for (const RankBreakdown& each : prediction.breakdowns) {
    EXPECT_EQ(each.step, sum(each));
    EXPECT_EQ(prediction.timeline.end - Instant{}, each.step);
  }
  EXPECT_EQ(prediction.mean.step, sum(prediction.mean));
}

struct Degrees {
  int tensor, data, pipeline;
};

// Splits of 16 GPUs, with what makes kernels and collectives come and go beside each other.
Plan random_plan(std::mt19937& dice) {
  const auto below = [&](int end) { return static_cast<int>(dice() % static_cast<unsigned>(end)); };
  constexpr std::array<Degrees, 6> splits{
      {{1, 16, 1}, {2, 8, 1}, {8, 2, 1}, {2, 4, 2}, {4, 2, 2}, {2, 2, 4}}};
  const Degrees split = splits[static_cast<std::size_t>(below(6))];
  Plan plan;
  plan.name = "random";
  plan.parallelism = {.tensor = split.tensor,
                      .data = split.data,
                      .pipeline = split.pipeline,
                      .sharding = static_cast<Sharding>(below(4)),
                      .sequence_length = 512 << below(3),
                      .micro_batches = split.pipeline * (1 + below(3))};
  plan.parallelism.sequence_parallel = split.tensor > 1 && below(2) == 0;
  plan.ccl.overlap_gradients = below(2) == 0;
  plan.ccl.overlap_parameters = below(2) == 0;
  plan.ccl.bucket = Bytes{25e6 * below(8)};
  plan.host_net.delivery = below(2) == 0 ? Delivery::direct : Delivery::staged;
  return plan;
}

TEST(Simulation, EndsWithItsLastTask) {
  World world;
  std::mt19937 dice(21);
  for (int round = 0; round < 300; ++round) {
    world.plan = random_plan(dice);
    const Timeline timeline = world.prediction().timeline;
    Instant last;
    for (const Span& span : timeline.spans) last = std::max(last, span.end);
    EXPECT_EQ(timeline.end, last) << "round " << round;
  }
}

TEST(Simulation, HidesGradientsUnderBackwardWhenThePlanOverlaps) {
  World world;
  world.plan.ccl.overlap_gradients = true;
  const Prediction overlapped = world.prediction();
  world.plan.ccl.overlap_gradients = false;
  const Prediction apart = world.prediction();
  const auto data = static_cast<std::size_t>(Axis::data);
  EXPECT_LT(overlapped.mean.exposed[data], apart.mean.exposed[data]);
  EXPECT_LT(overlapped.timeline.end, apart.timeline.end);
  // Kernels beside communication are slower (arXiv 2507.03114).
  EXPECT_GT(overlapped.mean.compute, apart.mean.compute);
}

// Measured beside each other both take longer than by the model: kernels, and what they hide.
TEST(Simulation, OverlapThatWasMeasuredSlowsBothSides) {
  World world;
  world.plan.ccl.overlap_gradients = true;
  const Prediction modelled = world.prediction();
  for (const ComputeClass compute : {ComputeClass::product, ComputeClass::memory})
    for (const CommunicationClass moving :
         {CommunicationClass::reducing, CommunicationClass::copying})
      world.costs.overlap.rows.push_back({compute, moving, 3, 4});
  const Prediction measured = world.prediction();
  EXPECT_GT(measured.mean.compute, modelled.mean.compute);
  EXPECT_GT(measured.timeline.end, modelled.timeline.end);
}

TEST(Simulation, WaitsForTheCpuWhenLaunchesAreSlow) {
  World world;
  EXPECT_LT(world.prediction().mean.host.picoseconds, 1'000'000'000);  // a millisecond
  world.costs.launch.eager = Seconds{1e-3};
  const Prediction slow = world.prediction();
  EXPECT_GT(slow.mean.host, slow.mean.compute);
  world.plan.host_net.launch = Launch::graphs;
  EXPECT_LT(world.prediction().mean.host, slow.mean.host);
}

// One GPU and no host to wait for: the step is the host's 3 ms, then each instruction's measured
// time with one gap, however many kernels the formula would have counted.
TEST(Simulation, AddsOneGapToAMeasuredOperatorAndTheHostsTimeToAStep) {
  World world;
  world.topology = test::shipped_topology("h200-1");
  world.plan.parallelism.data = 1;
  const Program program =
      test::required(checked_program(world.model, world.plan, world.topology, world.costs));
  CostTable measured;
  measured.name = "measured";
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions)
      if (const auto* const compute = std::get_if<Compute>(&instruction.action)) {
        const auto known = std::find_if(
            measured.operators.begin(), measured.operators.end(),
            [&](const MeasuredOperator& each) { return each.work == as_priced(compute->work); });
        if (known == measured.operators.end())
          measured.operators.push_back({as_priced(compute->work), Seconds{1e-3}, 1});
      }
  world.costs = measured;
  const Prediction bare = world.prediction();
  world.costs.launch.gap = Seconds{1e-5};
  world.costs.launch.step = Seconds{3e-3};
  const Prediction whole = world.prediction();
  const auto instructions = static_cast<std::int64_t>(bare.timeline.spans.size());
  EXPECT_EQ(bare.timeline.end, (Instant{instructions * 1'000'000'000}));
  EXPECT_EQ(whole.timeline.end, (Instant{instructions * 1'010'000'000 + 3'000'000'000}));
  EXPECT_EQ(whole.mean.host, (Duration{3'000'000'000}));
}

// Staged delivery crosses PCIe twice and the host's memory; direct goes NIC to GPU.
TEST(Simulation, IsSlowerWhenBytesGoThroughTheHost) {
  World world;
  world.plan.ccl.overlap_gradients = false;
  const Instant direct = world.prediction().timeline.end;
  world.plan.host_net.delivery = Delivery::staged;
  EXPECT_GT(world.prediction().timeline.end, direct);
}

// A delegate needs no GPU kernel, so compute is not slowed by what it sends.
TEST(Simulation, TakesNoSmsForDelegatedMessages) {
  World world;
  world.plan.parallelism = {.data = 8, .pipeline = 2, .sequence_length = 2048, .micro_batches = 8};
  const Duration direct = world.prediction().mean.compute;
  world.plan.host_net.pipeline_delivery = Delivery::delegated;
  EXPECT_LE(world.prediction().mean.compute, direct);
}

// All-reduce of S bytes over n = 16 ranks moves 2 (n-1)/n S out of each rank; on two hosts of 8
// GPUs with 8 rings, each NIC sends 1/8 of what crosses the host's border: 2 (n-1)/n S / 8
// (ccl/traffic.h).
TEST(Simulation, LoadsEveryNicWithItsShareOfTheRing) {
  World world;
  world.plan.parallelism.clipping = Clipping::none;
  world.plan.ccl.rules = {{.algorithm = Algorithm::ring}};
  const Prediction prediction = world.prediction();
  double gradients = 0;
  for (const Span& span : prediction.timeline.spans) {
    const SpanInfo& info = prediction.timeline.infos[static_cast<std::size_t>(span.info)];
    if (span.track == 0 && info.kind == SpanKind::collective) gradients += info.size.value;
  }
  double nic = 0;
  for (const LinkLoad& load : prediction.loads)
    if (world.topology.device(world.topology.link(load.shown).from).kind == DeviceKind::nic &&
        world.topology.link(load.shown).kind == LinkKind::network)
      nic = std::max(nic, load.bytes);
  EXPECT_NEAR(2.0 * 15.0 / 16.0 * gradients / 8.0, nic, 1e-6 * nic);
}

// Property H-9 on every collective: no faster than its slowest link allows.
TEST(Simulation, MovesNothingFasterThanTheNicsAllow) {
  World world;
  world.plan.parallelism.clipping = Clipping::none;
  world.plan.ccl.rules = {{.algorithm = Algorithm::ring}};
  const Prediction prediction = world.prediction();
  for (const Span& span : prediction.timeline.spans) {
    const SpanInfo& info = prediction.timeline.infos[static_cast<std::size_t>(span.info)];
    if (info.kind != SpanKind::collective) continue;
    const double seconds_least = 2.0 * 15.0 / 16.0 * info.size.value / 8.0 / 50e9;
    EXPECT_GE(seconds(span.end - span.moving).value, seconds_least);
  }
}

// Two hosts of 8: reduce-scatter inside, all-reduce of 1/8 across, all-gather inside (BlueConnect).
// The NICs carry as much as under 8 rings over all 16 ranks but for the ring's (n-1)/n: S/8 against
// 15/16 S/4.
TEST(Simulation, CutsHierarchicalCollectivesAtTheHosts) {
  World world;
  world.plan.parallelism.clipping = Clipping::none;
  world.plan.intra_inter.decompositions = {{Axis::data, Decomposition::hierarchical}};
  const Prediction prediction = world.prediction();
  std::vector<std::string> names;
  for (const SpanInfo& info : prediction.timeline.infos)
    if (info.kind == SpanKind::collective && names.size() < 3) names.push_back(info.name);
  EXPECT_EQ((std::vector<std::string>{"all-reduce gradients: reduce-scatter inside hosts",
                                      "all-reduce gradients: all-reduce across hosts",
                                      "all-reduce gradients: all-gather inside hosts"}),
            names);
  EXPECT_EQ(prediction.mean.step, sum(prediction.mean));
}

TEST(Simulation, SlowsDownWhenTheNetworkDoes) {
  World world;
  const Instant fast = world.prediction().timeline.end;
  for (Link& link : world.topology.links)
    if (link.kind == LinkKind::network) link.bandwidth = link.bandwidth / 10.0;
  EXPECT_GT(world.prediction().timeline.end, fast);
}

TEST(Simulation, NamesAllProblemsOfAPlanAtOnce) {
  World world;
  world.plan.parallelism.tensor = 3;
  world.plan.parallelism.virtual_stages = 2;
  const auto refused = predict(world.model, world.plan, world.topology, world.costs);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(std::string::npos, refused.error().what.find("parallelism.tensor"));
  EXPECT_NE(std::string::npos, refused.error().what.find("parallelism.virtual_stages"));
}

TEST(Simulation, RefusesTypesTheCostsDoNotCover) {
  World world;
  world.costs.gemm.clear();
  const auto refused = predict(world.model, world.plan, world.topology, world.costs);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(std::string::npos, refused.error().where.find(world.costs.name));
}

// GPipe keeps all micro-batches in flight, 1F1B as many as stages remain (oracle E-6): 8 against 2
// on stage 0 of 2.
TEST(Memory, FollowsTheSchedule) {
  World world;
  world.plan.parallelism = {.data = 8,
                            .pipeline = 2,
                            .schedule = PipelineSchedule::gpipe,
                            .sequence_length = 2048,
                            .micro_batches = 8};
  const Bytes all = world.prediction().memory.ranks.front().activations;
  world.plan.parallelism.micro_batches = 6;
  const Bytes six = world.prediction().memory.ranks.front().activations;
  world.plan.parallelism.schedule = PipelineSchedule::one_f_one_b;
  const Bytes few = world.prediction().memory.ranks.front().activations;
  // 8, 6 and 2 micro-batches, each with the gradients of the layer that runs backward.
  EXPECT_DOUBLE_EQ((8.0 - 2.0) / (8.0 - 6.0), (all - few) / (all - six));
}

}  // namespace
}  // namespace quintet
