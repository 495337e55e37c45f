#include "traces/astra_sim/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/event_queue.h"
#include "traces/astra_sim/astra_tasks.h"
#include "traces/astra_sim/replay_faults.h"
#include "traces/astra_sim/traffic.h"

namespace quintet {
namespace {

// ASTRA-sim would say nothing and leave these ranks out of its report.
Error never_ends(const AstraTasks& tasks, const Traffic& traffic, int ranks) {
  std::vector<int> stuck;
  for (int rank = 0; rank < ranks; ++rank)
    if (!tasks.finished(rank)) stuck.push_back(rank);
  std::string what =
      fmt::format("{} of {} ranks never end, rank {} first", stuck.size(), ranks, stuck.front());
  if (const auto key = traffic.mailbox().awaited())
    what += fmt::format(": rank {} waits for {} bytes from rank {} that nobody sends", key->to,
                        key->size, key->from);
  return {"workload", what +
                          "; ASTRA-sim matches collectives of a group by the order in which ranks "
                          "come to them, and messages by tag and size"};
}

std::vector<std::string> remarks_on(const AstraTasks& tasks, const AstraNetwork& network,
                                    const AstraSystem& system) {
  std::vector<std::string> remarks;
  if (tasks.alone() > 0)
    remarks.push_back(fmt::format(
        "{} collectives of one rank end at once; ASTRA-sim never ends them", tasks.alone()));
  for (std::size_t at = 0; at < astra_collectives.size(); ++at) {
    const auto& algorithms = system.collectives[at].per_dimension;
    if (algorithms.empty() || algorithms.back().one_ring ||
        algorithms.size() >= network.dimensions.size())
      continue;
    remarks.push_back(fmt::format(
        "{}-implementation names {} of {} dimensions: as in ASTRA-sim, no data goes in the others",
        name_of(astra_collectives[at]), algorithms.size(), network.dimensions.size()));
  }
  return remarks;
}

}  // namespace

Result<AstraTimes> replay_by_astra_rules(const Workload& workload, const AstraNetwork& network,
                                         const AstraSystem& system, AstraBackend backend) {
  if (const auto fault = astra_replay_fault(workload, network, system, backend)) return *fault;
  EventQueue events;
  Traffic traffic(events, network, backend);
  AstraTasks tasks(workload, network, system, events, traffic);
  tasks.start();
  const Instant end = events.run();
  if (end >= end_of_time)
    return Error{"workload", "takes more than 106 days, which is where event time ends"};
  const int ranks = static_cast<int>(workload.ranks.size());
  AstraTimes times{{}, {}, traffic.messages(), events.handled(), {}};
  for (int rank = 0; rank < ranks; ++rank) {
    if (!tasks.finished(rank)) return never_ends(tasks, traffic, ranks);
    times.ranks.push_back(tasks.time(rank));
    times.end = std::max(times.end, times.ranks.back().finish);
  }
  times.remarks = remarks_on(tasks, network, system);
  return times;
}

}  // namespace quintet
