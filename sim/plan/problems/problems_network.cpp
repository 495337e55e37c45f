#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

// The path MTUs of InfiniBand (enum ibv_mtu of rdma-core), which RoCE keeps.
constexpr std::array<int, 5> rdma_mtus{256, 512, 1024, 2048, 4096};
// TCP: RFC 9293 3.7.1 (least segment, IPv4) to what jumbo frames of 9216 bytes carry.
constexpr int least_tcp_segment = 536, most_tcp_segment = 9216;

void find_mtu_problem(int mtu, NetworkProtocol protocol, Problems& found) {
  const std::string size = fmt::format("{} B", mtu);
  switch (protocol) {
    case NetworkProtocol::infiniband:
    case NetworkProtocol::roce:
      if (std::find(rdma_mtus.begin(), rdma_mtus.end(), mtu) == rdma_mtus.end())
        found.push_back({"network.mtu", size + " is no MTU of RDMA",
                         use_one_of({rdma_mtus.begin(), rdma_mtus.end()}) + " B"});
      return;
    case NetworkProtocol::tcp:
      if (mtu < least_tcp_segment || mtu > most_tcp_segment)
        found.push_back({"network.mtu", size + " is no TCP segment",
                         fmt::format("use {} B to {} B", least_tcp_segment, most_tcp_segment)});
      return;
  }
}

}  // namespace

void find_network_problems(const Network& network, const Topology& topology, Problems& found) {
  find_mtu_problem(network.mtu, topology.protocol, found);
  // Written so that a number that is none fails too.
  if (!(network.spray_efficiency > 0.0 && network.spray_efficiency <= 1.0))
    found.push_back({"network.spray_efficiency", "is not a share of the bundle",
                     "use a number above 0 and up to 1"});
}

}  // namespace quintet
