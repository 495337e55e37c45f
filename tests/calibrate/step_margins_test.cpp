// What of a step on a GPU belongs to no operator, from fabricated timelines.
#include "calibrate/probes/step_margins.h"

#include <gtest/gtest.h>

namespace quintet::calibrate {
namespace {

using namespace literals;

Instant at_us(std::int64_t microseconds) {
  return {microseconds * 1'000'000};
}

Span span_of(std::int32_t info, std::int64_t from, std::int64_t to) {
  Span span;
  span.info = info;
  span.start = span.moving = at_us(from);
  span.end = at_us(to);
  return span;
}

// Kernels from 40 us on, with gaps of 1, 2 and 9 us between them; one instruction launched nothing,
// and a collective lies across.
Timeline timeline() {
  Timeline made;
  made.infos.resize(2);
  made.infos[1].kind = SpanKind::collective;
  made.spans = {span_of(0, 40, 50), span_of(0, 50, 50), span_of(0, 51, 60),
                span_of(1, 41, 75), span_of(0, 62, 70), span_of(0, 79, 80)};
  made.end = at_us(80);
  made.measurement = Measurement{};
  made.measurement->steps = {{5, {80'000'000}}, {6, {82'000'000}}, {7, {84'000'000}}};
  made.measurement->recording = Recording{};
  return made;
}

// Recorded steps took 90 us until the host had heard of their end, others 88; from one step's begin
// to the next's 100 pass.
MeasuredSteps steps() {
  MeasuredSteps made{{99_us, 100_us, 101_us}, 0};
  made.device = DeviceFigures{};
  made.device->recorded = 90_us;
  made.device->unrecorded = 88_us;
  return made;
}

// Around: 40 before the first kernel, 90 - 82 after the last (82: the middle one of the recorded
// steps), 100 - 88 between two steps.
TEST(StepMargins, AreGapsAndTheHostsTimeAround) {
  const auto margins = margins_of(timeline(), steps());
  ASSERT_TRUE(margins);
  EXPECT_NEAR(margins->gap.value, 2e-6, 1e-12);
  EXPECT_NEAR(margins->around.value, 60e-6, 1e-12);
}

TEST(StepMargins, AreNoneOfARunOnCoresOrTooShort) {
  MeasuredSteps short_run = steps();
  short_run.device->unrecorded = Seconds{};
  EXPECT_FALSE(margins_of(timeline(), short_run));
  MeasuredSteps on_cores = steps();
  on_cores.device.reset();
  EXPECT_FALSE(margins_of(timeline(), on_cores));
  Timeline one = timeline();
  one.spans.resize(1);
  EXPECT_FALSE(margins_of(one, steps()));
}

TEST(StepMargins, OfSeveralRunsAreMedians) {
  EXPECT_FALSE(median_margins({}));
  EXPECT_EQ(median_margins({{1_us, 50_us}, {3_us, 40_us}, {2_us, 90_us}}),
            (StepMargins{2_us, 50_us}));
}

}  // namespace
}  // namespace quintet::calibrate
