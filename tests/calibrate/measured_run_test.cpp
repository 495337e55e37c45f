// Times of operators from fabricated timelines of runs.
#include "calibrate/measured_run.h"

#include <gtest/gtest.h>

#include "sim/timeline/program_infos.h"

namespace quintet::calibrate {
namespace {

using namespace literals;

Operator norm() {
  return {OperatorKind::norm, Phase::forward, DataType::fp32, MemoryShape{16_B, 8_B}};
}

Program program(const std::string& name) {
  Program made;
  made.lanes = {{LaneKind::compute, "compute"}};
  made.bodies = {{"layer", {{name, LaneId{0}, Compute{norm()}, {}, Block::none}}}};
  return made;
}

// Two ranks' spans of the only instruction, 3 and 5 ms of processor time.
Timeline run_of(const Program& program) {
  Timeline timeline;
  timeline.infos = program_infos(program);
  timeline.spans.resize(2);
  timeline.cpu = {{3'000'000'000}, {5'000'000'000}};
  timeline.measurement = Measurement{};
  return timeline;
}

std::string complaint(const Program& program, const Timeline& timeline) {
  OperatorSamples samples;
  const auto error = add_measured_run(program, timeline, "run.json", samples);
  EXPECT_TRUE(samples.medians().empty());
  return error ? error->text() : "none";
}

TEST(MeasuredRun, ItsProcessorTimesAreSamples) {
  OperatorSamples samples;
  EXPECT_FALSE(add_measured_run(program("norm"), run_of(program("norm")), "run.json", samples));
  EXPECT_EQ(samples.medians(), (std::vector<MeasuredOperator>{{norm(), 3_ms, 2}}));
}

TEST(MeasuredRun, OfAnotherProgramIsRefused) {
  EXPECT_EQ(
      complaint(program("norm"), run_of(program("other"))),
      "run.json: instruction 0 is \"other\", in the plan's program \"norm\"; expected a run of "
      "this plan");
  EXPECT_EQ(
      complaint(program("norm"), run_of({})),
      "run.json: has 0 kinds of instructions, the plan's program has 1; expected a run of this "
      "plan");
}

TEST(MeasuredRun, APredictionIsNoMeasurement) {
  Timeline predicted = run_of(program("norm"));
  predicted.cpu.clear();
  predicted.measurement.reset();
  EXPECT_EQ(complaint(program("norm"), predicted),
            "run.json: has no processor times; expected what quintet run --timeline writes");
}

}  // namespace
}  // namespace quintet::calibrate
