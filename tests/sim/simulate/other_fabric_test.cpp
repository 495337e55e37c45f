// What stands behind the walk of a program may be another fabric than the fluid one: phases reach
// it.
#include <gtest/gtest.h>

#include <limits>

#include "sim/network/fluid/fluid_fabric.h"
#include "sim/simulate/predict.h"
#include "tests/support/one_collective.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

// Carries a communication's phases one after another, as fast as links let each.
class PhaseByPhase final : public Fabric {
 public:
  PhaseByPhase(EventQueue& events, const std::vector<LinkShare>& links) : links_(events, links) {}

  void start(MoveRequest request) override {
    ++phases_;
    MoveRequest rest = request;
    rest.phases = request.phases.subspan(1);
    rest.latency = {};
    if (!rest.phases.empty()) request.done = [this, rest] { start(rest); };
    request.phases = request.phases.first(1);
    request.whole = request.phases.front().uses;
    request.bound = {std::numeric_limits<double>::infinity()};
    links_.start(std::move(request));
  }
  void set_capacity(std::int32_t link, double capacity) override {
    links_.set_capacity(link, capacity);
  }
  std::vector<double> carried() const override { return links_.carried(); }
  std::size_t in_flight() const override { return links_.in_flight(); }

  int phases() const { return phases_; }

 private:
  FluidFabric links_;
  int phases_ = 0;
};

// Everybody sends everybody else a quarter of 1 GB to sum, then the sums back. Alone, two phases of
// 0.75 GB a cable take as long one by one as in the one flow that couples them, and the cables have
// carried the same.
TEST(OtherFabric, TakesAsLongWherePhasesAreAlone) {
  const Topology topology = test::shipped_topology("ethernet-cpu-4", 4);
  Program program = test::one_collective(4, CollectiveKind::all_reduce, Bytes{1e9}, DataType::fp32);
  program.roles = {{"all", 0, {{Call{.body = BodyId{0}}}}}};
  Plan plan;
  plan.ccl.rules = {{.algorithm = Algorithm::direct}};
  const CostTable costs;
  const Communications all = communications(program, plan, topology, costs);
  const FoldedWorld world = fold(program, all, Folding::equivalent);
  EventQueue events;
  PhaseByPhase fabric(events, world.links);
  const Execution apart =
      test::required(execute({program, plan, costs, all, world, events, fabric}, {}));
  EXPECT_EQ(fabric.phases(), 2);
  const Execution coupled = test::required(simulate(program, plan, topology, costs));
  EXPECT_NEAR(seconds(apart.timeline.end).value, seconds(coupled.timeline.end).value, 2e-12);
  ASSERT_EQ(apart.loads.size(), coupled.loads.size());
  for (std::size_t link = 0; link < apart.loads.size(); ++link)
    EXPECT_DOUBLE_EQ(apart.loads[link].bytes, coupled.loads[link].bytes);
}

}  // namespace
}  // namespace quintet
