#include "engine/executor/receive_times.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/executor/rank_work.h"
#include "tests/engine/executor/layouts.h"

namespace quintet::engine::test {
namespace {

enum class Asking { just_in_time, as_early_as_may_be };

// A rank that queues whatever it may, communication first, as the walker does on a device.
class QueuingRank {
 public:
  QueuingRank(const Program& program, const Role& role, Asking asking)
      : table_(program),
        list_(task_list(program, role.script, table_)),
        compute_(first_compute_lane(program)),
        times_(program, role.script, list_, table_, compute_),
        asking_(asking) {}

  // The most messages that it had asked for and not begun to use; nothing where it stands still.
  std::optional<std::size_t> most_waiting() {
    Readiness step(list_, table_);
    std::size_t most = 0;
    while (!step.done()) {
      bool moved = false;
      for (std::size_t lane = 0; lane < step.lanes(); ++lane)
        if (lane != compute_) moved |= queue(step, lane);
      most = std::max(most, waiting_.size());
      moved |= queue(step, compute_);
      if (!moved) return std::nullopt;
    }
    return most;
  }

 private:
  bool queue(Readiness& step, std::size_t lane) {
    const std::optional<int> task = step.ready(lane);
    if (!task) return false;
    const auto& action =
        table_.instructions[static_cast<std::size_t>(list_.task(*task).instruction)]->action;
    const bool receives = std::holds_alternative<Receive>(action);
    if (receives && asking_ == Asking::just_in_time && !times_.may_start(*task, step)) return false;
    if (receives) waiting_.insert(list_.task(*task).unit);
    if (lane == compute_)
      std::erase_if(waiting_, [&](int unit) { return lets_go_on(unit, list_.task(*task).unit); });
    step.start(*task);
    step.finish(*task);
    return true;
  }
  bool lets_go_on(int unit, int user) const {
    const auto& successors = list_.units[static_cast<std::size_t>(unit)].successors;
    return std::find(successors.begin(), successors.end(), user) != successors.end();
  }

  const InstructionTable table_;
  const TaskList list_;
  std::size_t compute_;
  const ReceiveTimes times_;
  Asking asking_;
  std::set<int> waiting_;  // units of messages
};

std::vector<std::optional<std::size_t>> most_waiting(const Change& layout, Asking asking) {
  Toy made = toy(toy_gpt2());
  made.vocabulary_multiple = layout.vocabulary_multiple;
  layout.change(made.plan);
  const Program program = program_of(made);
  std::vector<std::optional<std::size_t>> most;
  for (const Role& role : program.roles)
    most.push_back(QueuingRank(program, role, asking).most_waiting());
  return most;
}

TEST(ReceiveTimes, NoRankOfAnyLayoutWaitsForMoreThanTwoMessagesOrStandsStill) {
  for (const Change& layout : layouts())
    for (const auto& most : most_waiting(layout, Asking::just_in_time)) {
      ASSERT_TRUE(most) << layout.name;
      EXPECT_LE(*most, 2U) << layout.name;
    }
}

// Stage 0 of 2 waits for the gradients of all 8 micro-batches from the beginning on where it asks
// as early as it may: its kernels of the first pass are 8 lanes' worth of tasks.
TEST(ReceiveTimes, WithoutThemAllMessagesOfAStepAreAskedForEarly) {
  const Change piped{"pp2", [](Plan& plan) { pipeline(plan, 2); }};
  const auto most = most_waiting(piped, Asking::as_early_as_may_be);
  EXPECT_EQ(most.front(), 8U);
}

}  // namespace
}  // namespace quintet::engine::test
