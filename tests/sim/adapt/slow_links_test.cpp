// What a slow link does to a pipeline by the ways its messages are sent (PipeMorph, arXiv
// 2504.19232 section 4), through the whole simulator: sends that are held, delegates, head-of-line
// blocking.
#include <fmt/format.h>

#include "sim/plan/problems/problems.h"
#include "sim/simulate/predict.h"
#include "sim/topology/faults/faults.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

using test::required;

Topology held(int hosts, const std::string& between, double milliseconds) {
  Topology topology = test::shipped_topology("h800-8", hosts);
  if (milliseconds <= 0) return topology;
  Faults faults;
  faults.hold = {fmt::format("{}={} ms", between, milliseconds)};
  return required(with_faults(std::move(topology), faults));
}

// Passes of 10 ms each; the machine's messages take 1 to 2 us.
Seconds step(const Plan& plan, const Topology& topology) {
  Model model = test::shipped_model("toy-pipeline");
  model.layers = plan.parallelism.pipeline;
  CostTable costs = test::shipped_costs("toy-pipeline");
  costs.stages.assign(static_cast<std::size_t>(plan.parallelism.pipeline), costs.stages.front());
  const auto prediction = predict(model, plan, topology, costs);
  EXPECT_TRUE(prediction.has_value()) << (prediction ? "" : prediction.error().text());
  return prediction ? seconds(prediction->timeline.end) : Seconds{};
}

Plan toy(int delegates) {
  Plan plan = test::shipped_plan("toy-pipeline-warm-up");
  plan.host_net.pipeline_delivery = Delivery::delegated;
  plan.host_net.delegates = delegates;
  return plan;
}

// On ideal wires, exactly: S = 4, N = 12, t = 10 ms, link 0-1. A stage makes a message in 10 ms at
// least, so two delegates that sleep 20 ms each suffice.
TEST(ToyPipeline, Takes390And400And440MillisecondsByDelegatesThatSleep) {
  for (const int delegates : {2, 3, 4, 12}) {
    for (const auto& [delay, expected] :
         {std::pair{0, 0.390}, std::pair{10, 0.400}, std::pair{20, 0.440}}) {
      Topology topology = test::shipped_topology("pipeline-4");
      Faults faults;
      faults.hold = {fmt::format("host0-host1={} ms", delay)};
      if (delay > 0) topology = required(with_faults(std::move(topology), faults));
      // Both ends of a delegate's way through the host take 5 us (sim/host_net/host_path.h).
      EXPECT_NEAR(expected, step(toy(delegates), topology).value, 0.002)
          << delegates << " delegates, " << delay << " ms";
    }
  }
}

// One delegate lets go a message every 60 ms, two a message every 30, and so on: the more, the
// faster, until the order's own slack is what is left.
TEST(Delegates, ArePricedByTheirNumber) {
  std::vector<double> took;
  for (const int delegates : {1, 2, 4, 6, 12})
    took.push_back(step(toy(delegates), held(4, "host0-host1", 60)).value);
  EXPECT_GT(took[0], took[1] + 0.060);
  EXPECT_GT(took[1], took[2]);
  EXPECT_NEAR(took[3], took[4], 1e-3);
}

TEST(Delegates, DivideTheMicroBatchesEvenly) {
  const Plan plan = toy(5);
  Model model = test::shipped_model("toy-pipeline");
  const std::vector<Problem> found = problems(plan, model, test::shipped_topology("pipeline-4"));
  ASSERT_EQ(1U, found.size());
  EXPECT_EQ("host_net.delegates", found.front().field);
  EXPECT_NE(std::string::npos, found.front().remedy.find("6"));
}

Plan deep(PipelineSchedule schedule, HeadOfLine head_of_line) {
  Plan plan = test::shipped_plan("toy-pipeline-warm-up");
  Parallelism& parallelism = plan.parallelism;
  parallelism.pipeline = 8;
  parallelism.micro_batches = 24;
  parallelism.schedule = schedule;
  parallelism.warm_ups.clear();
  if (schedule == PipelineSchedule::warm_up) parallelism.warm_ups = {15, 13, 11, 9, 7, 5, 3, 1};
  plan.host_net.head_of_line = head_of_line;
  return plan;
}

Plan by_delegates(Plan plan, int delegates) {
  plan.host_net.pipeline_delivery = Delivery::delegated;
  plan.host_net.delegates = delegates;
  return plan;
}

// Where the delay dominates: seconds of a step per second of delay on the last link.
double slope(const Plan& plan) {
  return (step(plan, held(8, "host6-host7", 20000)) - step(plan, held(8, "host6-host7", 10000)))
             .value /
         10.0;
}

// Section 4.2: 2N/(D+1), S = 8, N = 24, where enough delegates take a message each: 24 for 1F1B
// (D = 1), 16 for D = 2.
TEST(SlopeLaw, HoldsForDelegates) {
  EXPECT_NEAR(24.0, slope(by_delegates(deep(PipelineSchedule::one_f_one_b, {}), 24)), 1e-6);
  EXPECT_NEAR(16.0, slope(by_delegates(deep(PipelineSchedule::warm_up, {}), 24)), 1e-6);
}

// With head-of-line blocking the two neighbours' 2N messages go one at a time: 2N = 48 whatever the
// warm-up. Blocked launches alone leave 1F1B at N + 1: the first F alone, N - 1 times an F and a B
// at the same time, the last B alone.
TEST(SlopeLaw, IsTwiceTheMicroBatchesBehindTheHeadOfTheLine) {
  EXPECT_NEAR(48.0, slope(deep(PipelineSchedule::warm_up, HeadOfLine::neighbours)), 1e-6);
  EXPECT_NEAR(48.0, slope(deep(PipelineSchedule::one_f_one_b, HeadOfLine::neighbours)), 1e-6);
  EXPECT_NEAR(25.0, slope(deep(PipelineSchedule::one_f_one_b, HeadOfLine::launches)), 1e-6);
}

// A spinning kernel keeps its stream: N forwards, one every c, then the last B. D = 2 would need
// two thirds of that time.
TEST(SlopeLaw, IsTheMicroBatchesWhereOneStreamSends) {
  EXPECT_NEAR(25.0, slope(deep(PipelineSchedule::warm_up, HeadOfLine::none)), 1e-6);
}

TEST(HeldSends, AreNamedByTwoHosts) {
  const Topology topology = test::shipped_topology("h800-8");
  const auto complaint = [&](const std::string& given) {
    Faults faults;
    faults.hold = {given};
    const Result<Topology> made = with_faults(topology, faults);
    return made ? std::string() : made.error().text();
  };
  EXPECT_EQ("", complaint("host6-host7=60ms"));
  EXPECT_NE(std::string::npos, complaint("host6-host9=60ms").find("host6>host7"));
  EXPECT_NE(std::string::npos, complaint("host6=60ms").find("host6-host7"));
  EXPECT_NE(std::string::npos, complaint("host6-host7").find("host6-host7=60ms"));
  EXPECT_NE(std::string::npos, complaint("host6-host7=0ms").find("more than zero"));
  EXPECT_NE(std::string::npos, complaint("host6-host6=1ms").find("no two hosts"));
}

}  // namespace
}  // namespace quintet
