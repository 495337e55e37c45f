#include "traces/command/astra_mode.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/usage/complain.h"
#include "traces/astra_sim/replay.h"

namespace quintet {

namespace {

std::int64_t nanoseconds(Duration time) {
  return time.picoseconds / 1000;
}

std::string astra_text(const Workload& workload, const AstraTimes& times) {
  std::string text;
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank)
    text += fmt::format(
        "rank {}: {} ns, exposed communication {} ns\n", workload.ranks[rank].rank.value,
        nanoseconds(times.ranks[rank].finish - Instant{}), nanoseconds(times.ranks[rank].exposed));
  for (const std::string& remark : times.remarks) text += "Note: " + remark + ".\n";
  return text;
}

std::string astra_json(const Workload& workload, const AstraTimes& times) {
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"end_ns", nanoseconds(times.end - Instant{})},
                              {"messages", times.messages},
                              {"ranks", nlohmann::ordered_json::array()},
                              {"remarks", times.remarks}};
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank)
    json["ranks"].push_back({{"rank", workload.ranks[rank].rank.value},
                             {"finish_ns", nanoseconds(times.ranks[rank].finish - Instant{})},
                             {"exposed_ns", nanoseconds(times.ranks[rank].exposed)}});
  return json.dump(2) + "\n";
}

}  // namespace

ExitCode replay_as_astra(const AstraNames& names, const Workload& workload, bool json) {
  if (names.network.empty())
    return complain({"--astra-system", "goes with --astra-network: name ASTRA-sim's network, too"});
  if (names.system.empty())
    return complain({"--astra-network", "goes with --astra-system: name ASTRA-sim's system, too"});
  const Result<AstraNetwork> network = read_astra_network(names.network);
  if (!network) return complain(network.error());
  const Result<AstraSystem> system = read_astra_system(names.system);
  if (!system) return complain(system.error());
  const Result<AstraTimes> times = replay_by_astra_rules(
      workload, *network, *system,
      names.aware ? AstraBackend::congestion_aware : AstraBackend::congestion_unaware);
  if (!times) return complain(times.error());
  std::fputs((json ? astra_json(workload, *times) : astra_text(workload, *times)).c_str(), stdout);
  return ExitCode::done;
}

}  // namespace quintet
