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
