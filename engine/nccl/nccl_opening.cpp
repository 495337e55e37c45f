// How the communicators are made; what is done with them is in nccl_communicator.cpp.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "engine/nccl/nccl_check.h"
#include "engine/nccl/nccl_communicator.h"
#include "engine/nccl/nccl_functions.h"
#include "engine/nccl/nccl_trial.h"
#include "engine/nccl/unique_ids.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

constexpr std::chrono::milliseconds pause{1};

ncclConfig_t config_of(const std::string& name, const ChannelLimits& limits) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 1;  // or NCCL launches in a thread of its own, for which no recorder knows why
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

// Whole, of all members at once: not a phase of a sum over several levels.
bool sums_gradients(const Program& program, CommunicatorId id, LaneId lane) {
  if (program.communicators[id.index()].level != HostLevel::whole) return false;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) {
      const auto* const collective = std::get_if<Collective>(&instruction.action);
      if (collective != nullptr && collective->communicator == id && instruction.lane == lane &&
          collective->purpose == Purpose::sum_gradients &&
          collective->kind == CollectiveKind::all_reduce)
        return true;
    }
  return false;
}

}  // namespace

Result<std::unique_ptr<NcclCommunicator>> NcclCommunicator::make(const NcclFunctions& nccl,
                                                                 const Program& program,
                                                                 const Ccl& ccl, Peers& peers,
                                                                 kernels::Device& device,
                                                                 const NcclOptions& options) {
  Trial trial(device, world_size(program.grid));
  if (!trial.ready()) return Error{"device", "has no memory left to open NCCL's communicators"};
  std::unique_ptr<NcclCommunicator> made(new NcclCommunicator(nccl, peers, device, options));
  made->watch_.note(made->open_all(program, ccl, trial));
  if (auto failed = made->verdict()) {
    made.reset();  // before the stream that its work is on
    return *failed;
  }
  return made;
}

// A broken connection may be another's fault: gives the job the time to say whose.
std::optional<Error> NcclCommunicator::verdict() {
  std::optional<Error> failed = watch_.look();
  for (; watch_.troubled() && !failed; failed = watch_.look()) std::this_thread::sleep_for(pause);
  return failed;
}

std::optional<NcclTrouble> NcclCommunicator::open_all(const Program& program, const Ccl& ccl,
                                                      Trial& trial) {
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
    opened.sums_gradients = sums_gradients(program, id, lane);
    if (auto wrong = open(opened, members, channel_limits(rules))) return wrong;
    if (auto wrong = tried(opened, rules, trial)) return wrong;
  }
  for (const MessageRoute& route : routes_of(program, peers_.rank())) {
    Open& opened = open_.emplace_back(Open{text_of(route)});
    routes_.emplace(route, &opened);
    if (auto wrong = write_rules({"messages", {}})) return wrong;
    if (auto wrong = open(opened, {route.from, route.to}, {})) return wrong;
    if (auto wrong = tried(opened, route, trial)) return wrong;
  }
  return std::nullopt;
}

// Each kind, since each may connect the members in another way.
std::optional<NcclTrouble> NcclCommunicator::tried(Open& opened, const TunerRules& rules,
                                                   Trial& trial) {
  for (const TunerRule& rule : rules.rules) {
    CollectiveCall call;
    call.kind = rule.kind;
    call.buffer = trial.memory(opened.members);
    if (auto wrong = started(opened, call, trial.stream().handle)) return wrong;
  }
  return arrived(opened, trial);
}

std::optional<NcclTrouble> NcclCommunicator::tried(const Open& opened, const MessageRoute& route,
                                                   Trial& trial) {
  const auto stream = static_cast<cudaStream_t>(trial.stream().handle);
  const std::span<std::byte> memory = trial.memory(1);
  const auto wrong = route.from == peers_.rank()
                         ? asked(opened, "ncclSend",
                                 [&] {
                                   return nccl_.send(memory.data(), memory.size(), ncclUint8, 1,
                                                     opened.handle, stream);
                                 })
                         : asked(opened, "ncclRecv", [&] {
                             return nccl_.receive(memory.data(), memory.size(), ncclUint8, 0,
                                                  opened.handle, stream);
                           });
  return wrong ? wrong : arrived(opened, trial);
}

std::optional<NcclTrouble> NcclCommunicator::arrived(const Open& opened, Trial& trial) {
  trial.mark();
  const auto start = Clock::now();
  const auto patience = options_.patience.within;
  while (!trial.moved()) {
    if (const auto failed = watch_.look()) return NcclTrouble{*failed, true};
    if (Clock::now() - start > patience)
      return own_trouble(opened.where(), fmt::format("its first exchange is not over within {} ms",
                                                     patience.count()));
    std::this_thread::sleep_for(pause);
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
  opened.ranks = members;
  opened.members = static_cast<int>(members.size());
  opened.position = static_cast<int>(place - members.begin());
  const Result<ncclUniqueId> id = shared_unique_id(nccl_, peers_, members, opened.where());
  if (!id) return own_trouble(id.error().where, id.error().what);
  ncclConfig_t config = config_of(opened.name, limits);
  // In a group, so that the watch has the communicator before the ranks wait for each other.
  nccl_.group_start();
  const ncclResult_t begun =
      nccl_.init_rank(&opened.handle, opened.members, *id, opened.position, &config);
  if (opened.handle != nullptr) watch_.add(opened.handle, opened.where());
  auto wrong = asked(opened, "ncclCommInitRankConfig", [&] {
    const ncclResult_t ended = nccl_.group_end();
    return begun == ncclSuccess ? ended : begun;
  });
  if (!wrong) watch_.opened(opened.handle);
  return wrong;
}

}  // namespace quintet::engine
