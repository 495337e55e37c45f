// PipeMorph's toy pipeline and slope law (arXiv 2504.19232), through the whole
// simulator.

#include <fmt/format.h>

#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

using test::required;

// `stages` ideal GPUs in a chain; the last link adds `delay` milliseconds.
Topology chain(int stages, int delay) {
  std::string devices, links;
  for (int stage = 0; stage < stages; ++stage) {
    devices += fmt::format(R"({}{{"name": "stage{}", "kind": "network_switch", "part": "wire"}})",
                           stage ? ", " : "", stage);
    links += fmt::format(
        R"({}{{"from": "host{}/nic0", "to": "stage{}", "bandwidth": "100 TB/s", "latency": "0 s", "part": "wire"}})",
        stage ? ", " : "", stage, stage);
  }
  for (int stage = 0; stage + 1 < stages; ++stage)
    links += fmt::format(
        R"(, {{"from": "stage{}", "to": "stage{}", "bandwidth": "100 TB/s", "latency": "{} ms", "part": "wire"}})",
        stage, stage + 1, stage + 2 == stages ? delay : 0);
  const std::string text = fmt::format(
      R"({{"name": "chain", "description": "a chain", "host": "hosts/ideal-1gpu.json", "hosts": {}, "network": {{
         "family": "explicit", "protocol": "infiniband", "parts": {{"wire": "definition"}},
         "devices": [{}], "links": [{}]}}}})",
      stages, devices, links);
  return required(parse_topology(text, "chain", test::source("topologies")));
}

Seconds step(const Plan& plan, const Topology& topology, const CostTable& costs) {
  Model model = test::shipped_model("toy-pipeline");
  model.layers = plan.parallelism.pipeline;
  const auto prediction = predict(model, plan, topology, costs);
  EXPECT_TRUE(prediction.has_value()) << (prediction ? "" : prediction.error().text());
  return prediction ? seconds(prediction->timeline.end) : Seconds{};
}

CostTable profiles(int stages) {
  CostTable costs = test::shipped_costs("toy-pipeline");
  costs.stages.assign(static_cast<std::size_t>(stages), costs.stages.front());
  return costs;
}

Plan deep(PipelineSchedule schedule, std::vector<int> warm_ups) {
  Plan plan = test::shipped_plan("toy-pipeline-warm-up");
  plan.parallelism.pipeline = 8;
  plan.parallelism.micro_batches = 24;
  plan.parallelism.schedule = schedule;
  plan.parallelism.warm_ups = std::move(warm_ups);
  return plan;
}

TEST(ToyPipeline, TakesThePapersMillisecondsThroughTheWholeSimulator) {
  const Plan plan = test::shipped_plan("toy-pipeline-warm-up");
  const CostTable costs = profiles(4);
  EXPECT_EQ(duration(Seconds{0.390}),
            duration(step(plan, test::shipped_topology("pipeline-4"), costs)));
  EXPECT_EQ(duration(Seconds{0.400}),
            duration(step(plan, test::shipped_topology("pipeline-4-10ms"), costs)));
  EXPECT_EQ(duration(Seconds{0.440}),
            duration(step(plan, test::shipped_topology("pipeline-4-20ms"), costs)));
}

// Step time against the delay c of the last link, where the delay dominates: 2N/(D+1)
// (arXiv 2504.19232, section 4.1).
double slope(const Plan& plan) {
  const CostTable costs = profiles(8);
  return (step(plan, chain(8, 20000), costs) - step(plan, chain(8, 10000), costs)).value / 10.0;
}

// S=8, N=24. 1F1B has one forward more in flight per stage (D=1): 2*24/2 = 24. Warm-ups 15, 13, ...
// 1 (D=2): 16.
TEST(SlopeLaw, ComesOutOfTheWholeSimulator) {
  EXPECT_NEAR(24.0, slope(deep(PipelineSchedule::one_f_one_b, {})), 1e-9);
  EXPECT_NEAR(16.0, slope(deep(PipelineSchedule::warm_up, {15, 13, 11, 9, 7, 5, 3, 1})), 1e-9);
}

// S=8, N=24, F = B = W = 10 ms: 24 x 30 ms, and (S-1) times 30 ms in 1F1B, 10 ms in ZB-H1 and,
// since a step ends for all stages at once, in ZB-H2.
TEST(ZeroBubble, StepsTakeWhatTheyTakeOnPaperThroughTheWholeSimulator) {
  const CostTable costs = profiles(8);
  const Topology topology = chain(8, 0);
  const auto took = [&](PipelineSchedule schedule) {
    return step(deep(schedule, {}), topology, costs).value;
  };
  EXPECT_NEAR(0.930, took(PipelineSchedule::one_f_one_b), 1e-6);
  EXPECT_NEAR(0.790, took(PipelineSchedule::zb_h1), 1e-6);
  EXPECT_NEAR(0.790, took(PipelineSchedule::zb_h2), 1e-6);
}

}  // namespace
}  // namespace quintet
