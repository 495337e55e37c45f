#include "engine/plan_limits/plan_deviations.h"

#include <gtest/gtest.h>

#include "sim/topology/file/topology_file.h"

namespace quintet {

// For names of failed tests.
inline void PrintTo(const PlanDeviation& each, std::ostream* out) {
  *out << each.decision << ": asked " << each.asked << ", done " << each.done;
}

}  // namespace quintet

namespace quintet::engine {
namespace {

using Found = std::vector<PlanDeviation>;

Topology shipped(const std::string& name) {
  const auto read = read_topology(std::string(QUINTET_SOURCE_DIR) + "/topologies/" + name);
  EXPECT_TRUE(read) << read.error().text();
  return read ? *read : Topology{};
}

const EngineFacts shaped{RankPlaces::of_topology, {}};

// CPU ranks on links that are the topology's: everything that a default plan says is done.
TEST(PlanDeviation, ADefaultPlanOnItsOwnShapedNetworkIsObeyed) {
  const Topology topology = shipped("ethernet-cpu-4.json");
  EXPECT_EQ(plan_deviations(Plan{}, &topology, shaped), Found{});
}

TEST(PlanDeviation, AnotherNetworkIsSaid) {
  const Topology topology = shipped("ethernet-cpu-4.json");
  EXPECT_EQ(
      plan_deviations(Plan{}, &topology, {}),
      (Found{{"topology", topology.name, "the network is the one that joins the ranks here"}}));
}

TEST(PlanDeviation, WhatTheBoxCannotIsKept) {
  const Topology topology = shipped("ethernet-cpu-4.json");
  Plan plan;
  plan.network.routing = Routing::spray;
  EXPECT_EQ(plan_deviations(plan, &topology, {RankPlaces::of_topology, {"one path for each pair"}}),
            (Found{{"network", topology.name, "one path for each pair"}}));
}

TEST(PlanDeviation, APlanForGpusMissesThem) {
  const Topology topology = shipped("dgx-h100-1024.json");
  const Found found = plan_deviations(Plan{}, &topology, {});
  std::vector<std::string> decisions;
  for (const PlanDeviation& each : found) decisions.push_back(each.decision);
  EXPECT_EQ(decisions,
            (std::vector<std::string>{"topology", "topology", "ccl.tuner", "intra_inter.forwarding",
                                      "host_net.delivery", "network.routing"}));
  EXPECT_EQ(found.front(),
            (PlanDeviation{"topology", "H100-SXM-80GB GPUs", "CPUs compute, in their own time"}));
}

TEST(PlanDeviation, RulesThatCpuRanksCannotKeepAreListedKindByKind) {
  const Topology topology = shipped("ethernet-cpu-4.json");
  Plan plan;
  plan.ccl.rules = {
      {CollectiveKind::all_reduce, Axis::data, Algorithm::nvls, std::nullopt, std::nullopt},
      {std::nullopt, std::nullopt, Algorithm::tree, Protocol::ll128, 16},
      {CollectiveKind::all_gather, std::nullopt, Algorithm::halving_doubling, {}, {}},
      {std::nullopt, Axis::data, Algorithm::pat, {}, {}},
      {CollectiveKind::broadcast, std::nullopt, Algorithm::direct, {}, {}}};
  EXPECT_EQ(plan_deviations(plan, &topology, shaped),
            (Found{{"ccl.rules[0].algorithm", "nvls", "all-reduce by ring"},
                   {"ccl.rules[1].algorithm", "tree", "reduce-scatter by ring, all-gather by ring"},
                   {"ccl.rules[1].protocol", "ll128",
                    "segments through UCX; CPU ranks have one protocol"},
                   {"ccl.rules[1].channels", "16", "one: CPU ranks have no channels"},
                   {"ccl.rules[3].algorithm", "pat", "all-reduce by ring"},
                   {"ccl.rules[4].algorithm", "direct", "broadcast by ring"}}));
}

// NCCL has its own words on rules, and a GPU is what the plan was made for.
TEST(PlanDeviation, GpusThatNcclServesMissLittle) {
  const Topology topology = shipped("dgx-h100-1024.json");
  Plan plan;
  plan.ccl.rules = {{std::nullopt, std::nullopt, Algorithm::tree, Protocol::ll128, 16}};
  plan.host_net = {Delivery::staged, Delivery::delegated, 1, 4, Launch::graphs};
  const Found found = plan_deviations(
      plan, &topology,
      {RankPlaces::as_started, {}, Processor::gpu, {BackendKind::nccl, BackendKind::delegates}});
  std::vector<std::string> decisions;
  for (const PlanDeviation& each : found) decisions.push_back(each.decision);
  EXPECT_EQ(decisions, (std::vector<std::string>{"topology", "network.routing"}));
}

TEST(PlanDeviation, RanksThatShareOneMemoryMissTheWayBetweenThem) {
  Plan plan;
  plan.ccl.rules = {{std::nullopt, std::nullopt, Algorithm::tree, std::nullopt, std::nullopt}};
  EXPECT_EQ(
      plan_deviations(
          plan, nullptr,
          {RankPlaces::as_started, {}, Processor::gpu, {BackendKind::memory, BackendKind::memory}}),
      (Found{{"ccl.tuner", "NCCL 2.28's tables", "sums in the order of ranks, in one piece"},
             {"ccl.rules[0]", "tree", "sums in the order of ranks, in one piece"},
             {"host_net.delivery", "direct", "nothing leaves the memory that all ranks share"}}));
}

TEST(PlanDeviation, AWayThatWasChosenInsteadOfThePlansIsSaid) {
  Plan plan;
  plan.host_net.delivery = Delivery::delegated;
  const Found found = plan_deviations(
      plan, nullptr,
      {RankPlaces::as_started, {}, Processor::gpu, {BackendKind::nccl, BackendKind::nccl}});
  EXPECT_EQ(found, (Found{{"host_net.delivery", "delegated", "NCCL's kernels carry it"}}));
}

// Everything that can be listed without a machine with GPUs.
TEST(PlanDeviation, EveryDecisionOfTheLowerLayersIsListed) {
  Plan plan;
  plan.parallelism.samples.lengths = "the-valley";
  plan.ccl.tuner = TunerVersion::nccl_2_30;
  plan.ccl.overlap_tensor = true;
  plan.intra_inter.placement = {1, 0};
  plan.host_net = {Delivery::delegated, Delivery::staged, 2, 4, Launch::graphs};
  plan.network = {Routing::ecmp, 7, 0.5, 1024};
  const Topology topology = shipped("ethernet-cpu-4.json");
  std::vector<std::string> decisions;
  for (const PlanDeviation& each : plan_deviations(plan, &topology, {}))
    decisions.push_back(each.decision);
  EXPECT_EQ(decisions,
            (std::vector<std::string>{
                "topology", "parallelism.samples.lengths", "ccl.tuner", "ccl.overlap_tensor",
                "intra_inter.placement", "host_net.delivery", "host_net.pipeline_delivery",
                "host_net.queue_pairs", "host_net.launch", "network.routing", "network.hash_seed",
                "network.spray_efficiency", "network.mtu"}));
}

// A program whose data-parallel ranks, 0 to n - 1, gather weights.
Program gathering(int ranks) {
  Program program;
  program.grid.axes = {{Axis::data, ranks}};
  program.communicators = {{"data", {{Axis::data}}, {}}};
  Collective gather;
  gather.kind = CollectiveKind::all_gather;
  gather.communicator = id_at<CommunicatorId>(0);
  Instruction instruction;
  instruction.action = gather;
  Body body;
  body.instructions = {instruction};
  program.bodies = {body};
  return program;
}

TEST(UnobeyedOnHosts, PatOfSeveralRanksOnEachOfSeveralHostsIsARing) {
  Ccl ccl;
  ccl.rules = {{std::nullopt, std::nullopt, Algorithm::pat, {}, {}}};
  const std::vector<Seat> two_on_each{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_EQ(unobeyed_on_hosts(gathering(4), ccl, two_on_each),
            (Found{{"ccl.rules: all-gather on communicator \"data\"", "pat",
                    "ring: pat is not for ranks on hosts as these are"}}));
  const std::vector<Seat> one_on_each{{0, 0}, {1, 0}, {2, 0}, {3, 0}};
  EXPECT_EQ(unobeyed_on_hosts(gathering(4), ccl, one_on_each), Found{});
  EXPECT_EQ(unobeyed_on_hosts(gathering(4), ccl, {}), Found{});  // one host
}

// Tree does no all-gather anywhere: its rule says so (plan_deviations()).
TEST(UnobeyedOnHosts, WhatNoHostsWouldHelpIsNotListedTwice) {
  Ccl ccl;
  ccl.rules = {{std::nullopt, std::nullopt, Algorithm::tree, {}, {}}};
  EXPECT_EQ(unobeyed_on_hosts(gathering(4), ccl, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}), Found{});
}

}  // namespace
}  // namespace quintet::engine
