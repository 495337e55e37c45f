#include "engine/emulated_cluster/fault_injector.h"

#include <cstdio>
#include <thread>

#include "tests/engine/emulated_cluster/small_clusters.h"

namespace quintet::engine {
namespace {

using namespace literals;

FaultPlan faults(const std::string& events) {
  const auto read = parse_faults(R"({"name": "test", "events": [)" + events + "]}", "f.json");
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  return read ? *read : FaultPlan{};
}

TEST(MostDelays, AddUpPerLink) {
  const Topology topology = small_machine({2});
  const auto most = most_delays(
      topology, faults(R"({"what": "delay", "part": "host0/nic0", "by": "20 ms", "step": 1},
                          {"what": "delay", "part": "host1/nic0", "by": "5 ms", "step": 1})"));
  ASSERT_TRUE(most);
  ASSERT_EQ(most->size(), 4u);  // two cables, both ways
  Seconds sum;
  for (const LinkDelay& each : *most) sum += each.delay;
  EXPECT_NEAR(sum.value, 2 * 0.025, 1e-12);
}

class Injection : public BoxTest {
 protected:
  // The cluster's links while `steps` begin one after the other; what was done.
  static std::vector<InjectedFault> wait_for(const FaultInjector& injector, std::size_t count) {
    for (int tries = 0; tries < 500 && injector.injected().size() < count; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return injector.injected();
  }

  // Milliseconds there and back, at least.
  static double round_trip(EmulatedCluster& cluster, const std::string& port) {
    const std::string program = QUINTET_LINK_PROGRAM;
    const std::string address = cluster.place(Rank{0}).address;
    Running echo(cluster, 0, {program, "echo", address, port, "1"});
    Running ask(cluster, 1, {program, "ask", address, port, "1", "5"});
    double least = 0, median = 0;
    EXPECT_EQ(std::sscanf(ask.output().c_str(), "%lf %lf", &least, &median), 2);
    EXPECT_EQ(echo.output(), "");
    return least * 1e3;
  }
};

// 20 ms each way while the delay holds: a round trip takes 40 ms more.
TEST_F(Injection, DelaysALinkFromOneStepToAnother) {
  const Topology topology = small_machine({2});
  const FaultPlan plan = faults(
      R"({"what": "delay", "part": "host1/nic0", "by": "20 ms", "step": 2, "until_step": 3})");
  const auto more = most_delays(topology, plan);
  ASSERT_TRUE(more);
  const auto cluster = made(topology, {.network = {}, .more_delay = *more});
  FaultInjector injector(*cluster, topology, plan, nullptr);
  injector.step_begins(1);
  EXPECT_LT(round_trip(*cluster, "5000"), 20);
  injector.step_begins(2);
  const auto done = wait_for(injector, 1);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].failure, "");
  EXPECT_EQ(done[0].step, 2);
  EXPECT_GE(round_trip(*cluster, "5001"), 40);
  injector.step_begins(3);
  EXPECT_EQ(wait_for(injector, 2).size(), 2u);
  EXPECT_LT(round_trip(*cluster, "5002"), 20);
}

TEST_F(Injection, SlowsCutsAndRestores) {
  const Topology topology = small_machine({2});
  const FaultPlan plan = faults(
      R"({"what": "slow", "part": "host1/nic0", "share": 0.25, "step": 1, "until_step": 2},
         {"what": "fail", "part": "host1/nic0", "step": 2},
         {"what": "back", "part": "host1/nic0", "step": 3})");
  const auto cluster = made(topology);
  FaultInjector injector(*cluster, topology, plan, nullptr);
  const auto queue = [&] {
    return shell(*cluster, 1, "tc qdisc show dev nic0 | grep -o 'rate [^ ]*'");
  };
  const std::string before = queue();
  injector.step_begins(1);
  ASSERT_EQ(wait_for(injector, 1).size(), 1u);
  EXPECT_NE(queue(), before);
  const auto listening = cluster->listen(Rank{1});
  ASSERT_TRUE(listening);
  const std::vector<std::string> reach{QUINTET_LINK_PROGRAM, "reach",
                                       cluster->place(Rank{1}).address,
                                       std::to_string(listening->address.port)};
  EXPECT_EQ(Running(*cluster, 0, reach).output(), "yes\n");
  injector.step_begins(2);
  ASSERT_EQ(wait_for(injector, 3).size(), 3u);  // slow is over, the cable has failed
  EXPECT_EQ(Running(*cluster, 0, reach).output(), "no\n");
  injector.step_begins(3);
  for (const InjectedFault& each : wait_for(injector, 4)) EXPECT_EQ(each.failure, "");
  std::string answer;
  for (int tries = 0; tries < 5 && answer != "yes\n"; ++tries)
    answer = Running(*cluster, 0, reach).output();
  EXPECT_EQ(answer, "yes\n");
  EXPECT_EQ(queue(), before);
}

TEST_F(Injection, SaysWhatNobodyFeels) {
  const Topology topology = small_machine({3});
  std::vector<DeviceId> slots = rank_slots(topology);
  slots.pop_back();  // nobody is on host2
  const auto cluster = EmulatedCluster::make(topology, slots);
  ASSERT_TRUE(cluster) << cluster.error().text();
  const auto said = unfelt(
      **cluster, topology,
      faults(
          R"({"what": "fail", "part": "host2/nic0", "step": 1}, {"what": "fail", "part": "host1/nic0", "step": 1})"));
  ASSERT_TRUE(said);
  ASSERT_EQ(said->size(), 1u);
  EXPECT_TRUE(said->front().starts_with("host2/nic0 failed")) << said->front();
}

}  // namespace
}  // namespace quintet::engine
