#include "calibrate/messages/measure_in_box.h"

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

std::optional<Error> measure_in_box(const Topology& topology, const Network& network, int ranks,
                                    const MessageRequest& request, const std::string& program) {
  std::vector<DeviceId> slots = rank_slots(topology);
  slots.resize(std::min(slots.size(), static_cast<std::size_t>(ranks)));
  engine::BoxOptions options;
  options.network = network;
  const auto box = engine::Box::make(topology, slots, options);
  if (!box) return box.error();
  const Result<std::string> token = engine::fresh_token();
  if (!token) return token.error();
  std::vector<pid_t> processes;
  std::optional<Error> wrong;
  for (std::size_t slot = 0; slot < slots.size() && !wrong; ++slot) {
    const Rank rank{static_cast<std::int32_t>(slot)};
    BoxedRank boxed;
    boxed.rank = rank.value;
    boxed.ranks = static_cast<int>(slots.size());
    boxed.host = topology.device(slots[slot]).host.value;
    boxed.server.host = (*box)->place(Rank{0}).address;
    boxed.server.port = port;
    boxed.interface = (*box)->place(rank).interface;
    boxed.request = request;
    engine::ProcessStart start;
    start.arguments = words_of(boxed);
    start.arguments.insert(start.arguments.begin(), program);
    start.environment = {std::string(engine::token_variable) + "=" + *token};
    const Result<pid_t> started = (*box)->start(rank, start);
    if (started)
      processes.push_back(*started);
    else
      wrong = started.error();
  }
  if (wrong) return wrong;  // the box ends those that were started
  return all_ended(processes);
}

}  // namespace quintet::calibrate
