#include "sim/simulate/communications.h"

#include <cmath>

#include "tests/support/shipped.h"

namespace quintet {
namespace {

// One collective over all 16 GPUs of two hosts.
Transport priced(CollectiveKind kind, const CollectiveRule& rule) {
  Program program;
  program.grid.axes = {{Axis::data, 16}};
  program.lanes = {{LaneKind::communication, "wire"}};
  program.communicators = {{"data", {{Axis::data}}, {}}};
  program.bodies = {{"body",
                     {{"collective",
                       LaneId{0},
                       Collective{kind, CommunicatorId{0}, Bytes{1e9}, DataType::bf16},
                       {}}}}};
  Plan plan;
  plan.ccl.rules = {rule};
  const Communications all =
      communications(program, plan, test::shipped_topology("dgx-h100-1024", 2),
                     test::shipped_costs("h100-sxm-80gb"));
  return all.collectives.at(0).at(0).at(0);
}

// An all-reduce of 8 MB among the 8 GPUs of one host, with a table's curve and without.
Transport inside_host(const CostTable& costs, const CollectiveRule& rule) {
  Program program;
  program.grid.axes = {{Axis::data, 8}};
  program.lanes = {{LaneKind::communication, "wire"}};
  program.communicators = {{"data", {{Axis::data}}, {}}};
  program.bodies = {
      {"body",
       {{"collective",
         LaneId{0},
         Collective{CollectiveKind::all_reduce, CommunicatorId{0}, Bytes{8e6}, DataType::bf16},
         {}}}}};
  Plan plan;
  plan.ccl.rules = {rule};
  return communications(program, plan, test::shipped_topology("dgx-h100-1"), costs)
      .collectives.at(0)
      .at(0)
      .at(0);
}

// Latency and bytes at the bound make the measured 1 ms; a plan's own algorithm keeps its formula.
TEST(Communications, TakeTheMeasuredTimeWhereACurveCoversIt) {
  CostTable costs = test::shipped_costs("h100-sxm-80gb");
  costs.communication.curves = {{CollectiveKind::all_reduce,
                                 8,
                                 {{Bytes{8e6}, 1e-3 * Seconds{1}}, {Bytes{9e6}, Seconds{2}}},
                                 "s"}};
  const Transport measured = inside_host(costs, {});
  EXPECT_NEAR((measured.latency + Bytes{8e6} / measured.bound).value, 1e-3, 1e-12);
  const Transport asked = inside_host(costs, {.algorithm = Algorithm::ring});
  costs.communication.curves.clear();
  EXPECT_EQ(inside_host(costs, {.algorithm = Algorithm::ring}), asked);
}

// A rule for all kinds names an algorithm that some cannot do (trees only all-reduce): they take
// our default, rings at the links' rate; they are not free.
TEST(Communications, NeverComeForFreeWhenARuleDoesNotFit) {
  const Transport forced = priced(CollectiveKind::reduce_scatter, {.algorithm = Algorithm::tree});
  EXPECT_EQ(priced(CollectiveKind::reduce_scatter, {.algorithm = Algorithm::ring}).uses,
            forced.uses);
  EXPECT_FALSE(forced.uses.empty());
  EXPECT_TRUE(std::isfinite(forced.bound.value));
}

// Property H-9: no algorithm exceeds what the NICs allow. A ring's or hierarchy's share of a host's
// border over its eight NICs of 50 GB/s: (n-1)/n S / 8 a direction and pass.
TEST(Communications, StayWithinWhatTheNicsAllow) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::hierarchical}) {
    const Transport transport = priced(CollectiveKind::all_reduce, {.algorithm = algorithm});
    const double share = algorithm == Algorithm::ring ? 2.0 * 15 / 16 / 8 : 2.0 * 1 / 2 / 8;
    EXPECT_LE(transport.bound.value, 50e9 / share) << name_of(algorithm);
  }
}

}  // namespace
}  // namespace quintet
