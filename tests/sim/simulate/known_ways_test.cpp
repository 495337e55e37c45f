// What is kept from one prediction to the next, and what is left out of one, changes nothing of the
// rest.
#include <gtest/gtest.h>

#include "sim/price/ways.h"
#include "sim/simulate/predict.h"
#include "tests/sim/simulate/random_step.h"

namespace quintet {
namespace {

using test::required;

Plan plan_of(int tensor, int pipeline, Sharding sharding, const Network& network) {
  Plan plan;
  plan.parallelism.tensor = tensor;
  plan.parallelism.pipeline = pipeline;
  plan.parallelism.data = 32 / tensor / pipeline;
  plan.parallelism.sharding = sharding;
  plan.parallelism.sequence_length = 512;
  plan.parallelism.micro_batches = 4;
  plan.network = network;
  return plan;
}

// Neighbours and hosts take other ways by each; the first comes again when the ways of all others
// are known.
std::vector<Plan> plans() {
  const Network pinned{Routing::rail_pinned}, hashed{Routing::ecmp, 7}, sprayed{Routing::spray};
  return {plan_of(8, 2, Sharding::none, pinned),       plan_of(2, 4, Sharding::optimizer, pinned),
          plan_of(4, 1, Sharding::parameters, hashed), plan_of(1, 4, Sharding::none, sprayed),
          plan_of(8, 2, Sharding::none, hashed),       plan_of(8, 2, Sharding::none, pinned)};
}

struct Known {
  Model model = test::shipped_model("llama-3-8b");
  Topology topology = test::shipped_topology("dgx-h100", 4);
  CostTable costs = test::shipped_costs("h100-sxm-80gb");

  Prediction predicted(const Plan& plan, const PredictOptions& options) const {
    return required(predict(model, plan, topology, costs, options));
  }
};

void expect_equal(const Prediction& one, const Prediction& other) {
  EXPECT_EQ(one.timeline, other.timeline);
  EXPECT_EQ(one.mean, other.mean);
  EXPECT_EQ(one.interval, other.interval);
  EXPECT_EQ(one.load_of_link, other.load_of_link);
  EXPECT_EQ(one.events, other.events);
}

TEST(KnownWays, ChangeNoPrediction) {
  const Known known;
  KnownWays ways(known.topology);
  PredictOptions keeping;
  keeping.ways = &ways;
  for (const Plan& plan : plans())
    expect_equal(known.predicted(plan, keeping), known.predicted(plan, {}));
}

// They are of a machine that lies elsewhere: nobody is told of its links.
TEST(KnownWays, OfAnotherTopologyAreNotUsed) {
  const Known known;
  const Topology other = test::shipped_topology("dgx-h100", 8);
  KnownWays ways(other);
  PredictOptions strange;
  strange.ways = &ways;
  const Plan plan = plans().front();
  expect_equal(known.predicted(plan, strange), known.predicted(plan, {}));
}

TEST(Prediction, WithoutAnIntervalIsTheSameOtherwise) {
  const Known known;
  PredictOptions bare;
  bare.interval = false;
  bare.threads = 1;
  const Plan plan = plans().front();
  Prediction without = known.predicted(plan, bare);
  const Prediction with = known.predicted(plan, {});
  EXPECT_EQ(without.interval.low, with.timeline.end - Instant{});
  EXPECT_EQ(without.interval.high, with.timeline.end - Instant{});
  without.interval = with.interval;
  expect_equal(without, with);
}

}  // namespace
}  // namespace quintet
