// Times of operators from fabricated steps.
#include "calibrate/operator_samples.h"

#include <gtest/gtest.h>

namespace quintet::calibrate {
namespace {

using namespace literals;

Operator norm(double bytes) {
  return {OperatorKind::norm, Phase::forward, DataType::fp32, MemoryShape{Bytes{bytes}, Bytes{8}}};
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
  // 3, 4, 5, 100: the lower of the middle two is 4. 7, 9: 7.
  const std::vector<MeasuredOperator> expected{{norm(16), 4_ms, 4}, {norm(32), 7_ms, 2}};
  EXPECT_EQ(samples.medians(), expected);
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
