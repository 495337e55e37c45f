#include "engine/recording/step_capture.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

using std::chrono::nanoseconds;

// Has records of its own to give.
class SmallRecorder : public kernels::ActivityRecorder {
 public:
  std::string in_words() const override { return "CUPTI 13.0.1"; }
  void begin(std::uint64_t) override {}
  void end() override {}
  kernels::DeviceRecords collect() override {
    kernels::DeviceRecords records;
    records.activities.resize(5);
    records.dropped = 2;
    return records;
  }
  kernels::DeviceRecords stop() override { return {}; }
};

kernels::OpenedRecorder works() {
  return {std::make_unique<SmallRecorder>(), {}};
}

kernels::OpenedRecorder is_taken() {
  return {nullptr, "CUPTI cannot be used: another tool has taken it"};
}

kernels::OpenedRecorder must_not_be_asked() {
  ADD_FAILURE() << "CUPTI was opened";
  return {};
}

TEST(Capture, IsWhatWasAskedForWhereThatCanBeHad) {
  const OpenedCapture cupti = open_capture(CaptureChoice::cupti, works);
  EXPECT_NE(cupti.recorder, nullptr);
  EXPECT_EQ(cupti.by, "CUPTI 13.0.1");
  EXPECT_EQ(cupti.instead, "");
  const OpenedCapture events = open_capture(CaptureChoice::events, must_not_be_asked);
  EXPECT_EQ(events.by, "CUDA events");
  EXPECT_EQ(events.instead, "");
}

TEST(Capture, FallsBackToEventsAndSaysWhy) {
  StepCapture capture(open_capture(CaptureChoice::cupti, is_taken));
  EXPECT_TRUE(capture.on());
  EXPECT_TRUE(capture.by_events());
  EXPECT_EQ(capture.recorder(), nullptr);
  EXPECT_EQ(capture.recording()->instead, "CUPTI cannot be used: another tool has taken it");
}

TEST(Capture, LeavesStepsWithoutItToCompareWith) {
  EXPECT_EQ(capture_window(1, 20), (CaptureWindow{5, 12}));    // 8 of 16
  EXPECT_EQ(capture_window(11, 30), (CaptureWindow{15, 22}));  // resumed after 10
  EXPECT_EQ(capture_window(1, 1000), (CaptureWindow{5, 24}));
  EXPECT_EQ(capture_window(1, 5), (CaptureWindow{5, 5}));
  EXPECT_EQ(capture_window(1, 4), (CaptureWindow{2, 4}));
  EXPECT_EQ(capture_window(7, 7), (CaptureWindow{7, 7}));
}

// Steps 3 to 5 take 30, 50 and 40 ns with it; steps 7 and 8 take 20 and 30 without, and step 6 is
// still disturbed. Between steps 2 records are dropped each time.
TEST(Capture, ComparesStepsWithItToStepsWithout) {
  StepCapture capture(open_capture(CaptureChoice::cupti, works));
  capture.choose({3, 5});
  const int times[] = {0, 900, 800, 30, 50, 40, 700, 20, 30};
  std::vector<int> stops, shown;
  for (int step = 1; step <= 8; ++step) {
    capture.before_step();
    const RecordCounts counts{
        .pieces = 10, .of_tasks = 7, .of_no_task = 2, .of_nothing = 1, .cost = nanoseconds(3)};
    if (capture.shows(step)) shown.push_back(step);
    if (capture.after_step({step, nanoseconds(times[step]), counts})) stops.push_back(step);
  }
  capture.stopped({.pieces = 1, .of_others = 1});
  EXPECT_EQ(stops, std::vector<int>{5});
  EXPECT_EQ(shown, (std::vector<int>{3, 4, 5}));
  const Recording expected{.by = "CUPTI 13.0.1",
                           .steps_with = 3,
                           .steps_without = 2,
                           .with = {40'000},
                           .without = {20'000},
                           .cost = {9'000},
                           .pieces = 31,
                           .in_spans = 21,
                           .lost = 3 + 1 + 16};
  EXPECT_EQ(capture.recording(), expected);
}

TEST(Capture, OfNothingShowsEveryStep) {
  StepCapture capture;
  capture.choose({3, 5});
  capture.before_step();
  EXPECT_FALSE(capture.after_step({5, nanoseconds(7), {}}));
  EXPECT_TRUE(capture.shows(1));
  EXPECT_EQ(capture.recording(), std::nullopt);
}

}  // namespace
}  // namespace quintet::engine
