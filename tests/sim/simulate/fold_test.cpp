// The folded simulation equals the unfolded one to the picosecond.

#include "sim/simulate/predict.h"
#include "tests/sim/simulate/spans_by_rank.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

Plan plan_of(int tensor, int data, int pipeline) {
  Plan plan;
  plan.name = "fold";
  plan.parallelism.tensor = tensor;
  plan.parallelism.data = data;
  plan.parallelism.pipeline = pipeline;
  plan.parallelism.sequence_length = 1024;
  plan.parallelism.micro_batches = 4;
  plan.ccl.bucket = Bytes{200e6};
  return plan;
}

Model small_model() {
  Model model = test::shipped_model("llama-3-8b");
  model.layers = 4;
  return model;
}

Prediction predicted(const Plan& plan, Folding folding, Fidelity fidelity = Fidelity::fluid) {
  PredictOptions options;
  options.folding = folding;
  options.fidelity = fidelity;
  static const Topology topology = test::shipped_topology("dgx-h100-1024", 4);
  static const CostTable costs = test::shipped_costs("h100-sxm-80gb");
  return test::required(predict(small_model(), plan, topology, costs, options));
}

void expect_folding_changes_nothing(const Plan& plan) {
  const Timeline folded = predicted(plan, Folding::equivalent).timeline;
  const Timeline full = predicted(plan, Folding::none).timeline;
  EXPECT_EQ(full.end, folded.end) << plan.name;
  const auto of_all = spans_by_rank(full);
  ASSERT_EQ(static_cast<std::size_t>(world_size(plan.parallelism)), of_all.size());
  int ranks = 0;
  for (const Track& track : folded.tracks) ranks += track.ranks;
  EXPECT_EQ(world_size(plan.parallelism), ranks);
  for (const auto& [rank, spans] : spans_by_rank(folded))
    EXPECT_EQ(of_all.at(rank), spans) << "rank " << rank;
}

TEST(Folding, ChangesNothingForTensorDataAndPipelineAxes) {
  Plan plan = plan_of(4, 4, 2);
  plan.parallelism.sequence_parallel = true;
  plan.parallelism.sharding = Sharding::optimizer;
  expect_folding_changes_nothing(plan);
}

TEST(Folding, ChangesNothingForShardedParameters) {
  Plan plan = plan_of(1, 32, 1);
  plan.parallelism.sharding = Sharding::parameters;
  expect_folding_changes_nothing(plan);
}

TEST(Folding, ChangesNothingForHybridShards) {
  Plan plan = plan_of(2, 16, 1);
  plan.parallelism.sharding = Sharding::parameters;
  plan.parallelism.sharding_group = 4;
  expect_folding_changes_nothing(plan);
}

// Hash collisions make ranks differ: the classes split just as far.
TEST(Folding, ChangesNothingWhereHashedRoutesBreakTheSymmetry) {
  Plan plan = plan_of(1, 16, 2);
  plan.network.routing = Routing::ecmp;
  plan.parallelism.order = {Axis::pipeline, Axis::tensor, Axis::context, Axis::expert, Axis::data};
  expect_folding_changes_nothing(plan);
}

TEST(Folding, KeepsOneClassPerStageOnASymmetricMachine) {
  EXPECT_EQ(2U, predicted(plan_of(8, 2, 2), Folding::equivalent).timeline.tracks.size());
}

// Property H-6 on a whole step: the incremental solver equals the one that starts from scratch.
TEST(Solvers, GiveTheSameStep) {
  EXPECT_EQ(name_of(Fidelity::fluid_from_scratch), "fluid_from_scratch");
  const Plan plan = plan_of(2, 8, 2);
  EXPECT_EQ(predicted(plan, Folding::equivalent, Fidelity::fluid_from_scratch).timeline,
            predicted(plan, Folding::equivalent, Fidelity::fluid).timeline);
}

// Property H-8.
TEST(Simulation, RepeatsItselfExactly) {
  const Plan plan = plan_of(2, 8, 2);
  EXPECT_EQ(predicted(plan, Folding::equivalent).timeline,
            predicted(plan, Folding::equivalent).timeline);
}

// Property H-2: hosts are interchangeable when all hang on leaves alike; so are whole tensor
// groups.
TEST(Simulation, DoesNotCareWhichHostIsWhich) {
  const Plan plan = plan_of(8, 4, 1);
  Plan turned = plan;
  for (int rank = 0; rank < 32; ++rank) turned.intra_inter.placement.push_back((rank + 8) % 32);
  EXPECT_EQ(predicted(plan, Folding::equivalent).timeline.end,
            predicted(turned, Folding::equivalent).timeline.end);
}

}  // namespace
}  // namespace quintet
