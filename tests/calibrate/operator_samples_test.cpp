// Times of operators from fabricated steps.
#include "calibrate/operators/operator_samples.h"

#include <gtest/gtest.h>

namespace quintet::calibrate {
namespace {

using namespace literals;

Operator norm(double bytes) {
  return {Computation::attention_norm, Phase::forward, DataType::fp32,
          MemoryShape{Bytes{bytes}, Bytes{8}}};
}

// Instructions 0 and 2 are the same operator in two bodies, 1 is communication, 3 another shape.
Program program() {
  const auto compute = [](double bytes) {
    return Instruction{"norm", LaneId{0}, Compute{norm(bytes)}, {}, Block::none};
  };
  const Instruction sum{"sum", LaneId{1}, Collective{}, {}, Block::none};
  Program made;
  made.bodies = {{"first", {compute(16), sum}}, {"second", {compute(16), compute(32)}}};
  return made;
}

std::vector<Span> spans_of(const std::vector<int>& infos) {
  std::vector<Span> spans;
  for (const int info : infos) spans.emplace_back().info = info;
  return spans;
}

Duration milliseconds(int count) {
  return {std::int64_t{count} * 1'000'000'000};
}

TEST(OperatorSamples, OneOperatorHasOneTimeWhereverItStands) {
  OperatorSamples samples;
  const auto spans = spans_of({0, 1, 2, 3});
  const std::vector<Duration> first{milliseconds(5), {}, milliseconds(3), milliseconds(9)};
  samples.add(program(), spans, first);
  const std::vector<Duration> second{milliseconds(4), {}, milliseconds(100), milliseconds(7)};
  samples.add(program(), spans, second);
  // The mean of 3, 4, 5 and 100 is 28; two samples, 7 and 9, have no mean: the lower is 7.
  const std::vector<MeasuredOperator> expected{{as_priced(norm(16)), 28_ms, 4},
                                               {as_priced(norm(32)), 7_ms, 2}};
  EXPECT_EQ(samples.times(), expected);
}

// Bytes moved in all but 3, 4 and 8 of the first operator's spans: their mean is 5. Of the
// second's, 4, 9 and 5, only that of 9 was undisturbed, too few: the median of all is 5.
TEST(OperatorSamples, WhatTheNetworkInterruptedDoesNotCountWhereEnoughIsLeft) {
  OperatorSamples samples;
  const auto spans = spans_of({0, 2, 0, 2, 3, 3, 3});
  const std::vector<Duration> cpu{milliseconds(3), milliseconds(50), milliseconds(4),
                                  milliseconds(8), milliseconds(4),  milliseconds(9),
                                  milliseconds(5)};
  const auto no = Disturbed::no, yes = Disturbed::yes;
  samples.add(program(), spans, cpu, std::vector<Disturbed>{no, yes, no, no, yes, no, yes});
  const std::vector<MeasuredOperator> expected{{as_priced(norm(16)), 5_ms, 3},
                                               {as_priced(norm(32)), 5_ms, 3}};
  EXPECT_EQ(samples.times(), expected);
}

// 1 MB in 2 and in 3 ms: 2 MB in 5 ms. 64 KiB are too small to tell.
TEST(OperatorSamples, StagingIsInProportionToTheBytesOfAName) {
  Collective large, small;
  large.size = 1_MB;
  small.size = 64_KiB;
  Program made;
  made.bodies = {{"step",
                  {{"all-gather weights", LaneId{0}, large, {}, Block::none},
                   {"all-reduce norm", LaneId{0}, small, {}, Block::none}}}};
  OperatorSamples samples;
  samples.add(made, spans_of({0, 0, 1}),
              std::vector<Duration>{milliseconds(2), milliseconds(3), milliseconds(1)});
  const std::vector<StagingCosts> expected{{"all-gather weights", 400_MBps}};
  EXPECT_EQ(samples.staging(), expected);
  EXPECT_TRUE(samples.times().empty());
}

// 10 samples of 1 ms and one of 3: place 0.9 * 10 = 9 of the sorted ones is still 1 ms; with three
// of 3 ms among ten, place 8 (0.9 * 9 rounded down) is 3 ms, thrice the median.
TEST(OperatorSamples, ScatterIsTheNinetiethPercentileOverTheMedian) {
  const auto scatter = [](int ones, int threes) {
    OperatorSamples samples;
    for (int number = 0; number < ones + threes; ++number)
      samples.add(program(), spans_of({0}),
                  std::vector<Duration>{milliseconds(number < ones ? 1 : 3)});
    return samples.scatter();
  };
  EXPECT_EQ(scatter(10, 1), 1.0);
  EXPECT_EQ(scatter(7, 3), 3.0);
}

}  // namespace
}  // namespace quintet::calibrate
