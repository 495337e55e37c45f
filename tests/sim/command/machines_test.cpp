// Questions about machines: slow, dead and late parts, several machines in one table, mixed hosts,
// GPUs that nobody measured, ratios and counts, and machines written as explicit graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/sim/command/bad_input.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;

Json answer(const World& world, Arguments arguments, int code = 0) {
  arguments.insert(arguments.end(), {"-q", "--json"});
  const ProgramRun run = run_quintet(arguments, world.folder());
  EXPECT_EQ(run.exit_code, code) << run.err;
  return Json::parse(run.out, nullptr, false);
}

double step_of(const Json& report) {
  return report.at("summary").at(0).at("step_s").get<double>();
}

// GPT-2 in 16 replicas on two DGX H100: one all-reduce of all gradients after the backward pass,
// by NCCL's ring and its Simple protocol, beside nothing.
Arguments replicas(const Arguments& further, const std::string& machine = "dgx-h100") {
  Arguments all{"simulate",
                "--model",
                "gpt2",
                "--topology",
                machine,
                "--hosts",
                "2",
                "--tensor",
                "1",
                "--global-batch",
                "256",
                "--micro-batch",
                "16",
                "--sequence",
                "1024",
                "--set",
                "ccl.bucket=10GB",
                "--set",
                "ccl.overlap_gradients=false",
                "--set",
                R"(ccl.rules=[{"algorithm":"ring","protocol":"simple"}])"};
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

double step_with(const World& world, const Arguments& further) {
  return step_of(answer(world, replicas(further)));
}

// The ring splits the bytes evenly over 8 NICs, so the slow one bounds it. Its part between hosts
// takes S / (8 x rate): of shares 1/2, 1/4 and 1/8 the steps are c + 2 t, c + 4 t, c + 8 t, and
// their differences are as 4 t : 2 t.
TEST(SlowNic, BoundsTheRingThatSplitsEvenly) {
  const World world;
  const double half = step_with(world, {"--slow", "host1/nic5=0.5"});
  const double quarter = step_with(world, {"--slow", "host1/nic5=25%"});
  const double eighth = step_with(world, {"--slow", "host1/nic5=0.125"});
  EXPECT_GT(quarter, half * 1.001);
  EXPECT_NEAR((eighth - quarter) / (quarter - half), 2.0, 0.01);
}

// GPT-2 has 124.4 million parameters; gradients in fp32 are S = 498 MB. Around a ring of 16 each
// NIC of 8 sends 2 x 15/16 S / 8 = 117 MB, at a half of 50 GB/s less 26 bytes of header in 4122
// (4.70 ms) and at a quarter twice as long: the step is longer by 4.70 ms. Padding and the type of
// some gradients are left 15 %.
TEST(SlowNic, TakesTheTimeOfItsBytes) {
  const World world;
  const double more = step_with(world, {"--slow", "host1/nic5=0.25"}) -
                      step_with(world, {"--slow", "host1/nic5=0.5"});
  EXPECT_NEAR(more, 4.70e-3, 0.15 * 4.70e-3);
}

// What a switch carries is no faster than each of its cables made slow one by one.
TEST(SlowSwitch, IsAllItsCables) {
  const World world;
  const double leaf = step_with(world, {"--slow", "leaf5=0.25"});
  const double cables =
      step_with(world, {"--slow", "host0/nic5-leaf5=0.25", "--slow", "host1/nic5-leaf5=0.25"});
  EXPECT_DOUBLE_EQ(leaf, cables);
  EXPECT_GT(leaf, step_with(world, {}));
}

// What the most loaded wire of the network carries in a step.
double most_carried(const World& world, const Arguments& further) {
  const Json report = answer(world, replicas(further));
  return report.at("busiest_links").at(0).at("links").at(0).at("carried_bytes").get<double>();
}

// NCCL's search: a channel for each of 8 NICs, or 7, or 4 where so many are left. A wire carries an
// even share of what the ring sends between hosts.
TEST(DeadNic, LeavesAChannelForEachThatIsLeft) {
  const World world;
  const Arguments one{"--fail", "host0/nic3"};
  const Arguments half{"--fail", "host0/nic0", "--fail", "host0/nic2",
                       "--fail", "host0/nic3", "--fail", "host0/nic6"};
  const double sent = 8 * most_carried(world, {});
  EXPECT_NEAR(most_carried(world, one), sent / 7, 1e-9 * sent);
  EXPECT_NEAR(most_carried(world, half), sent / 4, 1e-9 * sent);
  EXPECT_GT(step_with(world, one), step_with(world, {}));
  EXPECT_EQ(step_with(world, half), step_with(world, {"--set", "topology.nics=4"}));
}

// A rail-optimised leaf joins NIC 0 of every host: without it the job has 7 rails, as with NIC 0 of
// each host dead.
TEST(DeadLeaf, IsTheRailWithoutIt) {
  const World world;
  const double leaf = step_with(world, {"--fail", "leaf0"});
  EXPECT_DOUBLE_EQ(leaf, step_with(world, {"--fail", "host0/nic0", "--fail", "host1/nic0"}));
  EXPECT_GT(leaf, step_with(world, {}));
}

// In the tables' own terms a ring of 2 hosts crosses the network twice (2 directions x 1 host
// more): 100 us more on both leaves' every passage, 2 x 100 us more a step, of which 6 us are
// hidden by the launches that are late by so much without it.
TEST(Delay, IsWaitedForAtEachCrossing) {
  const World world;
  Arguments late;
  for (int leaf = 0; leaf < 8; ++leaf)
    late.insert(late.end(), {"--delay", "leaf" + std::to_string(leaf) + "=100us"});
  const double more = step_with(world, late) - step_with(world, {});
  EXPECT_GT(more, 194e-6);
  EXPECT_LT(more, 1e-3);
}

// A replica that computes at 1/4 of its speed makes all wait: c / (1/4) + r, then 8 c + r, 16 c +
// r.
TEST(SlowGpu, HoldsItsReplicasUp) {
  const World world;
  const double quarter = step_with(world, {"--slow", "host1/gpu2=0.25"});
  const double eighth = step_with(world, {"--slow", "host1/gpu2=0.125"});
  const double sixteenth = step_with(world, {"--slow", "host1/gpu2=0.0625"});
  EXPECT_NEAR((sixteenth - eighth) / (eighth - quarter), 2.0, 0.02);
  EXPECT_NEAR(step_with(world, {"--slow", "host1=0.25"}), quarter, 1e-3 * quarter);
}

// Folding tells the slow rank apart: unfolded ranks take the same time to the last digit.
TEST(Faults, AreTheSameUnfolded) {
  const World world;
  const Arguments faults{"--slow", "host1/gpu2=0.5", "--slow",  "host0/nic1=0.5",
                         "--fail", "host0/nic3",     "--delay", "leaf4=3us"};
  Arguments unfolded = faults;
  unfolded.emplace_back("--unfolded");
  EXPECT_EQ(step_with(world, faults), step_with(world, unfolded));
}

TEST(Faults, StandInEveryAnswer) {
  const World world;
  const Arguments faults{"--slow", "host1/nic5=0.5", "--fail", "leaf0", "--delay", "leaf1=5us"};
  const ProgramRun text = run_quintet(replicas(faults), world.folder());
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* const said :
       {"NOT AS BUILT", "host1/nic5 at 50 % of its rate", "leaf0 failed", "leaf1 later by 5 us"})
    EXPECT_NE(text.out.find(said), std::string::npos) << said << " in\n" << text.out;
  const Json json = answer(world, replicas(faults));
  EXPECT_EQ(json.at("machine_faults").size(), 3u);
  EXPECT_EQ(json.at("summary").at(0).at("machine_faults"), json.at("machine_faults"));
  Arguments csv = replicas(faults);
  csv.emplace_back("--csv");
  EXPECT_NE(run_quintet(csv, world.folder()).out.find("leaf0 failed"), std::string::npos);
  const ProgramRun shown =
      run_quintet({"topology", "dgx-h100", "--hosts", "2", "--fail", "leaf0"}, world.folder());
  EXPECT_NE(shown.out.find("not as built: leaf0 failed"), std::string::npos) << shown.err;
}

// Four NICs in each of 16 hosts leave 4 leaves; each of the 16 cables of a leaf meets 8 up.
TEST(RatiosAndCounts, AreOfEveryFamily) {
  const World world;
  struct Row {
    Arguments machine;
    const char* ratio;
    double expected;
  };
  for (const Row& row :
       {Row{{"dgx-h100", "--hosts", "16"}, "2", 2.0}, Row{{"dgx-h100", "--hosts", "16"}, "4", 4.0},
        Row{{"samsung-a100-1024"}, "2", 2.0}, Row{{"samsung-a100-1024"}, "3", 3.0},
        Row{{"torus-4x4x4"}, "0.5", 0.5}, Row{{"ethernet-cpu-4"}, "1", 1.0}}) {
    Arguments arguments{"topology", "--json", "--set",
                        std::string("topology.oversubscription=") + row.ratio};
    arguments.insert(arguments.begin() + 1, row.machine.begin(), row.machine.end());
    const ProgramRun run = run_quintet(arguments, world.folder());
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NEAR(Json::parse(run.out).at("network").at("oversubscription").get<double>(),
                row.expected, 1e-9)
        << row.machine.front();
  }
  const ProgramRun nics =
      run_quintet({"topology", "dgx-h100", "--hosts", "16", "--json", "--set", "topology.nics=4"},
                  world.folder());
  const Json described = Json::parse(nics.out);
  for (const Json& devices : described.at("devices")) {
    if (devices.at("kind") == "nic") {
      EXPECT_EQ(devices.at("count"), 64);
    }
    if (devices.value("tier", 0) == 1) {
      EXPECT_EQ(devices.at("count"), 4);
    }
  }
}

TEST(RatiosAndCounts, AreListedAmongTheFields) {
  const World world;
  for (const Arguments& arguments :
       {Arguments{"plan", "fields", "topology"}, Arguments{"topology", "--fields"}}) {
    const ProgramRun run = run_quintet(arguments, world.folder());
    const std::string whose = arguments.front() == "plan" ? "\ntopology." : "\n";
    EXPECT_NE(run.out.find(whose + "nics\n"), std::string::npos) << run.out << run.err;
    EXPECT_NE(run.out.find(whose + "oversubscription\n"), std::string::npos);
  }
}

// Half of the NICs carry twice as much each.
TEST(RatiosAndCounts, HalfTheNicsAreHalfTheChannels) {
  const World world;
  const double all = most_carried(world, {});
  EXPECT_EQ(most_carried(world, {"--set", "topology.nics=4"}), 2 * all);
  EXPECT_EQ(most_carried(world, {"--set", "topology.nics=2"}), 4 * all);
}

TEST(Machines, StandSideBySide) {
  const World world;
  const Arguments machines{"simulate",   "--model",  "gpt2",       "--topology",     "dgx-a100",
                           "--topology", "dgx-b200", "--topology", "dgx-h100",       "--hosts",
                           "1",          "--tensor", "1,2",        "--global-batch", "64",
                           "--sequence", "1024"};
  const Json report = answer(world, machines);
  const Json& rows = report.at("plans");
  ASSERT_EQ(rows.size(), 6u);  // three machines, two layouts
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_LE(rows[i - 1].at("step_s").get<double>(), rows[i].at("step_s").get<double>());
  const auto of = [&](const std::string& gpu) {
    return std::count_if(rows.begin(), rows.end(), [&](const Json& row) {
      return row.at("machine").get<std::string>().ends_with(": 1 x 8 " + gpu);
    });
  };
  for (const char* const gpu : {"A100-SXM-80GB", "B200-SXM-180GB", "H100-SXM-80GB"})
    EXPECT_EQ(of(gpu), 2) << gpu;
  // A row is what its machine alone would say.
  Arguments alone{"simulate", "--model",    "gpt2",     "--topology", "dgx-h100",
                  "--hosts",  "1",          "--tensor", "2",          "--global-batch",
                  "64",       "--sequence", "1024"};
  const double step = step_of(answer(world, alone));
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const Json& row) {
    return row.at("machine").get<std::string>().starts_with("DGX H100") &&
           row.at("step_s").get<double>() == step;
  }));
  const ProgramRun text = run_quintet(machines, world.folder());
  EXPECT_NE(text.out.find("\n1  tensor 1  DP 8         DGX B200, 1 host "), std::string::npos)
      << text.out;
  Arguments csv = machines;
  csv.emplace_back("--csv");
  const ProgramRun lines = run_quintet(csv, world.folder());
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 7) << lines.out;
  EXPECT_TRUE(lines.out.starts_with("plan,tensor,")) << lines.out;
  EXPECT_NE(lines.out.find(",machine,costs\n"), std::string::npos) << lines.out;
}

// The first host's GPUs are H100, the second's A100, which compute as among themselves; the H100
// wait for them, so the step is as long as on two hosts of A100, within the network's share.
TEST(MixedHosts, AreSimulatedWithoutATable) {
  const World world;
  const std::string hosts = std::string(QUINTET_SOURCE_DIR) + "/topologies/hosts/";
  const auto machine = [&](const std::string& first) {
    return R"({"name": "mixed", "host_groups": [{"hosts": 1, "host": ")" + hosts + first +
           R"("}, {"hosts": 1, "host": ")" + hosts + R"(dgx-a100.json"}],
      "network": {"family": "single_switch", "protocol": "infiniband",
        "switch": {"name": "s", "ports": 64, "power": "1 kW", "source": "assumed"},
        "host_link": {"name": "l", "latency": "0.9 us", "source": "assumed"}}})";
  };
  world.write("mixed.json", machine("dgx-h100.json"));
  world.write("slow.json", machine("dgx-a100.json"));
  const auto asked = [](const std::string& name) {
    return Arguments{"simulate", "--model",        "gpt2", "--topology",    name, "--tensor",
                     "1",        "--global-batch", "512",  "--micro-batch", "16", "--sequence",
                     "1024"};
  };
  const Json mixed = answer(world, asked("mixed.json"));
  const double slow = step_of(answer(world, asked("slow.json")));
  EXPECT_NEAR(step_of(mixed), slow, 0.05 * slow);
  const std::string costs = mixed.at("costs");
  EXPECT_NE(costs.find("H100-SXM-80GB"), std::string::npos) << costs;
  EXPECT_NE(costs.find("A100-SXM-80GB"), std::string::npos) << costs;
  EXPECT_EQ(step_of(mixed), step_of([&] {
              Arguments unfolded = asked("mixed.json");
              unfolded.emplace_back("--unfolded");
              return answer(world, unfolded);
            }()));
}

// A GPU of which only rates and memory are known. With p times the rates all but the kernels'
// starts take 1 / p: (1 - 1/2) / (1/2 - 1/4) = 2.
TEST(GuessedGpu, IsPredictedFromItsPeaks) {
  const World world;
  const auto with = [&](const std::string& rate, const std::string& bandwidth) {
    world.write("gpu.json",
                R"({"name": "one invented GPU", "hosts": 1, "host": {"name": "h", "family": "gpu",
      "power": "1 kW", "source": "invented", "cpu": {"vendor": "amd", "sockets": 1, "cores": 64,
      "memory": "1 TiB", "memory_bandwidth": "400 GB/s", "source": "invented"},
      "gpu": {"name": "Z9000", "count": 1, "memory": "100 GB", "memory_bandwidth": ")" +
                    bandwidth + R"(", "peaks": {"bf16": ")" + rate + R"("}, "source": "invented"},
      "pcie": {"name": "p", "bandwidth": "32 GB/s", "latency": "1 us", "switches": 1,
      "source": "invented"}}})");
    return answer(world, {"simulate", "--model", "gpt2", "--topology", "gpu.json", "--tensor", "1",
                          "--global-batch", "32", "--micro-batch", "32", "--sequence", "1024"});
  };
  const Json report = with("50 TFLOP/s", "250 GB/s");
  const double one = step_of(report), two = step_of(with("100 TFLOP/s", "500 GB/s")),
               four = step_of(with("200 TFLOP/s", "1000 GB/s"));
  EXPECT_NEAR((one - two) / (two - four), 2.0, 0.05);
  const Json& summary = report.at("summary").at(0);
  EXPECT_GT(summary.at("rests_on").at("guessed").get<double>(), 0.95);
  EXPECT_NEAR(summary.at("interval").at("low_s").get<double>(), 0.65 * one, 1e-9);
  EXPECT_NEAR(summary.at("interval").at("high_s").get<double>(), 1.65 * one, 1e-9);
  const ProgramRun text =
      run_quintet({"simulate", "--model", "gpt2", "--topology", "mi300x", "--hosts", "1",
                   "--tensor", "1", "--global-batch", "64", "--sequence", "1024"},
                  world.folder());
  EXPECT_NE(text.out.find("guessed from peak rates of MI300X-192GB"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("which nobody measured"), std::string::npos) << text.out;
}

// The one table of an H800 has the profiles of PipeMorph's 14B stages, which no other model takes.
TEST(Guesses, StandWhereAMachineHasOnlyProfilesOfAModel) {
  const World world;
  const ProgramRun run =
      run_quintet({"simulate", "--model", "gpt2", "--topology", "h800-8", "--tensor", "1",
                   "--global-batch", "64", "--sequence", "1024"},
                  world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("guessed from peak rates of H800-SXM-80GB"), std::string::npos) << run.out;
}

TEST(Profiles, OfStagesPriceNoReplicator) {
  const World world;
  const ProgramRun run =
      run_quintet({"simulate", "tiny-gpt-dp4-demo", "--model", "tiny-gpt", "--topology", "h800-8",
                   "--hosts", "4", "--costs", "pipemorph-14b"},
                  world.folder());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("leave out parallelism.replicator, or name another table by --costs"),
            std::string::npos)
      << run.err;
}

class Exported : public ::testing::TestWithParam<Arguments> {};

// The same devices and links in the same order: the same step to the last digit.
TEST_P(Exported, PredictsTheSameStep) {
  const World world;
  Arguments arguments{"topology"};
  arguments.insert(arguments.end(), GetParam().begin(), GetParam().end());
  arguments.insert(arguments.end(), {"--export", "graph.json"});
  const ProgramRun run = run_quintet(arguments, world.folder());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Arguments plan{"--model",    "gpt2", "--tensor",       "2",
                       "--pipeline", "2",    "--global-batch", "256",
                       "--sequence", "512",  "--set",          "network.routing=rail_pinned"};
  Arguments family{"simulate", "--topology"}, graph{"simulate", "--topology", "graph.json"};
  family.insert(family.end(), GetParam().begin(), GetParam().end());
  family.insert(family.end(), plan.begin(), plan.end());
  graph.insert(graph.end(), plan.begin(), plan.end());
  const Json one = answer(world, family), other = answer(world, graph);
  for (const char* const part : {"summary", "breakdown", "memory", "busiest_links"})
    EXPECT_EQ(one.at(part), other.at(part)) << part;
}

INSTANTIATE_TEST_SUITE_P(Families, Exported,
                         ::testing::Values(Arguments{"dgx-h100", "--hosts", "4"},
                                           Arguments{"samsung-a100-1024", "--hosts", "16"},
                                           Arguments{"torus-4x4x4"}, Arguments{"dgx-h100-1"}));

}  // namespace
}  // namespace quintet::test
