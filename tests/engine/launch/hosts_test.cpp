#include <gtest/gtest.h>
#include <sys/wait.h>

#include "engine/launch/hosts.h"
#include "engine/launch/rendezvous/network_interface.h"

namespace quintet::engine {
namespace {

TEST(HostsFile, IsRead) {
  const auto hosts = parse_hosts(
      "# two hosts\n"
      "\n"
      "node1 slots=2 address=10.1.0.1  # the first\n"
      "node2 address=eth1\n",
      "hosts");
  ASSERT_TRUE(hosts) << hosts.error().text();
  EXPECT_EQ(*hosts, (std::vector<HostLine>{{"node1", 2, "10.1.0.1"}, {"node2", 1, "eth1"}}));
}

TEST(HostsFile, IsRefusedWithItsPlace) {
  struct Row {
    const char *text, *place, *says;
  };
  for (const Row& row : {Row{"", "hosts", "no host"}, Row{"a slots=2", "hosts: line 1", "address"},
                         Row{"\na slots=none address=lo", "hosts: line 2: slots", "\"none\""},
                         Row{"a slots=0 address=lo", "hosts: line 1: slots", "1 to 16384"},
                         Row{"a slot=2 address=lo", "hosts: line 1", "\"slot=2\""},
                         Row{"-oProxyCommand=x address=lo", "hosts: line 1", "host's name"},
                         Row{"slots=2 address=lo", "hosts: line 1", "host's name"}}) {
    const auto hosts = parse_hosts(row.text, "hosts");
    ASSERT_FALSE(hosts) << row.text;
    EXPECT_EQ(hosts.error().where, row.place);
    EXPECT_NE(hosts.error().what.find(row.says), std::string::npos) << hosts.error().what;
  }
}

TEST(HostsFile, IsFilledInOrder) {
  const std::vector<HostLine> hosts{{"a", 2, "lo"}, {"b", 3, "lo"}};
  const auto of_ranks = host_of_ranks(hosts, 4, "hosts");
  ASSERT_TRUE(of_ranks);
  std::string names;
  for (const HostLine& host : *of_ranks) names += host.name;
  EXPECT_EQ(names, "aabb");
  EXPECT_FALSE(host_of_ranks(hosts, 6, "hosts"));  // 5 slots
}

// Whatever stands in an argument arrives as it is, and a token stays at home.
TEST(RemoteLine, IsReadByAShellAsItWasMeant) {
  ProcessStart process;
  process.arguments = {"printenv", "QUINTET_A"};
  process.environment = {"QUINTET_A=it's $HOME; \"x\"", "QUINTET_TOKEN=secret", "HOME=/root"};
  const std::string line = remote_line(process, "/");
  EXPECT_EQ(line.find("secret"), std::string::npos);
  EXPECT_EQ(line.find("HOME=/root"), std::string::npos);
  FILE* const shell = popen(line.c_str(), "r");
  ASSERT_NE(shell, nullptr);
  char said[100] = "";
  ASSERT_NE(std::fgets(said, sizeof said, shell), nullptr);
  EXPECT_EQ(pclose(shell), 0);
  EXPECT_STREQ(said, "it's $HOME; \"x\"\n");
}

TEST(NetworkInterface, IsFoundByAddressNameAndNetwork) {
  const NetworkInterface loopback{"lo", "127.0.0.1"};
  for (const char* const wanted : {"127.0.0.1", "lo", "127.0.0.0/8", "127.9.9.9/8"}) {
    const auto found = find_interface(wanted);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(*found, loopback) << wanted;
  }
}

// 203.0.113.0/24 is for documentation (RFC 5737): nobody has it.
TEST(NetworkInterface, ThatIsNotThereIsRefusedWithWhatIs) {
  for (const char* const wanted : {"203.0.113.1", "203.0.113.0/24", "0.0.0.0", "", "eth/9"}) {
    const auto found = find_interface(wanted);
    ASSERT_FALSE(found) << wanted;
    EXPECT_NE(found.error().what.find("lo 127.0.0.1"), std::string::npos) << found.error().what;
  }
}

}  // namespace
}  // namespace quintet::engine
