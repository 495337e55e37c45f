// Rules 1 to 3 of program.h, laid out flat and walked.
#include "sim/program/readiness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/small_program.h"

namespace quintet {
namespace {

Instruction on_lane(int lane, std::vector<int> after) {
  return {"work", LaneId{lane}, Compute{test::gemm()}, std::move(after)};
}

Call call_of(int body, int layers, std::vector<int> after) {
  Call call;
  call.body = BodyId{body};
  call.layers = layers;
  call.after = std::move(after);
  return call;
}

// The example of tasks.h: "a, then on another lane b after a" for layers 5 and 4, then "c".
Program example() {
  Program program;
  program.lanes = {{LaneKind::compute, "compute"}, {LaneKind::communication, "wire"}};
  program.bodies = {{"ab", {on_lane(0, {}), on_lane(1, {0})}}, {"c", {on_lane(0, {})}}};
  program.roles = {{"all", 0, {{call_of(0, 2, {}), call_of(1, 1, {0})}}}};
  program.roles[0].script.calls[0].first_layer = 5;
  program.roles[0].script.calls[0].layer_step = -1;
  return program;
}

struct Expanded {
  InstructionTable table;
  TaskList list;

  explicit Expanded(const Program& program, std::size_t role = 0)
      : table(program), list(task_list(program, program.roles[role].script, table)) {}
};

TEST(Tasks, LieInScriptOrderOnTheirLanes) {
  const Program program = example();
  const Expanded expanded(program);
  const TaskList& list = expanded.list;
  std::vector<int> instructions, units, layers, iterations;
  for (const Task& task : list.tasks) {
    instructions.push_back(task.instruction);
    units.push_back(task.unit);
    layers.push_back(task.layer);
    iterations.push_back(list.iteration(task));
  }
  EXPECT_EQ(instructions, (std::vector{0, 1, 0, 1, 2}));
  EXPECT_EQ(units, (std::vector{0, 0, 1, 1, 2}));
  EXPECT_EQ(layers, (std::vector{5, 5, 4, 4, -1}));
  EXPECT_EQ(iterations, (std::vector{0, 0, 1, 1, 0}));
  EXPECT_EQ(list.lanes, (std::vector<std::vector<int>>{{0, 2, 4}, {1, 3}}));
}

// Both stages sum over their data axis once a step; nobody uses the other communicator.
TEST(Tasks, CountTheUsesOfACommunicator) {
  Program program = test::small_program();
  program.roles[0].script.calls.push_back(program.roles[0].script.calls[2]);
  const Expanded expanded(program);
  std::vector<int> uses;
  for (const Task& task : expanded.list.tasks)
    if (task.use >= 0) uses.push_back(task.use);
  EXPECT_EQ(uses, (std::vector{0, 1}));
  EXPECT_EQ(expanded.list.uses, (std::vector{2, 0}));
}

TEST(Readiness, FollowsTheExample) {
  const Program program = example();
  const Expanded expanded(program);
  Readiness step(expanded.list, expanded.table);
  EXPECT_EQ(step.ready(0), 0);
  EXPECT_EQ(step.ready(1), std::nullopt);  // b waits for a
  EXPECT_TRUE(step.begins_unit(0));
  step.start(0);
  EXPECT_EQ(step.running(0), 0);
  EXPECT_EQ(step.ready(0), std::nullopt);  // the lane is taken
  step.finish(0);
  EXPECT_EQ(step.ready(0), std::nullopt);  // the next iteration waits for b too
  EXPECT_EQ(step.head(0), 2);
  EXPECT_EQ(step.ready(1), 1);
  EXPECT_FALSE(step.begins_unit(1));
  step.start(1);
  EXPECT_FALSE(step.ends_unit(1));
  step.finish(1);
  EXPECT_TRUE(step.ends_unit(1));
  EXPECT_EQ(step.ready(0), 2);
  EXPECT_FALSE(step.done());
}

// What the rules say of a task, read off the program.
class Rules {
 public:
  Rules(const Program& program, const TaskList& list, const InstructionTable& table)
      : calls_(program.roles[0].script.calls),
        list_(list),
        table_(table),
        over_(list.tasks.size(), false) {}

  void finish(int task) { over_[static_cast<std::size_t>(task)] = true; }

  bool allow(int number) const {
    const Task& task = list_.task(number);
    for (int other = 0; other < static_cast<int>(list_.tasks.size()); ++other)
      if (waits_for(task, number, other) && !over_[static_cast<std::size_t>(other)]) return false;
    return true;
  }

 private:
  bool waits_for(const Task& task, int number, int other) const {
    const Task& before = list_.task(other);
    const std::vector<int>& places =
        table_.instructions[static_cast<std::size_t>(task.instruction)]->after;
    const std::vector<int>& calls = calls_[static_cast<std::size_t>(task.call)].after;
    const auto has = [](const std::vector<int>& all, int one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    };
    const int iteration = list_.iteration(task), earlier = list_.iteration(before);
    if (before.lane == task.lane && other < number) return true;  // rule 1
    if (before.call == task.call && earlier == iteration) return has(places, before.place);  // 2
    if (before.call == task.call) return earlier < iteration;  // 3, of iterations
    return has(calls, before.call);                            // 3
  }

  const std::vector<Call>& calls_;
  const TaskList& list_;
  const InstructionTable& table_;
  std::vector<bool> over_;
};

std::vector<int> some_before(std::mt19937& dice, int end) {
  std::vector<int> some;
  for (int each = 0; each < end; ++each)
    if (dice() % 3 == 0) some.push_back(each);
  return some;
}

Program random_program(std::mt19937& dice) {
  Program program;
  program.lanes.resize(dice() % 4 == 0 ? 70 : 1 + dice() % 4);  // more than a word has bits
  const auto lanes = static_cast<unsigned>(program.lanes.size());
  for (int body = 0; body < 4; ++body) {
    program.bodies.push_back({"body", {}});
    const int size = 1 + static_cast<int>(dice() % 4);
    for (int place = 0; place < size; ++place)
      program.bodies.back().instructions.push_back(
          on_lane(static_cast<int>(dice() % lanes), some_before(dice, place)));
  }
  program.roles = {{"all", 0, {}}};
  for (int call = 0; call < 8; ++call)
    program.roles[0].script.calls.push_back(call_of(
        static_cast<int>(dice() % 4), 1 + static_cast<int>(dice() % 3), some_before(dice, call)));
  return program;
}

std::vector<std::size_t> ready_lanes(const Readiness& step) {
  std::vector<std::size_t> lanes;
  for (std::size_t lane = 0; lane < step.lanes(); ++lane)
    if (step.ready(lane)) lanes.push_back(lane);
  return lanes;
}

std::vector<std::size_t> next_ready_lanes(const Readiness& step) {
  std::vector<std::size_t> lanes;
  for (std::size_t lane = step.next_ready(0); lane < step.lanes(); lane = step.next_ready(lane + 1))
    lanes.push_back(lane);
  return lanes;
}

// In whatever order tasks end: what is ready is what the rules allow, no more and no less.
TEST(Readiness, IsWhatTheRulesAllow) {
  std::mt19937 dice(3);
  for (int round = 0; round < 300; ++round) {
    const Program program = random_program(dice);
    const Expanded expanded(program);
    Rules rules(program, expanded.list, expanded.table);
    Readiness step(expanded.list, expanded.table);
    while (!step.done()) {
      const std::size_t lane = dice() % step.lanes();
      const std::optional<int> head = step.head(lane), running = step.running(lane);
      if (running) {
        step.finish(*running);
        rules.finish(*running);
      } else if (head) {
        ASSERT_EQ(step.ready(lane).has_value(), rules.allow(*head)) << "round " << round;
        if (step.ready(lane)) step.start(*head);
      }
      ASSERT_EQ(next_ready_lanes(step), ready_lanes(step)) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace quintet
