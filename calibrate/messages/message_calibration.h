// What messages between ranks cost, for a cost table: measured in a cluster that this machine
// emulates, between its GPUs, or among the ranks of a cluster.
#pragma once

#include <optional>
#include <string>

#include "calibrate/messages/message_job.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/network.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

struct MessageCalibration {
  const Topology& topology;
  Network network;
  int ranks = 2;  // of an emulated cluster; a cluster has its own number
  int cores = 1;  // of one machine that all ranks share
  std::filesystem::path journal;
  std::string conditions;  // of the journal
  double target = 0.03;
  Seconds time{60};
  Cluster* cluster =
      nullptr;  // null: an emulated cluster is made, or a rank for each GPU of a host
  engine::Processor processor = engine::Processor::cpu;
};

// Processor costs, curves and all else that message_results.h finds go into the table; between GPUs
// there are no processor costs.
std::optional<Error> add_messages(const MessageCalibration& asked, CostTable& table);

// Fails where the ranks are not on the hosts where the topology has them: rank i in slot i.
std::optional<Error> misplaced(const JobSeats& job, const Topology& topology);

// The payload that one connection between hosts can carry: of the slowest network link.
Bandwidth wire_rate(const Topology& topology, const Network& network);

}  // namespace quintet::calibrate
