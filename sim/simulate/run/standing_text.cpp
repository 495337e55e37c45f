#include "sim/simulate/run/standing_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/quantity_text.h"
#include "sim/program/tasks.h"

namespace quintet {
namespace {

constexpr std::size_t most_named = 8;

std::string phrase(const StandingTask& task, const InstructionTable& table) {
  std::string text = fmt::format("rank {}", task.rank.value);
  if (task.ranks > 1) text += fmt::format(" and {} others like it", task.ranks - 1);
  text += ": " + table.instructions[static_cast<std::size_t>(task.instruction)]->name;
  if (task.micro_batch >= 0) text += fmt::format(" of micro-batch {}", task.micro_batch);
  return text + fmt::format(", on its way since {}", rounded_text(seconds(task.since)));
}

}  // namespace

std::vector<std::string> standing_texts(const std::vector<StandingTask>& standing,
                                        const Program& program) {
  const InstructionTable table(program);
  std::vector<std::string> texts;
  int waiting = 0;
  std::size_t more = 0;
  for (const StandingTask& task : standing) {
    if (!task.moving)
      waiting += task.ranks;
    else if (texts.size() < most_named)
      texts.push_back(phrase(task, table));
    else
      ++more;
  }
  if (more > 0) texts.push_back(fmt::format("and {} like these", more));
  if (waiting > 0)
    texts.push_back(fmt::format(
        "{} of other ranks wait for these",
        waiting == 1 ? std::string("1 operation") : fmt::format("{} operations", waiting)));
  return texts;
}

Instant first_standing(const std::vector<StandingTask>& standing) {
  Instant of_moving = end_of_time, of_all = end_of_time;
  for (const StandingTask& task : standing) {
    of_all = std::min(of_all, task.since);
    if (task.moving) of_moving = std::min(of_moving, task.since);
  }
  return of_moving < end_of_time ? of_moving : of_all;
}

}  // namespace quintet
