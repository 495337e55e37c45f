// A step that was executed, compared with the prediction of the same program: names match without
// any mapping, and the difference is accounted for to the picosecond.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "engine/timeline/measured_timeline.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/explain/causality.h"
#include "sim/explain/difference/difference_report.h"
#include "sim/simulate/predict.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "sim/topology/file/topology_file.h"
#include "tests/stand_ins/on_device.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace quintet::engine::test {
namespace {

const std::string source = QUINTET_SOURCE_DIR;

// Any costs that know fp32 do: a GPU's bf16 numbers under another name.
CostTable some_costs() {
  std::ifstream in(source + "/traces/costs/h100-sxm-80gb.json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto table =
      parse_cost_table(std::regex_replace(text, std::regex("\"bf16\""), "\"fp32\""), "costs");
  EXPECT_TRUE(table) << table.error().text();
  return table ? *table : CostTable{};
}

Toy split_both_ways() {
  Toy made = toy(toy_llama());
  made.plan.parallelism.tensor = 2;
  made.plan.parallelism.pipeline = 2;
  return made;
}

Timeline predicted(const Toy& toy) {
  const auto topology = read_topology(source + "/topologies/ethernet-cpu-4.json");
  EXPECT_TRUE(topology) << topology.error().text();
  auto simulated = simulate(program_of(toy), toy.plan, *topology, some_costs());
  EXPECT_TRUE(simulated) << simulated.error().text();
  return simulated ? std::move(simulated->timeline) : Timeline{};
}

// The first step of ranks that are threads of one process: one clock, one origin.
Timeline measured(const Toy& toy) {
  const Program program = program_of(toy);
  LocalWorld world(program);
  std::vector<std::unique_ptr<kernels::Kernels>> kernels;
  std::vector<std::unique_ptr<RankExecutor>> executors;
  for (int rank = 0; rank < world_size(program.grid); ++rank) {
    kernels.push_back(kernels::reference_kernels());
    auto made = RankExecutor::make(executor_input(toy, program, Rank{rank}), *kernels.back(),
                                   world.rank(Rank{rank}));
    EXPECT_TRUE(made) << made.error().text();
    executors.push_back(*std::move(made));
  }
  std::vector<RankSpans> spans(executors.size());
  std::vector<std::thread> threads;
  const Clock::time_point origin = Clock::now();
  for (std::size_t rank = 0; rank < executors.size(); ++rank)
    threads.emplace_back([&, rank] {
      auto report = executors[rank]->step(step_input(toy, 0, 0), origin);
      EXPECT_TRUE(report) << report.error().text();
      if (report)
        spans[rank] = {id_at<Rank>(rank), std::move(report->spans), std::move(report->cpu)};
    });
  for (std::thread& thread : threads) thread.join();
  Timeline timeline = measured_timeline(program, spans);
  timeline.measurement = Measurement{.step = 1, .steps = {{1, timeline.end - Instant{}}}};
  return timeline;
}

Duration total(const std::vector<DifferencePart>& parts, Duration Compared::*side) {
  Duration sum;
  for (const DifferencePart& part : parts) sum += part.time.*side;
  return sum;
}

TEST(MeasuredAgainstPredicted, EveryInstructionHasItsCounterpart) {
  const Timeline one = predicted(split_both_ways()), other = measured(split_both_ways());
  const Result<Difference> found = difference(one, other);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->ranks, 4);
  EXPECT_EQ(found->unmatched.size(), 0u);
  ASSERT_TRUE(found->threads);
  EXPECT_GT(found->threads->ran, Duration{});
  std::int64_t spans = 0;
  for (const InstructionDifference& each : found->instructions) spans += each.spans;
  EXPECT_EQ(spans, static_cast<std::int64_t>(other.spans.size()));
}

TEST(MeasuredAgainstPredicted, PartsSumToTheDifference) {
  const Timeline one = predicted(split_both_ways()), other = measured(split_both_ways());
  const Result<Difference> found = difference(one, other);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->step, (Compared{one.end - Instant{}, other.end - Instant{}}));
  for (const auto& parts : {found->stack, found->layers}) {
    EXPECT_EQ(total(parts, &Compared::predicted), found->step.predicted);
    EXPECT_EQ(total(parts, &Compared::measured), found->step.measured);
  }
}

TEST(MeasuredAgainstPredicted, AMessageDoesNotArriveBeforeItIsSent) {
  const Timeline timeline = measured(split_both_ways());
  EXPECT_EQ(causality_breaks(timeline, {}), std::vector<CausalityBreak>{});
}

TEST(MeasuredAgainstPredicted, TheFileHoldsAllOfIt) {
  const TemporaryFolder folder;
  const Timeline timeline = measured(split_both_ways());
  ASSERT_TRUE(write_chrome_trace(folder.path() / "measured.json", timeline));
  const Result<Timeline> back = read_chrome_trace(folder.path() / "measured.json");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, timeline);
}

// The third step of a plan whose steps are launched as a graph, by what a recorder tells.
Timeline recorded(const Toy& toy) {
  const Program program = program_of(toy);
  FakeRecorder recorder;
  const auto device = fake_device({.seed = 3, .recorder = &recorder});
  LocalWorld world(program);
  WaitingBackend backend(*device, world.rank(Rank{0}));
  DeviceOptions options;
  options.graphs = true;
  options.recorder = &recorder;
  auto executor =
      RankExecutor::make(executor_input(toy, program, Rank{0}), *device, options, backend);
  EXPECT_TRUE(executor) << executor.error().text();
  RankSpans spans{Rank{0}, {}};
  for (int step = 0; step < 4; ++step) {
    auto report = (*executor)->step(step_input(toy, step, 0));
    EXPECT_TRUE(report) << report.error().text();
    if (report) spans = {Rank{0}, report->spans, {}, report->notes};
  }
  EXPECT_EQ((*executor)->launches(), 1);
  Timeline timeline = measured_timeline(program, {spans});
  const Duration time = timeline.end - Instant{};
  timeline.measurement =
      Measurement{.step = 4,
                  .steps = {{4, time}},
                  .recording = Recording{.by = recorder.in_words(), .steps_with = 1, .with = time}};
  return timeline;
}

TEST(MeasuredAgainstPredicted, ARecordedStepOfADeviceIsReadBackByCompare) {
  const TemporaryFolder folder;
  const Timeline one = predicted(toy(toy_llama())), other = recorded(toy(toy_llama()));
  EXPECT_EQ(other.notes.size(), other.spans.size());
  ASSERT_TRUE(write_chrome_trace(folder.path() / "predicted.json", one));
  ASSERT_TRUE(write_chrome_trace(folder.path() / "measured.json", other));
  const Result<Timeline> back = read_chrome_trace(folder.path() / "measured.json");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, other);
  const quintet::test::ProgramRun compared =
      quintet::test::run_quintet({"compare", "predicted.json", "measured.json"}, folder.path());
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_NE(compared.out.find("\nRecorded 1 steps by fake recorder; "), std::string::npos)
      << compared.out;
  EXPECT_EQ(compared.out.find("in one of the two only"), std::string::npos) << compared.out;
}

}  // namespace
}  // namespace quintet::engine::test
