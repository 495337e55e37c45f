#include "calibrate/messages/measure_emulated.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "calibrate/messages/rank_processes.h"
#include "engine/emulated_cluster/emulated_cluster.h"
#include "engine/launch/rendezvous/rendezvous_place.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"

namespace quintet::calibrate {
namespace {

constexpr std::uint16_t port = 4777;  // of a network of our own

}  // namespace

std::optional<Error> measure_emulated(const Topology& topology, const Network& network, int ranks,
                                      const MessageRequest& request, const std::string& program) {
  std::vector<DeviceId> slots = rank_slots(topology);
  slots.resize(std::min(slots.size(), static_cast<std::size_t>(ranks)));
  engine::ClusterOptions options;
  options.network = network;
  const auto cluster = engine::EmulatedCluster::make(topology, slots, options);
  if (!cluster) return cluster.error();
  const Result<std::string> token = engine::fresh_token();
  if (!token) return token.error();
  std::vector<pid_t> processes;
  std::optional<Error> wrong;
  for (std::size_t slot = 0; slot < slots.size() && !wrong; ++slot) {
    const Rank rank{static_cast<std::int32_t>(slot)};
    StartedRank started;
    started.rank = rank.value;
    started.ranks = static_cast<int>(slots.size());
    started.host = topology.device(slots[slot]).host.value;
    started.server.host = (*cluster)->place(Rank{0}).address;
    started.server.port = port;
    started.interface = (*cluster)->place(rank).interface;
    started.request = request;
    engine::ProcessStart start;
    start.arguments = words_of(started);
    start.arguments.insert(start.arguments.begin(), program);
    start.environment = {std::string(engine::token_variable) + "=" + *token};
    const Result<pid_t> process = (*cluster)->start(rank, start);
    if (process)
      processes.push_back(*process);
    else
      wrong = process.error();
  }
  if (wrong) return wrong;  // the emulated cluster ends those that were started
  return all_ended(processes);
}

}  // namespace quintet::calibrate
