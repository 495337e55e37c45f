#include "sim/price/communications.h"

#include <cmath>

#include "sim/network/route/network_rates.h"
#include "tests/support/one_collective.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

// What the collective of a program of one costs.
CommunicationPrice price_of(const Program& program, const CollectiveRule& rule,
                            const Topology& topology, const CostTable& costs) {
  Plan plan;
  plan.ccl.rules = {rule};
  return communications(program, plan, topology, costs).collectives.at(0).at(0).at(0);
}

// One collective over all 16 GPUs of two hosts.
CommunicationPrice priced(CollectiveKind kind, const CollectiveRule& rule) {
  return price_of(test::one_collective(16, kind, Bytes{1e9}, DataType::bf16), rule,
                  test::shipped_topology("dgx-h100-1024", 2), test::shipped_costs("h100-sxm-80gb"));
}

// An all-reduce of 8 MB among the 8 GPUs of one host, with a table's curve and without.
CommunicationPrice inside_host(const CostTable& costs, const CollectiveRule& rule) {
  return price_of(test::one_collective(8, CollectiveKind::all_reduce, Bytes{8e6}, DataType::bf16),
                  rule, test::shipped_topology("dgx-h100-1"), costs);
}

// Latency and bytes at the bound make the measured 1 ms; a plan's own algorithm keeps its formula.
TEST(Communications, TakeTheMeasuredTimeWhereACurveCoversIt) {
  CostTable costs = test::shipped_costs("h100-sxm-80gb");
  costs.communication.curves = {{CollectiveKind::all_reduce,
                                 8,
                                 {{Bytes{8e6}, 1e-3 * Seconds{1}}, {Bytes{9e6}, Seconds{2}}},
                                 "s"}};
  const CommunicationPrice measured = inside_host(costs, {});
  EXPECT_NEAR((measured.latency + Bytes{8e6} / measured.bound).value, 1e-3, 1e-12);
  const CommunicationPrice asked = inside_host(costs, {.algorithm = Algorithm::ring});
  costs.communication.curves.clear();
  EXPECT_EQ(inside_host(costs, {.algorithm = Algorithm::ring}), asked);
}

// What a plan asks for takes the curve of just that algorithm and protocol.
TEST(Communications, TakeTheCurveOfTheAlgorithmAskedFor) {
  CostTable costs = test::shipped_costs("h100-sxm-80gb");
  CollectiveCurve ring{
      CollectiveKind::all_reduce, 8, {{Bytes{8e6}, Seconds{2e-3}}, {Bytes{9e6}, Seconds{3}}}, "s"};
  ring.algorithm = Algorithm::ring;
  ring.protocol = Protocol::ll;
  costs.communication.curves = {ring};
  const auto time = [&](const CollectiveRule& rule) {
    const CommunicationPrice price = inside_host(costs, rule);
    return (price.latency + Bytes{8e6} / price.bound).value;
  };
  EXPECT_NEAR(time({.algorithm = Algorithm::ring, .protocol = Protocol::ll}), 2e-3, 1e-12);
  EXPECT_LT(time({.algorithm = Algorithm::ring, .protocol = Protocol::simple}), 1e-3);
}

// All 16 GPUs of two hosts, whose network is that of the topology or another one.
struct AmongHosts {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Bytes size{1e6};
  CollectiveRule rule{};
  double latency_factor = 1;  // of the curve's network
  bool plain = true;          // of NCCL's choice, or of rings by Simple
  Delivery delivery = Delivery::direct;
};

Communications among_hosts(const AmongHosts& asked) {
  const Topology topology = test::shipped_topology("dgx-h100-1024", 2);
  const Program program = test::one_collective(16, asked.kind, asked.size, DataType::bf16);
  Plan plan;
  plan.ccl.rules = {asked.rule};
  plan.host_net.delivery = asked.delivery;
  const std::vector<DeviceId> slots = rank_slots(topology);
  const Router router(topology, plan.network);
  const GroupNetwork network = *group_network(topology, router, slots);
  CollectiveCurve curve{CollectiveKind::all_reduce,
                        16,
                        {{Bytes{256}, Seconds{1e-3}}, {Bytes{1e6}, Seconds{0.1}}},
                        "s"};
  curve.hosts = 2;
  curve.network = CurveNetwork{network.slowest, asked.latency_factor * network.longest};
  curve.residuals = {-0.1, 0.2, 9};
  curve.by_size = {{-0.4, 0.5, 6}, {-0.05, 0.06, 6}};
  if (!asked.plain) {
    curve.algorithm = Algorithm::ring;
    curve.protocol = Protocol::simple;
  }
  CostTable costs = test::shipped_costs("h100-sxm-80gb");
  costs.communication.curves = {curve};
  costs.communication.among = MeasuredRanks{};
  return communications(program, plan, topology, costs);
}

double time_of(const Communications& all, Bytes size) {
  const CommunicationPrice& price = all.collectives[0][0][0];
  return (price.latency + size / price.bound).value;
}

// The measured 100 ms, noted with the residuals of large ones.
TEST(Communications, AmongHostsTakeTheMeasuredTimeOfTheirNetwork) {
  const Communications measured = among_hosts({});
  EXPECT_NEAR(time_of(measured, Bytes{1e6}), 0.1, 1e-9);
  const Residuals large{-0.05, 0.06, 6};
  EXPECT_EQ(measured.measured.used,
            (std::vector<CurveUse>{{Axis::data, large, large, Seconds{0.1}}}));
  EXPECT_TRUE(measured.measured.outside.empty());
}

// On another network, of another collective, and by another way from the GPU to the NIC.
TEST(Communications, AmongHostsTakeNcclsFormulaWhereNothingWasMeasured) {
  for (const AmongHosts& asked :
       {AmongHosts{.latency_factor = 3}, AmongHosts{.kind = CollectiveKind::all_gather},
        AmongHosts{.delivery = Delivery::staged}}) {
    const Communications modelled = among_hosts(asked);
    EXPECT_LT(time_of(modelled, Bytes{1e6}), 0.01);
    EXPECT_EQ(modelled.measured.outside,
              std::vector<std::string>{std::string(name_of(asked.kind)) +
                                       " by NCCL's choice among 16 ranks on 2 hosts: not measured "
                                       "on such a network, NCCL's formula"});
  }
}

TEST(Communications, AmongHostsTakeTheCurveOfWhatThePlanAsksFor) {
  const CollectiveRule ring{.algorithm = Algorithm::ring, .protocol = Protocol::simple};
  const CollectiveRule other{.algorithm = Algorithm::ring, .protocol = Protocol::ll};
  EXPECT_NEAR(time_of(among_hosts({.rule = ring, .plain = false}), Bytes{1e6}), 0.1, 1e-9);
  EXPECT_LT(time_of(among_hosts({.rule = other, .plain = false}), Bytes{1e6}), 0.05);
  EXPECT_LT(time_of(among_hosts({.rule = ring}), Bytes{1e6}), 0.05);
}

TEST(Communications, AmongHostsSayWhatLiesBeyondTheSizesMeasured) {
  const Communications large = among_hosts({.size = Bytes{3e6}});
  EXPECT_LT(time_of(large, Bytes{3e6}), 0.05);  // NCCL's formula
  EXPECT_EQ(large.measured.outside,
            std::vector<std::string>{"all-reduce by NCCL's choice among 16 ranks on 2 hosts: 3 MB, "
                                     "measured from 256 B to 1 MB"});
}

// Between two GPUs of a host by a table of GPUs' messages; a table of processors' says nothing of
// them.
TEST(Communications, BetweenGpusTakeTheMeasuredTimeOfMessages) {
  Program program;
  program.grid.axes = {{Axis::pipeline, 8}};
  program.lanes = {{LaneKind::communication, "wire"}};
  program.bodies = {{"body", {{"send", LaneId{0}, Send{Axis::pipeline, 1, Bytes{1e6}}, {}}}}};
  CostTable costs = test::shipped_costs("h100-sxm-80gb");
  costs.communication.messages = {
      {{{Bytes{256}, Seconds{1e-3}}, {Bytes{1e6}, Seconds{0.05}}}, "s", {}, {}}};
  const auto time = [&] {
    const CommunicationPrice price =
        communications(program, Plan{}, test::shipped_topology("dgx-h100-1"), costs).messages[0][0];
    return (price.latency + price.flight + Bytes{1e6} / price.bound).value;
  };
  EXPECT_NEAR(time(), 0.05, 1e-9);
  costs.processors = ProcessorCosts{};
  EXPECT_LT(time(), 1e-3);
}

// Trees only all-reduce, pat wants one rank on each host: NCCL leaves such a rule alone, channels
// and all, and chooses as if there were none.
TEST(Communications, TakeNcclsOwnChoiceWhereItCannotDoWhatARuleSays) {
  const CommunicationPrice scattered = priced(CollectiveKind::reduce_scatter, {});
  EXPECT_EQ(priced(CollectiveKind::reduce_scatter, {.algorithm = Algorithm::tree}), scattered);
  EXPECT_FALSE(whole_load(scattered.phases).empty());
  EXPECT_TRUE(std::isfinite(scattered.bound.value));
  EXPECT_EQ(priced(CollectiveKind::all_gather, {.algorithm = Algorithm::pat, .channels = 1}),
            priced(CollectiveKind::all_gather, {}));
}

// Property H-9: no algorithm exceeds what the NICs allow. A ring's or hierarchy's share of a host's
// border over its eight NICs of 50 GB/s: (n-1)/n S / 8 a direction and pass.
TEST(Communications, StayWithinWhatTheNicsAllow) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::hierarchical}) {
    const CommunicationPrice price = priced(CollectiveKind::all_reduce, {.algorithm = algorithm});
    const double share = algorithm == Algorithm::ring ? 2.0 * 15 / 16 / 8 : 2.0 * 1 / 2 / 8;
    EXPECT_LE(price.bound.value, 50e9 / share) << name_of(algorithm);
  }
}

// Ranks on processors: four hosts in a box.
struct OnProcessors {
  CollectiveRule rule{};
  std::string topology = "box-4-1gbit";
  Bytes size{1e6};
};

Communications on_processors(const CostTable& costs, const OnProcessors& asked = {}) {
  Program program = test::one_collective(4, CollectiveKind::all_reduce, asked.size, DataType::fp32);
  program.bodies[0].instructions.push_back(
      {"send", LaneId{0}, Send{Axis::data, 1, asked.size}, {}});
  Plan plan;
  plan.ccl.rules = {asked.rule};
  return communications(program, plan, test::shipped_topology(asked.topology), costs);
}

CostTable measured_in_the_box() {
  CostTable costs;
  costs.processors =
      ProcessorCosts{2, Bandwidth{1e9}, Seconds{1e-5}, Seconds{1e-4}, Seconds{1e-3}, "s"};
  CollectiveCurve ring{CollectiveKind::all_reduce,
                       4,
                       {{Bytes{256}, Seconds{1e-3}}, {Bytes{1e6}, Seconds{0.1}}},
                       "s"};
  ring.residuals = {-0.1, 0.2, 9};
  ring.hosts = 4;
  ring.algorithm = Algorithm::ring;
  ring.network = CurveNetwork{Bandwidth{125e6}, Seconds{9e-6}};
  costs.communication.curves = {ring};
  costs.communication.messages = {
      {{{Bytes{256}, Seconds{1e-3}}, {Bytes{1e6}, Seconds{0.05}}}, "s", {}, ring.network}};
  return costs;
}

Seconds alone(const CommunicationPrice& price, Bytes size) {
  return price.latency + price.flight + size / price.bound;
}

// The measured 100 ms of a collective and 50 ms of a message; without a curve both are modelled.
TEST(Communications, OfProcessorsTakeTheMeasuredTimeOfTheirAlgorithmAndNetwork) {
  const CostTable costs = measured_in_the_box();
  const Communications measured = on_processors(costs);
  EXPECT_NEAR(alone(measured.collectives[0][0][0], Bytes{1e6}).value, 0.1, 1e-9);
  EXPECT_NEAR(alone(measured.messages[0][0], Bytes{1e6}).value, 0.05, 1e-9);
  EXPECT_EQ(measured.measured.used,
            (std::vector<CurveUse>{{Axis::data, {-0.1, 0.2, 9}, {-0.1, 0.2, 9}, Seconds{0.1}},
                                   {Axis::data, {}, {}, Seconds{0.05}}}));
  EXPECT_TRUE(measured.measured.outside.empty());
  CostTable without = costs;
  without.communication.curves.clear();
  without.communication.messages.clear();
  const Communications modelled = on_processors(without);
  EXPECT_LT(alone(modelled.collectives[0][0][0], Bytes{1e6}).value, 0.05);
  EXPECT_EQ(measured.collectives[0][0][0].phases, modelled.collectives[0][0][0].phases);
  EXPECT_TRUE(modelled.measured.outside.empty());  // a table that claims nothing
}

// Another algorithm, and a what-if with other links, are no measurement's business.
TEST(Communications, OfProcessorsAreModelledWhereNothingWasMeasured) {
  const CostTable costs = measured_in_the_box();
  CostTable without = costs;
  without.communication.curves.clear();
  without.communication.messages.clear();
  const OnProcessors tree{{.algorithm = Algorithm::tree}}, faster{{}, "box-4-unshaped"};
  for (const OnProcessors& asked : {tree, faster})
    EXPECT_EQ(on_processors(costs, asked).collectives[0][0][0],
              on_processors(without, asked).collectives[0][0][0]);
  EXPECT_EQ(on_processors(costs, tree).measured.outside,
            (std::vector<std::string>{"all-reduce by tree among 4 ranks on 4 hosts: not measured "
                                      "on such a network, modelled"}));
  EXPECT_EQ(on_processors(costs, faster).measured.outside,
            (std::vector<std::string>{
                "all-reduce by ring among 4 ranks on 4 hosts: not measured on such a network, "
                "modelled",
                "messages between hosts: not measured on such a network, modelled"}));
}

// Beyond the largest size its rate holds, and it is said.
TEST(Communications, OfProcessorsSayWhatLiesBeyondTheSizesMeasured) {
  const Communications large = on_processors(measured_in_the_box(), {{}, "box-4-1gbit", {3e6}});
  EXPECT_NEAR(alone(large.collectives[0][0][0], Bytes{3e6}).value, 0.3, 1e-9);
  EXPECT_EQ(
      large.measured.outside,
      (std::vector<std::string>{"all-reduce by ring among 4 ranks on 4 hosts: 3 MB, measured "
                                "from 256 B to 1 MB",
                                "messages between hosts: 3 MB, measured from 256 B to 1 MB"}));
}

}  // namespace
}  // namespace quintet
