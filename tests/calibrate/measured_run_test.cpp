// Times of operators from fabricated timelines of runs.
#include "calibrate/probes/measured_run.h"

#include <gtest/gtest.h>

#include "sim/timeline/program_infos.h"

namespace quintet::calibrate {
namespace {

using namespace literals;

Operator norm() {
  return {Computation::attention_norm, Phase::forward, DataType::fp32, MemoryShape{16_B, 8_B}};
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
  EXPECT_TRUE(samples.times().empty());
  return error ? error->text() : "none";
}

TEST(MeasuredRun, ItsProcessorTimesAreSamples) {
  OperatorSamples samples;
  EXPECT_FALSE(add_measured_run(program("norm"), run_of(program("norm")), "run.json", samples));
  EXPECT_EQ(samples.times(), (std::vector<MeasuredOperator>{{as_priced(norm()), 3_ms, 2}}));
}

// The norm, and beside it a sum over the data axis.
Program norm_and_sum() {
  Program both = program("norm");
  both.lanes.push_back({LaneKind::communication, "data"});
  both.communicators = {{"data", {{Axis::data}}, {}}};
  Collective sum;
  sum.communicator = CommunicatorId{0};
  both.bodies.front().instructions.push_back({"sum", LaneId{1}, sum, {}, Block::none});
  return both;
}

// A padded vocabulary makes a sum of gradients larger: the run is of the program that was run, and
// its times are those of the plan's operators.
TEST(MeasuredRun, OfPaddedRanksPricesThePlansOperators) {
  Program ran = norm_and_sum();
  std::get<Collective>(ran.bodies.front().instructions[1].action).size = 96_B;
  const Timeline timeline = run_of(ran);
  EXPECT_NE(complaint(norm_and_sum(), timeline), "none");
  OperatorSamples samples;
  EXPECT_FALSE(add_measured_run(norm_and_sum(), ran, timeline, "run.json", samples));
  EXPECT_EQ(samples.times(), (std::vector<MeasuredOperator>{{as_priced(norm()), 3_ms, 2}}));
}

// Kernels of rank 0 last from 0 to 2, 2 to 4, 4 to 6 and 6 to 8 ms; rank 1's collective moves from
// 3 to 4, after it has waited since 0: the second is disturbed, and the mean of 3, 5 and 7 is 5.
TEST(MeasuredRun, KernelsBesideMovingBytesOfAnyRankAreDisturbed) {
  const Program both = norm_and_sum();
  Timeline run = run_of(both);
  const auto at = [](int ms) { return Instant{std::int64_t{ms} * 1'000'000'000}; };
  run.spans.assign(5, Span{});
  run.cpu.assign(5, Duration{});
  for (int kernel = 0; kernel < 4; ++kernel) {
    const auto place = static_cast<std::size_t>(kernel);
    run.spans[place].start = run.spans[place].moving = at(2 * kernel);
    run.spans[place].end = at(2 * kernel + 2);
    run.cpu[place] = {std::int64_t{kernel == 1 ? 90 : 2 * kernel + (kernel == 0 ? 3 : 1)} *
                      1'000'000'000};
  }
  run.spans[4].info = 1;
  run.spans[4].track = 1;
  run.spans[4].moving = at(3);
  run.spans[4].end = at(4);
  OperatorSamples samples;
  EXPECT_FALSE(add_measured_run(both, run, "run.json", samples));
  EXPECT_EQ(samples.times(), (std::vector<MeasuredOperator>{{as_priced(norm()), 5_ms, 3}}));
}

Instant at_us(std::int64_t microseconds) {
  return {microseconds * 1'000'000};
}

// What CUPTI saw: no processor times, but that it was recorded.
Timeline gpu_run_of(const Program& program, std::vector<Span> spans) {
  Timeline timeline;
  timeline.infos = program_infos(program);
  timeline.spans = std::move(spans);
  timeline.measurement = Measurement{};
  timeline.measurement->recording = Recording{.by = "CUPTI 13.0.1"};
  return timeline;
}

Span span_of(std::int32_t info, std::int32_t track, std::int64_t from, std::int64_t to) {
  Span span;
  span.info = info;
  span.track = track;
  span.start = span.moving = at_us(from);
  span.end = at_us(to);
  return span;
}

// Three layers on a GPU take 10, 14 and 30 us, whatever their threads did; the mean is 18.
TEST(MeasuredRun, OfAGpuTakesTheTimeFromTheFirstKernelToTheLast) {
  const Program one = program("norm");
  OperatorSamples samples;
  EXPECT_FALSE(add_measured_run(
      one, gpu_run_of(one, {span_of(0, 0, 5, 15), span_of(0, 0, 16, 30), span_of(0, 0, 31, 61)}),
      "run.json", samples));
  EXPECT_EQ(samples.times(), (std::vector<MeasuredOperator>{{as_priced(norm()), 18_us, 3}}));
  EXPECT_TRUE(samples.staging().empty());
}

// An operator for which no kernel ran still has a time, which no step shows.
TEST(MeasuredRun, OfAGpuGivesWhatLaunchedNothingNextToNoTime) {
  const Program one = program("norm");
  OperatorSamples samples;
  EXPECT_FALSE(add_measured_run(one, gpu_run_of(one, {span_of(0, 0, 5, 5)}), "run.json", samples));
  EXPECT_EQ(samples.times(),
            (std::vector<MeasuredOperator>{{as_priced(norm()), Seconds{1e-9}, 1}}));
}

// Rank 1 moves bytes from 0 to 100: rank 0's four kernels of 10 us lie beside it, but on a GPU of
// their own; rank 1's own, of 50, are disturbed. On cores all would be, and the median counted.
TEST(MeasuredRun, KernelsOfAGpuAreDisturbedByItsOwnRanksBytesOnly) {
  const Program both = norm_and_sum();
  std::vector<Span> spans;
  for (std::int64_t kernel = 0; kernel < 4; ++kernel)
    spans.push_back(span_of(0, 0, 20 * kernel, 20 * kernel + 10));
  for (std::int64_t kernel = 0; kernel < 2; ++kernel)
    spans.push_back(span_of(0, 1, 50 * kernel, 50 * kernel + 50));
  spans.push_back(span_of(1, 1, 0, 100));
  OperatorSamples samples;
  EXPECT_FALSE(add_measured_run(both, gpu_run_of(both, spans), "run.json", samples));
  EXPECT_EQ(samples.times(), (std::vector<MeasuredOperator>{{as_priced(norm()), 10_us, 4}}));
  EXPECT_TRUE(samples.staging().empty());
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
