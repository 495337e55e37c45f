// Runs on machines of which parts slow down, fail and come back, derived by hand or from the
// published toy pipeline (arXiv 2504.19232).
#include "sim/simulate/run/faulted_run.h"

#include <gtest/gtest.h>

#include "sim/simulate/run/priced_states.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace faulted {
namespace {

using namespace literals;

FaultPlan faults(const std::string& events) {
  return test::required(
      parse_faults(R"({"name": "test", "events": [)" + events + "]}", "faults.json"));
}

FaultedRun toy_run(const std::string& events, int steps, FaultedRunOptions options = {}) {
  static const Model model = test::shipped_model("toy-pipeline");
  static const Plan plan = test::shipped_plan("toy-pipeline-warm-up");
  static const Topology topology = test::shipped_topology("pipeline-4");
  static const CostTable costs = test::shipped_costs("toy-pipeline");
  options.steps = steps;
  const FaultPlan read = faults(events);
  return test::required(faulted_run({model, plan, topology, costs, read}, options));
}

std::vector<double> milliseconds(const FaultedRun& run) {
  std::vector<double> times;
  for (const RunStep& step : run.steps) times.push_back(step.time.value * 1e3);
  return times;
}

// The paper's toy pipeline takes 390, 400 and 440 ms with 0, 10 and 20 ms on its first link.
TEST(FaultedRun, OfAToyPipelineTakesThePapersMilliseconds) {
  const FaultedRun run = toy_run(
      R"({"what": "delay", "part": "stage0-stage1", "by": "10 ms", "step": 3, "until_step": 5},
         {"what": "delay", "part": "stage0-stage1", "by": "20 ms", "step": 6, "until_step": 7})",
      8);
  const std::vector<double> expected{390, 390, 400, 400, 390, 440, 390, 390};
  ASSERT_EQ(run.steps.size(), expected.size());
  for (std::size_t step = 0; step < expected.size(); ++step)
    EXPECT_NEAR(run.steps[step].time.value * 1e3, expected[step], 1e-6) << "step " << step + 1;
  EXPECT_EQ(run.walks, 3);  // 8 steps of 3 kinds
  EXPECT_EQ(run.steps[2].events[0].what, "stage0-stage1 later by 10 ms");
  EXPECT_TRUE(run.steps[4].wrong.empty());
}

// A delay that comes 1 ms before a step is over delays nothing of it: its last messages are gone.
TEST(FaultedRun, FeelsWhatComesInAStepFromThenOn) {
  const FaultedRun run = toy_run(
      R"({"what": "delay", "part": "stage0-stage1", "by": "10 ms", "step": 2, "time": "389 ms"})",
      4);
  EXPECT_EQ(milliseconds(run),
            milliseconds(toy_run(
                R"({"what": "delay", "part": "stage0-stage1", "by": "10 ms", "step": 3})", 4)));
  EXPECT_NEAR(run.steps[1].events.at(0).into_step.value, 0.389, 1e-9);
}

// By time alone: 2.5 steps of 390 ms.
TEST(FaultedRun, KnowsInWhichStepATimeLies) {
  const FaultedRun run =
      toy_run(R"({"what": "delay", "part": "stage0-stage1", "by": "10 ms", "time": "975 ms"})", 4);
  EXPECT_TRUE(run.steps[1].events.empty());
  ASSERT_EQ(run.steps[2].events.size(), 1u);
  EXPECT_NEAR(run.steps[2].events[0].into_step.value, 0.195, 1e-9);
  EXPECT_NEAR(run.steps[3].time.value, 0.400, 1e-9);
  EXPECT_LE(run.steps[2].time, run.steps[3].time);
  EXPECT_TRUE(run.steps[3].events.empty());  // told once
}

TEST(FaultedRun, EndsAtTheDeadlineWhereNothingPasses) {
  const FaultedRun run = toy_run(R"({"what": "fail", "part": "stage1-stage2", "step": 3})", 6);
  EXPECT_EQ(run.steps.size(), 2u);
  ASSERT_TRUE(run.end);
  EXPECT_EQ(run.end->step, 3);
  // Stage 1 ends its first forward after 20 ms; nobody hears from it for 60 s.
  EXPECT_NEAR(run.end->at.value, 2 * 0.390 + 0.020 + 60, 1e-6);
  ASSERT_FALSE(run.end->standing.empty());
  EXPECT_TRUE(run.end->standing[0].starts_with("rank 1: ")) << run.end->standing[0];
}

// Heartbeats over the same cable: 5 s from the cut at 10 ms into the step on. A deadline of 4 s,
// which counts from 20 ms on, is over before; what is back after 3 s is in time.
TEST(FaultedRun, EndsWhenHostsAreMissed) {
  const std::string cut =
      R"({"what": "fail", "part": "stage1-stage2", "step": 3, "time": "10 ms"})";
  FaultedRunOptions options;
  options.silence = 5_s;
  const FaultedRun run = toy_run(cut, 6, options);
  ASSERT_TRUE(run.end);
  EXPECT_NEAR(run.end->at.value, 2 * 0.390 + 0.010 + 5, 1e-6);
  EXPECT_NE(std::string::npos, run.end->why.find("hear nothing for 5 s")) << run.end->why;
  options.deadline = 4_s;
  EXPECT_NEAR(toy_run(cut, 6, options).end->at.value, 2 * 0.390 + 0.020 + 4, 1e-6);
  const auto back_after = [&](const std::string& time) {
    return toy_run(cut + R"(, {"what": "back", "part": "stage1-stage2", "step": 3, "time": ")" +
                       time + R"("})",
                   6, options);
  };
  options.deadline = 60_s;
  EXPECT_FALSE(back_after("3010 ms").end);
  EXPECT_TRUE(back_after("6 s").end);
}

// Four hosts with two interfaces each: what the first carried goes over the second when 150 ms of
// silence are over. Steps of a machine without it follow.
TEST(FaultedRun, GoesOnByTheNextInterface) {
  const Model model = test::shipped_model("tiny-gpt");
  const Plan plan = test::shipped_plan("tiny-gpt-dp4");
  const Topology topology = test::shipped_topology("box-4-2x1gbit");
  const CostTable costs = test::shipped_costs("cpu-core");
  const FaultPlan cut =
      faults(R"({"what": "fail", "part": "host1/nic0", "step": 2, "time": "20 ms"})");
  FaultedRunOptions options;
  options.steps = 3;
  const auto run = [&] {
    return test::required(faulted_run({model, plan, topology, costs, cut}, options));
  };
  EXPECT_TRUE(run().end);
  options.nic_loss = NicLoss::next_nic;
  const FaultedRun at_once = run();
  options.resend_after = 150_ms;
  const FaultedRun believed = run();
  ASSERT_FALSE(at_once.end || believed.end);
  EXPECT_EQ(at_once.steps[0].time, believed.steps[0].time);
  EXPECT_NEAR(at_once.steps[1].time.value + 0.150, believed.steps[1].time.value, 1e-9);
  EXPECT_EQ(at_once.steps[2].time, believed.steps[2].time);
}

// From 20 ms on, when stage 1 sends its first, to 5 s, all stands still; then the step takes what
// it would have taken.
TEST(FaultedRun, GoesOnWhenWhatFailedComesBack) {
  const std::string part = R"("part": "stage1-stage2", "step": 2)";
  const FaultedRun run = toy_run(R"({"what": "fail", )" + part + R"(, "time": "19 ms"},
      {"what": "back", )" + part + R"(, "time": "5019 ms"})",
                                 3);
  ASSERT_FALSE(run.end);
  EXPECT_GT(run.steps[1].time.value, 5.0);
  EXPECT_LT(run.steps[1].time.value, 5.0 + 0.390 + 1e-6);
  EXPECT_NEAR(run.steps[2].time.value, 0.390, 1e-9);
  FaultedRunOptions impatient;
  impatient.deadline = 2_s;
  EXPECT_TRUE(toy_run(R"({"what": "fail", )" + part + R"(, "time": "19 ms"},
      {"what": "back", )" +
                          part + R"(, "time": "5019 ms"})",
                      3, impatient)
                  .end);
}

// A stage at half its speed is one whose passes take twice as long.
TEST(FaultedRun, StretchesTheKernelsOfASlowRank) {
  const FaultedRun run =
      toy_run(R"({"what": "slow", "rank": 3, "share": 0.5, "step": 2, "until_step": 3})", 3);
  CostTable costs = test::shipped_costs("toy-pipeline");
  StageCosts& last = costs.stages.back();
  for (Seconds* time : {&last.forward, &last.input_gradient, &last.weight_gradient})
    *time = *time * 2.0;
  const auto slow =
      predict(test::shipped_model("toy-pipeline"), test::shipped_plan("toy-pipeline-warm-up"),
              test::shipped_topology("pipeline-4"), costs);
  ASSERT_TRUE(slow);
  EXPECT_EQ(run.steps[1].time, seconds(slow->timeline.end));
  EXPECT_EQ(run.steps[2].time, run.usual);
}

// The controller's place: it sees each step's timeline, and its plan is the next step's.
TEST(FaultedRun, AsksAfterEachStepForTheNextPlan) {
  FaultedRunOptions options;
  std::vector<int> seen;
  options.next_plan = [&](const FinishedStep& step) -> std::optional<Plan> {
    seen.push_back(step.step);
    EXPECT_FALSE(step.timeline.spans.empty());
    if (step.step != 2) return std::nullopt;
    return test::shipped_plan("toy-pipeline-1f1b");
  };
  const FaultedRun run = toy_run(
      R"({"what": "delay", "part": "stage0-stage1", "by": "10 ms", "step": 2})", 4, options);
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(run.plans, (std::vector<std::string>{"toy-pipeline-warm-up", "toy-pipeline-1f1b"}));
  EXPECT_EQ(run.steps[1].plan, 0);
  EXPECT_EQ(run.steps[2].plan, 1);
  EXPECT_NE(run.steps[2].time, run.steps[1].time);
}

// A program and a machine to change while it runs: one sum over four hosts of 10 Gbit/s.
struct World {
  Topology topology = test::shipped_topology("ethernet-cpu-4", 4);
  CostTable costs;
  Plan plan;
  Program program;
  Operator kernel{Computation::mlp_up, Phase::forward, DataType::fp32, GemmShape{1, 1, 1}};

  World() {
    for (Link& link : topology.links) link.latency = {};
    costs.processors = ProcessorCosts{0, 100_GBps, Seconds{}, Seconds{}, Seconds{}, "derived"};
    costs.operators = {{as_priced(kernel), 8_ms}};
    plan.parallelism.data = 4;
    program.grid = {{{Axis::data, 4}}};
    program.lanes = {{LaneKind::compute, "compute"}, {LaneKind::communication, "data"}};
    program.communicators = {{"data", {{Axis::data}}, {}}};
    program.roles = {{"all", 0, {}}};
  }

  void call(std::vector<Instruction> instructions) {
    program.roles.front().script.calls.push_back({.body = id_at<BodyId>(program.bodies.size())});
    program.bodies.push_back({"step", std::move(instructions)});
  }

  // Wrong from `begin` on, right again from `end` on.
  Execution run(const Fault& fault, Seconds begin, Seconds end,
                Folding folding = Folding::equivalent) const {
    std::vector<MachineState> states;
    for (const bool wrong : {false, true, false})
      states.push_back(test::required(
          machine_state(topology, wrong ? std::span(&fault, 1) : std::span<const Fault>{}, 4)));
    PricedStates priced = priced_states(program, plan, topology, costs, states);
    priced.turns[0].at = Instant{} + begin;
    priced.turns[1].at = Instant{} + end;
    PredictOptions options;
    options.folding = folding;
    return test::required(simulate_priced(
        {program, plan, costs, priced.all, priced.turns, priced.states, priced.may_stand}, topology,
        options));
  }
  Seconds alone() const {
    return seconds(test::required(simulate(program, plan, topology, costs)).timeline.end);
  }
};

Instruction sum(Bytes size) {
  return {"sum",
          LaneId{1},
          Collective{CollectiveKind::all_reduce, CommunicatorId{0}, size, DataType::fp32,
                     Purpose::sum_gradients},
          {},
          Block::none};
}

Fault of(FaultKind kind, double share = 1) {
  Fault fault;
  fault.kind = kind;
  fault.part = "host1/nic0";
  fault.share = share;
  return fault;
}

// T alone. A quarter is done when its slowest link falls to a half; in T/2 it does another quarter,
// and then the other half at full rate: T/4 + T/2 + T/2.
TEST(ChangingWorld, MovesOnAtAnotherRate) {
  World world;
  world.call({sum(100_MB)});
  const Seconds alone = world.alone();
  const Execution slow = world.run(of(FaultKind::slow, 0.5), 0.25 * alone, 0.75 * alone);
  EXPECT_NEAR(seconds(slow.timeline.end).value, 1.25 * alone.value, 1e-9);
  const Execution unfolded =
      world.run(of(FaultKind::slow, 0.5), 0.25 * alone, 0.75 * alone, Folding::none);
  EXPECT_EQ(unfolded.timeline.end, slow.timeline.end);
}

// Slow for the first half of its bytes, which take twice as long: T + T/2.
TEST(ChangingWorld, GoesOnAtFullRateWhenWhatWasSlowIsNot) {
  World world;
  world.call({sum(100_MB)});
  const Seconds alone = world.alone();
  const Fault half = of(FaultKind::slow, 0.5);
  std::vector<MachineState> states{test::required(machine_state(world.topology, {&half, 1}, 4)),
                                   test::required(machine_state(world.topology, {}, 4))};
  PricedStates priced =
      priced_states(world.program, world.plan, world.topology, world.costs, states);
  priced.turns[0].at = Instant{} + alone;
  const Execution restored = test::required(simulate_priced(
      {world.program, world.plan, world.costs, priced.all, priced.turns, priced.states, false},
      world.topology));
  EXPECT_NEAR(seconds(restored.timeline.end).value, 1.5 * alone.value, 1e-9);
}

TEST(ChangingWorld, StandsStillWhereNothingPasses) {
  World world;
  world.call({sum(100_MB)});
  const Seconds alone = world.alone();
  const Execution late = world.run(of(FaultKind::fail), 0.25 * alone, 3 * alone);
  EXPECT_NEAR(seconds(late.timeline.end).value, 3.75 * alone.value, 1e-9);
  EXPECT_TRUE(late.standing.empty());
}

// Kernels of 8 ms; the second begins when the rank has been slow for 4 ms.
TEST(ChangingWorld, StretchesKernelsThatBeginLater) {
  World world;
  const Instruction kernel{"kernel", LaneId{0}, Compute{world.kernel}, {}, Block::none};
  world.call({kernel});
  world.call({kernel});
  Fault fault = of(FaultKind::slow, 0.5);
  fault.part.clear();
  fault.rank = 2;
  const Execution slow = world.run(fault, 4_ms, 1_s);
  EXPECT_EQ(slow.timeline.end, Instant{} + 24_ms);
  EXPECT_EQ(world.run(fault, 4_ms, 1_s, Folding::none).timeline.end, Instant{} + 24_ms);
}

// What changes tells ranks apart that are alike before: folded as unfolded, to the picosecond.
TEST(FaultedRun, FoldsWithoutChange) {
  Plan plan;
  plan.name = "fold";
  plan.parallelism.tensor = 4;
  plan.parallelism.data = 4;
  plan.parallelism.pipeline = 2;
  plan.parallelism.sequence_length = 1024;
  plan.parallelism.micro_batches = 4;
  plan.ccl.bucket = Bytes{200e6};
  Model model = test::shipped_model("llama-3-8b");
  model.layers = 4;
  const Topology topology = test::shipped_topology("dgx-h100-1024", 4);
  const CostTable costs = test::shipped_costs("h100-sxm-80gb");
  const FaultPlan read = faults(
      R"({"what": "slow", "part": "host1/nic2", "share": 0.1, "step": 2, "time": "5 ms", "until_step": 4},
         {"what": "delay", "part": "host2/nic0", "by": "1 ms", "step": 2, "time": "9 ms"},
         {"what": "slow", "part": "host3/gpu1", "share": 0.5, "step": 3})");
  FaultedRunOptions options;
  options.steps = 4;
  const FaultedJob job{model, plan, topology, costs, read};
  const FaultedRun folded = test::required(faulted_run(job, options));
  options.predict.folding = Folding::none;
  const FaultedRun full = test::required(faulted_run(job, options));
  EXPECT_EQ(milliseconds(folded), milliseconds(full));
  EXPECT_GT(folded.steps[1].time, folded.usual);
  EXPECT_GT(folded.steps[2].time, folded.steps[1].time);
}

}  // namespace
}  // namespace faulted
}  // namespace quintet
