// How the communicators are made; what is done with them is in nccl_communicator.cpp.
#include <algorithm>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "engine/nccl/nccl_check.h"
#include "engine/nccl/nccl_communicator.h"
#include "engine/nccl/nccl_functions.h"
#include "engine/nccl/unique_ids.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

constexpr std::chrono::microseconds pause{100};

ncclConfig_t config_of(const std::string& name, const ChannelLimits& limits) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;  // calls that wait for dead ranks would never come back
  config.commName = name.c_str();
  if (limits.least) config.minCTAs = *limits.least;
  if (limits.most) config.maxCTAs = *limits.most;
  return config;
}

// Lanes of a rank go on without each other: what shares a communicator of NCCL's would have to
// come in one order from all of them.
std::set<std::pair<CommunicatorId, LaneId>> uses_of_lanes(const Program& program) {
  std::set<std::pair<CommunicatorId, LaneId>> uses;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions)
      if (const auto* const collective = std::get_if<Collective>(&instruction.action))
        uses.emplace(collective->communicator, instruction.lane);
  return uses;
}

}  // namespace

Result<std::unique_ptr<NcclCommunicator>> NcclCommunicator::make(const NcclFunctions& nccl,
                                                                 const Program& program,
                                                                 const Ccl& ccl, Peers& peers,
                                                                 const NcclOptions& options) {
  std::unique_ptr<NcclCommunicator> made(new NcclCommunicator(nccl, peers, options));
  made->note(made->open_all(program, ccl), Clock::now());
  // A broken connection may be another's fault: give the job the time to say whose.
  while (made->suspicion_ && !made->poll()) std::this_thread::sleep_for(pause);
  if (made->failure_) return *made->failure_;
  return made;
}

std::optional<NcclTrouble> NcclCommunicator::open_all(const Program& program, const Ccl& ccl) {
  const int world = world_size(program.grid);
  if (world != peers_.world())
    return own_trouble("program", "is for " + std::to_string(world) + " ranks; the job has " +
                                      std::to_string(peers_.world()));
  if (const auto problem = order_problem(program))
    return own_trouble(problem->where, problem->what);
  for (const auto& [id, lane] : uses_of_lanes(program)) {
    const std::vector<Rank> members =
        group_of(program.grid, program.communicators[id.index()], peers_.rank());
    if (members.empty()) continue;
    const TunerRules rules = tuner_rules(program, ccl, id);
    if (auto wrong = write_rules(rules)) return wrong;
    Open& opened = open_.emplace_back(Open{rules.communicator});
    collectives_.emplace(std::pair(id, lane), &opened);
    if (auto wrong = open(opened, members, channel_limits(rules))) return wrong;
  }
  for (const MessageRoute& route : routes_of(program, peers_.rank())) {
    Open& opened = open_.emplace_back(Open{text_of(route)});
    routes_.emplace(route, &opened);
    if (auto wrong = write_rules({"messages", {}})) return wrong;
    if (auto wrong = open(opened, {route.from, route.to}, {})) return wrong;
  }
  return std::nullopt;
}

// One file, written before each communicator: the plugin is not told which one it serves.
std::optional<NcclTrouble> NcclCommunicator::write_rules(const TunerRules& rules) const {
  if (options_.rules_file.empty()) return std::nullopt;
  std::ofstream out(options_.rules_file, std::ios::trunc);
  out << rules_text(rules);
  out.close();
  if (out) return std::nullopt;
  return own_trouble(options_.rules_file, "cannot be written");
}

std::optional<NcclTrouble> NcclCommunicator::open(Open& opened, const std::vector<Rank>& members,
                                                  const ChannelLimits& limits) {
  const auto place = std::find(members.begin(), members.end(), peers_.rank());
  opened.members = static_cast<int>(members.size());
  opened.position = static_cast<int>(place - members.begin());
  const Result<ncclUniqueId> id = shared_unique_id(nccl_, peers_, members, opened.where());
  if (!id) return own_trouble(id.error().where, id.error().what);
  ncclConfig_t config = config_of(opened.name, limits);
  const ncclResult_t result =
      nccl_.init_rank(&opened.handle, opened.members, *id, opened.position, &config);
  return settled(opened, "ncclCommInitRankConfig", result);
}

}  // namespace quintet::engine
