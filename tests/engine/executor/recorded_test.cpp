// Spans of what a recorder saw the device do, step by step and in launches of a graph.
#include <gtest/gtest.h>

#include <iterator>
#include <set>

#include "sim/program/tasks.h"
#include "tests/stand_ins/on_device.h"

namespace quintet::engine::test {
namespace {

// "head forward, layer -1, micro-batch 3, chunk 0, bucket -1"
std::multiset<std::string> which(const Program& program, const std::vector<Span>& spans) {
  const std::vector<const Instruction*> instructions = all_instructions(program);
  std::multiset<std::string> found;
  for (const Span& each : spans)
    found.insert(instructions[static_cast<std::size_t>(each.info)]->name + ", layer " +
                 std::to_string(each.layer) + ", micro-batch " + std::to_string(each.micro_batch) +
                 ", chunk " + std::to_string(each.chunk) + ", bucket " +
                 std::to_string(each.bucket));
  return found;
}

std::vector<std::string> in_one_only(const std::multiset<std::string>& one,
                                     const std::multiset<std::string>& other) {
  std::vector<std::string> found;
  std::set_symmetric_difference(one.begin(), one.end(), other.begin(), other.end(),
                                std::back_inserter(found));
  return found;
}

// Casts are the update's, residuals' sums the norms' that follow or come before in backward, the
// loss's gradient its own.
bool is_done_elsewhere(const Span& span) {
  const Program program = program_of(toy(toy_gpt2()));
  const Instruction& instruction = *all_instructions(program)[static_cast<std::size_t>(span.info)];
  const auto* const compute = std::get_if<Compute>(&instruction.action);
  if (compute == nullptr) return false;
  const Operator& work = compute->work;
  return work.computation == Computation::weight_cast ||
         work.computation == Computation::attention_residual ||
         work.computation == Computation::mlp_residual ||
         (work.computation == Computation::cross_entropy && work.phase != Phase::forward);
}

struct Recorded {
  std::vector<StepReport> steps;
  std::int64_t launches = 0;
  RecordCounts left;
};

struct How {
  bool graphs = false, events = false, recorder = true;
  int stop_after = 100;
};

Recorded trained(const Toy& toy, int count, const How& how) {
  const Program program = program_of(toy);
  FakeRecorder recorder;
  const auto device = fake_device({.seed = 5, .recorder = &recorder});
  LocalWorld world(program);
  WaitingBackend backend(*device, world.rank(Rank{0}));
  DeviceOptions options = small_pieces(1).options;
  options.graphs = how.graphs;
  options.times = how.events;
  if (how.recorder) options.recorder = &recorder;
  const auto executor =
      RankExecutor::make(executor_input(toy, program, Rank{0}), *device, options, backend);
  Recorded result;
  for (int step = 0; step < count; ++step) {
    if (step == how.stop_after) result.left = (*executor)->stop_recording();
    const auto origin = Clock::now();
    recorder.collect();  // what was done between steps
    auto report = (*executor)->step(step_input(toy, step, 0), origin);
    EXPECT_TRUE(report) << report.error().text();
    if (report) result.steps.push_back(std::move(*report));
  }
  result.launches = (*executor)->launches();
  return result;
}

// What a step on the device has that one by events has not, or the other way round.
std::vector<std::string> unlike_events(const std::vector<Span>& spans) {
  const Program program = program_of(toy(toy_gpt2()));
  const How events{.events = true, .recorder = false};
  const Recorded by_events = trained(toy(toy_gpt2()), 1, events);
  return in_one_only(which(program, spans), which(program, by_events.steps[0].spans));
}

TEST(Recorded, EveryInstructionHasItsSpanOnceAlsoOneThatAskedForNothing) {
  const Recorded recorded = trained(toy(toy_gpt2()), 3, {});
  for (const StepReport& step : recorded.steps) {
    EXPECT_EQ(unlike_events(step.spans), std::vector<std::string>{});
    ASSERT_EQ(step.notes.size(), step.spans.size());
    for (std::size_t place = 0; place < step.spans.size(); ++place) {
      const Span& span = step.spans[place];
      const bool of_nothing = step.notes[place] == "nothing recorded";
      EXPECT_EQ(of_nothing, span.end == span.start) << step.notes[place];
      EXPECT_EQ(of_nothing, is_done_elsewhere(span));
    }
    EXPECT_EQ(step.records.of_nothing, 0);
    EXPECT_EQ(step.records.of_others, 0);
    EXPECT_EQ(step.records.pieces, step.records.of_tasks + step.records.of_no_task);
    EXPECT_NE(step.notes[0].find("longest fake_kernel"), std::string::npos) << step.notes[0];
  }
}

// The third step is captured, and it and those after it are launches of the graph.
TEST(Recorded, LaunchesOfAGraphHaveTheSameSpans) {
  const Recorded recorded = trained(toy(toy_gpt2()), 6, {.graphs = true});
  EXPECT_EQ(recorded.launches, 3);
  for (const StepReport& step : recorded.steps) {
    EXPECT_EQ(unlike_events(step.spans), std::vector<std::string>{});
    EXPECT_EQ(step.records.of_tasks, recorded.steps[0].records.of_tasks);
    EXPECT_EQ(step.records.pieces, step.records.of_tasks + step.records.of_no_task);
  }
}

// Within the step, on the caller's clock.
TEST(Recorded, SpansLieBetweenTheStepsBeginAndItsEnd) {
  const Recorded recorded = trained(toy(toy_gpt2()), 2, {.graphs = true});
  for (const StepReport& step : recorded.steps)
    for (const Span& span : step.spans) {
      EXPECT_GT(span.start, Instant{});
      EXPECT_LE(span.start, span.end);
      EXPECT_EQ(span.moving, span.start);
    }
}

TEST(Recorded, StepsAfterTheStopHaveNoSpansAndStillLaunch) {
  const Recorded recorded = trained(toy(toy_gpt2()), 6, {.graphs = true, .stop_after = 4});
  EXPECT_FALSE(recorded.steps[3].spans.empty());
  EXPECT_TRUE(recorded.steps[4].spans.empty());
  EXPECT_EQ(recorded.steps[5].records, RecordCounts());
  EXPECT_EQ(recorded.left, RecordCounts());
  EXPECT_EQ(recorded.launches, 3);
  const Recorded events =
      trained(toy(toy_gpt2()), 3, {.events = true, .recorder = false, .stop_after = 2});
  EXPECT_FALSE(events.steps[1].spans.empty());
  EXPECT_TRUE(events.steps[2].spans.empty());
}

// Two stages: what goes through the host has the host's times and no note.
TEST(Recorded, CommunicationThroughTheHostKeepsTheHostsTimes) {
  Toy piped = toy(toy_gpt2());
  piped.plan.parallelism.pipeline = 2;
  const Program program = program_of(piped);
  std::mutex mutex;
  std::vector<StepReport> reports;
  const Curve curve =
      train_in_threads(program, 1, [&](Rank rank, CommunicationBackend& inner) -> RankCurve {
        FakeRecorder recorder;
        const auto device = fake_device({.seed = 7, .recorder = &recorder});
        WaitingBackend backend(*device, inner);
        DeviceOptions options = small_pieces(1).options;
        options.recorder = &recorder;
        auto executor =
            RankExecutor::make(executor_input(piped, program, rank), *device, options, backend);
        recorder.collect();
        auto report = (*executor)->step(step_input(piped, 0, 0));
        if (!report) return {{}, {}, report.error(), {}};
        const std::lock_guard lock(mutex);
        reports.push_back(*report);
        return {{report->loss_sum}, {report->gradient_norm}, {}, report->spans};
      });
  ASSERT_FALSE(curve.error) << curve.error->text();
  ASSERT_EQ(reports.size(), 2u);
  const Curve on_host = train(piped, 1);
  std::multiset<std::string> expected, found;
  for (const auto& spans : on_host.last_spans) expected.merge(which(program, spans));
  for (const StepReport& report : reports) found.merge(which(program, report.spans));
  EXPECT_EQ(in_one_only(found, expected), std::vector<std::string>{});
}

}  // namespace
}  // namespace quintet::engine::test
