#include "sim/simulate/walk/standstill.h"

#include <fmt/format.h>

#include <string>

namespace quintet {

Error standstill(const Program& program, const InstructionTable& table, const Readiness& stuck,
                 Rank shown, Instant end) {
  const auto name_of_task = [&](std::int32_t number) {
    const auto instruction = static_cast<std::size_t>(stuck.task(number).instruction);
    return "\"" + table.instructions[instruction]->name + "\"";
  };
  std::string waiting;
  for (std::size_t lane = 0; lane < stuck.lanes(); ++lane) {
    const std::string& name = program.lanes[lane].name;
    if (const auto running = stuck.running(lane))
      waiting += " " + name + " waits in " + name_of_task(*running) + ";";
    else if (const auto head = stuck.head(lane))
      waiting += " " + name + " waits to start " + name_of_task(*head) + ";";
  }
  return {"program",
          fmt::format("rank {} stops at {:f} s:{}", shown.value, seconds(end).value, waiting)};
}

namespace {

// A message moves from when it is sent, a collective from when its last member has come.
bool is_moving(const StoppedWalk& walk, const RankClass& rank, const Task& task) {
  const Action& action =
      walk.table.instructions[static_cast<std::size_t>(task.instruction)]->action;
  if (std::holds_alternative<Send>(action)) return true;
  const auto* const collective = std::get_if<Collective>(&action);
  return collective &&
         !walk.meetings.is_open(rank.groups[collective->communicator.index()], task.use);
}

}  // namespace

std::vector<StandingTask> standing_tasks(const StoppedWalk& walk) {
  std::vector<StandingTask> standing;
  for (std::size_t actor = 0; actor < walk.actors.size(); ++actor) {
    const RankClass& rank = walk.world.ranks[actor];
    const std::vector<Call>& calls = walk.program.roles[rank.role.index()].script.calls;
    const Readiness& readiness = walk.actors[actor].readiness();
    for (std::size_t lane = 0; lane < readiness.lanes(); ++lane) {
      const std::optional<std::int32_t> running = readiness.running(lane);
      if (!running) continue;
      const Task& task = readiness.task(*running);
      standing.push_back({rank.shown, rank.ranks, task.instruction,
                          calls[static_cast<std::size_t>(task.call)].micro_batch,
                          walk.begun[actor][lane], is_moving(walk, rank, task)});
    }
  }
  return standing;
}

Error too_long(const Plan& plan) {
  constexpr double day = 86400;
  const Parallelism& parallelism = plan.parallelism;
  return {"parallelism",
          fmt::format("a step of {} micro-batches of {} sequences of {} tokens takes longer than "
                      "{:.1f} days, where event time ends (64 bits of picoseconds): use fewer "
                      "tokens a step, more ranks or a faster machine",
                      parallelism.micro_batches, parallelism.micro_batch,
                      parallelism.sequence_length, seconds(end_of_time).value / day)};
}

}  // namespace quintet
