#include <sys/socket.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "sim/network/route/route.h"
#include "tests/engine/emulated_cluster/small_clusters.h"

namespace quintet::engine {
namespace {

const std::string link_program = QUINTET_LINK_PROGRAM;

class BoxNetwork : public BoxTest {
 protected:
  // Bytes per second from one rank to another.
  static double rate(EmulatedCluster& cluster, int from, int to, int bytes) {
    const std::string address = cluster.place(Rank{to}).address;
    Running taker(cluster, to, {link_program, "take", address, "5000"});
    Running giver(cluster, from, {link_program, "give", address, "5000", std::to_string(bytes)});
    EXPECT_EQ(giver.output(), "");
    double taken = 0, seconds = 0;
    EXPECT_EQ(std::sscanf(taker.output().c_str(), "%lf %lf", &taken, &seconds), 2);
    return taken / seconds;
  }

  static std::string reach(EmulatedCluster& cluster, int from, int to, std::uint16_t port) {
    return Running(cluster, from,
                   {link_program, "reach", cluster.place(Rank{to}).address, std::to_string(port)})
        .output();
  }
};

// The tolerance is for a busy machine, on which the taker may also begin late; an unshaped link is
// a hundred times as fast. What is reached on an idle one: cluster_table.cpp.
void expect_rate(double measured, double link) {
  EXPECT_LT(measured, link * 1.5);
  EXPECT_GT(measured, link / 1.5);
}

class BoxOfSize : public BoxNetwork, public testing::WithParamInterface<int> {};

TEST_P(BoxOfSize, EveryPairOfNeighboursGetsTheLinksRate) {
  const Topology topology = small_machine({GetParam()});
  const auto cluster = made(topology);
  for (int rank = 0; rank < GetParam(); rank += 2)
    expect_rate(rate(*cluster, rank, rank + 1, 5'000'000), 100e6 / 8);
}
INSTANTIATE_TEST_SUITE_P(Hosts, BoxOfSize, testing::Values(2, 4, 8),
                         testing::PrintToStringParamName());

TEST_F(BoxNetwork, AHostKnowsItsNameAndItsOnlyInterface) {
  const auto cluster = made(small_machine({2}));
  EXPECT_EQ(shell(*cluster, 1, "hostname; ls /sys/class/net"), "host1\nlo\nnic0\n");
}

LinkId link_from(const Topology& topology, const std::string& device) {
  for (std::size_t link = 0; link < topology.links.size(); ++link)
    if (topology.device(topology.links[link].from).name == device &&
        topology.links[link].kind == LinkKind::network)
      return id_at<LinkId>(link);
  return {};
}

// Cut off from one side, a host is reached over its other interface, at that cable's rate.
TEST_F(BoxNetwork, AHostIsReachedOverItsOtherInterfaceWhenOneIsCut) {
  SmallMachine machine;
  machine.nics = 2;
  const Topology topology = small_machine(machine);
  const auto cluster = made(topology);
  ASSERT_EQ(cluster->cut(link_from(topology, "host1/nic0")), std::nullopt);
  const std::string spare = cluster->place(Rank{1}).spare_addresses.at(0);
  Running taker(*cluster, 1, {link_program, "take", spare, "5000"});
  Running giver(*cluster, 0, {link_program, "give", spare, "5000", "2000000"});
  EXPECT_EQ(giver.output(), "");
  double taken = 0, seconds = 0;
  ASSERT_EQ(std::sscanf(taker.output().c_str(), "%lf %lf", &taken, &seconds), 2);
  expect_rate(taken / seconds, 100e6 / 8);
}

// Ranks refuse an interface that does not run yet. The kernel is late in some clusters only, and
// in more of them on a busy machine.
TEST_F(BoxNetwork, InterfacesRunBeforeRanksAreStarted) {
  const Topology topology = small_machine({2});
  for (int clusters = 0; clusters < 15; ++clusters) {
    const auto cluster = made(topology);
    for (const int rank : {0, 1})
      ASSERT_EQ(shell(*cluster, rank, "cat /sys/class/net/nic0/operstate"), "up\n") << clusters;
  }
}

// 100 Mbit/s at the hosts, 20 on the only way up.
TEST_F(BoxNetwork, ASlowTrunkHoldsUpWhatCrossesIt) {
  const auto cluster = made(small_machine(two_leaves("20 Mb/s")));
  expect_rate(rate(*cluster, 0, 1, 5'000'000), 100e6 / 8);
  expect_rate(rate(*cluster, 0, 2, 2'000'000), 20e6 / 8);
}

TEST_F(BoxNetwork, MessagesPassAsManyLinksAsInTheSimulator) {
  const Topology topology = small_machine(two_leaves("100 Mb/s"));
  const auto cluster = made(topology);
  const Router router(topology, {});
  for (const int to : {1, 2, 3}) {
    const Route route = router.route(nic_of(topology, rank_slots(topology)[0]),
                                     nic_of(topology, rank_slots(topology)[std::size_t(to)]));
    EXPECT_EQ(
        Running(*cluster, 0, {link_program, "hops", cluster->place(Rank{to}).address}).output(),
        std::to_string(route.links.size()) + "\n");
  }
}

// Over two links of 3 ms there and two back: at least 12 ms.
TEST_F(BoxNetwork, ARoundTripTakesAtLeastTheLatenciesAskedFor) {
  const auto cluster = made(small_machine({2, 1, "100 Mb/s", SmallMachine{}.network, "3 ms"}));
  const std::string address = cluster->place(Rank{0}).address;
  Running echo(*cluster, 0, {link_program, "echo", address, "5000", "1"});
  Running ask(*cluster, 1, {link_program, "ask", address, "5000", "1", "20"});
  double least = 0, median = 0;
  ASSERT_EQ(std::sscanf(ask.output().c_str(), "%lf %lf", &least, &median), 2);
  EXPECT_GE(least, 0.012);
  EXPECT_EQ(echo.output(), "");
}

TEST_F(BoxNetwork, DelayedLinksKeepTheirRate) {
  const auto cluster = made(small_machine({2, 1, "100 Mb/s", SmallMachine{}.network, "1 ms"}));
  expect_rate(rate(*cluster, 0, 1, 5'000'000), 100e6 / 8);
}

TEST_F(BoxNetwork, ALinkThatIsCutCarriesNothingUntilItIsJoined) {
  const auto cluster = made(small_machine({2}));
  const auto listening = cluster->listen(Rank{1});
  ASSERT_TRUE(listening) << listening.error().text();
  EXPECT_EQ(reach(*cluster, 0, 1, listening->address.port), "yes\n");
  ASSERT_EQ(cluster->cut(cluster->links()[0]), std::nullopt);
  EXPECT_EQ(reach(*cluster, 0, 1, listening->address.port), "no\n");
  ASSERT_EQ(cluster->join(cluster->links()[0]), std::nullopt);
  std::string answer;
  for (int tries = 0; tries < 5 && answer != "yes\n"; ++tries)
    answer = reach(*cluster, 0, 1, listening->address.port);
  EXPECT_EQ(answer, "yes\n");
}

TEST_F(BoxNetwork, ALinksRateChangesWhileItRuns) {
  const Topology topology = small_machine({2});
  const auto cluster = made(topology);
  const DeviceId nic = nic_of(topology, rank_slots(topology)[0]);
  for (const LinkId link : cluster->links())
    if (topology.link(link).from == nic) {
      ASSERT_EQ(cluster->set_rate(link, {20e6 / 8}), std::nullopt);
    }
  expect_rate(rate(*cluster, 0, 1, 2'000'000), 20e6 / 8);
  expect_rate(rate(*cluster, 1, 0, 5'000'000), 100e6 / 8);  // the other way is as it was
}

TEST_F(BoxNetwork, TheOwnerAcceptsWhoConnectsInside) {
  const auto cluster = made(small_machine({2}));
  const auto listening = cluster->listen(Rank{0});
  ASSERT_TRUE(listening) << listening.error().text();
  EXPECT_EQ(listening->address.host, cluster->place(Rank{0}).address);
  EXPECT_EQ(reach(*cluster, 1, 0, listening->address.port), "yes\n");
  EXPECT_GE(Descriptor(accept(listening->socket.number(), nullptr, nullptr)).number(), 0);
}

TEST_F(BoxNetwork, HostsShareNoMemoryAndNoProcessesButTheirRanksDo) {
  const auto cluster = made(small_machine({2, 2}));
  EXPECT_EQ(shell(*cluster, 0, "echo 1 > /dev/shm/note; ipcmk -M 4096 >/dev/null; ls /dev/shm"),
            "note\n");
  EXPECT_EQ(shell(*cluster, 1, "ls /dev/shm; wc -l < /proc/sysvipc/shm"), "note\n2\n");
  EXPECT_EQ(shell(*cluster, 2, "ls /dev/shm; wc -l < /proc/sysvipc/shm"), "1\n");
}

// A sum of two ranks' buffers takes as long as the buffer takes on the link, unless it went past
// it.
TEST_F(BoxNetwork, UcxFindsNoWayPastTheLinkBetweenHosts) {
  const auto cluster = made(small_machine({2}));
  const std::string address = cluster->place(Rank{0}).address + ":5000";
  const auto arguments = [&](int rank) {
    return std::vector<std::string>{QUINTET_SUM_PROGRAM,
                                    std::to_string(rank),
                                    "2",
                                    address,
                                    cluster->place(Rank{rank}).interface,
                                    "500000"};
  };
  Running first(*cluster, 0, arguments(0)), second(*cluster, 1, arguments(1));
  const std::string seconds = first.output();
  EXPECT_NE(second.output(), "");
  // At least half of 2 MB goes out and half comes in, twice (reduce-scatter, all-gather).
  EXPECT_GE(std::atof(seconds.c_str()), 2e6 / (100e6 / 8) * 0.98) << seconds;
}

// The processor time a process gets at a tenth of the time cannot be half of a second.
TEST_F(BoxNetwork, ASlowRankGetsLessTime) {
  const auto cluster = made(small_machine({2}));
  Running busy(*cluster, 0, {"/bin/sh", "-c", "while :; do :; done"});
  ASSERT_EQ(cluster->slow(Rank{0}, 0.1), std::nullopt);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  ASSERT_EQ(cluster->slow(Rank{0}, 1), std::nullopt);
  std::ifstream stat("/proc/" + std::to_string(busy.process()) + "/stat");
  std::string word;
  for (int field = 1; field <= 14; ++field) stat >> word;
  EXPECT_LT(std::stod(word) / static_cast<double>(sysconf(_SC_CLK_TCK)), 0.5);
}

TEST_F(BoxNetwork, WhatCannotBeDoneIsNamed) {
  const auto cluster = made(small_machine({2}));
  EXPECT_EQ(Running(*cluster, 1, {"/no/such/program"}).problem(),
            "box: host1: cannot run /no/such/program: No such file or directory");
  EXPECT_EQ(cluster->cut(LinkId{0})->text(),
            "box: link 0 is on no way between ranks, so it is not there");
  EXPECT_EQ(cluster->set_rate(cluster->links()[0], {})->text(),
            "box: a link's rate must be above 0");
  EXPECT_TRUE(cluster->slow(Rank{0}, 0).has_value());
}

}  // namespace
}  // namespace quintet::engine
