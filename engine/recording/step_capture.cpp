#include "engine/recording/step_capture.h"

#include <algorithm>

#include "sim/base/quantile.h"

namespace quintet::engine {

namespace {

constexpr int warm_up = 4;
constexpr int most_steps = 20;

// The lower one of two in the middle, as of the steps of a timeline; 0 of none.
Duration median_or_none(const std::vector<Duration>& times) {
  return times.empty() ? Duration{} : lower_median(times);
}

Duration duration_of(std::chrono::nanoseconds time) {
  return {time.count() * 1000};
}

}  // namespace

OpenedCapture open_capture(CaptureChoice choice, const OpenRecorder& open) {
  constexpr const char* events = "CUDA events";
  if (choice == CaptureChoice::events) return {nullptr, events, {}};
  kernels::OpenedRecorder opened = open();
  if (opened.recorder == nullptr) return {nullptr, events, opened.why_not};
  std::string by = opened.recorder->in_words();
  return {std::move(opened.recorder), std::move(by), {}};
}

CaptureWindow capture_window(int first_step, int last_step) {
  const int steps = last_step - first_step + 1;
  if (steps <= warm_up) return {steps > 1 ? first_step + 1 : first_step, last_step};
  const int first = first_step + warm_up;
  return {first, first + std::clamp((steps - warm_up) / 2, 1, most_steps) - 1};
}

void StepCapture::before_step() {
  if (recorder() == nullptr) return;
  const kernels::DeviceRecords between = recorder()->collect();
  counts_.dropped += static_cast<std::int64_t>(between.dropped);
}

// The first step after the recorded ones still pays for the stop.
bool StepCapture::after_step(const Step& step) {
  if (!on()) return false;
  if (shows(step.number)) {
    with_.push_back(duration_of(step.time));
    counts_ += step.records;
  } else if (step.number > window_.last + 1) {
    without_.push_back(duration_of(step.time));
  }
  return step.number == window_.last;
}

void StepCapture::stopped(const RecordCounts& left) {
  counts_ += left;
}

std::optional<Recording> StepCapture::recording() const {
  if (!on()) return std::nullopt;
  return Recording{
      .by = opened_.by,
      .instead = opened_.instead,
      .steps_with = static_cast<int>(with_.size()),
      .steps_without = static_cast<int>(without_.size()),
      .with = median_or_none(with_),
      .without = median_or_none(without_),
      .cost = duration_of(counts_.cost),
      .pieces = counts_.pieces,
      .in_spans = counts_.of_tasks,
      .lost = counts_.of_others + counts_.of_nothing + counts_.without_time + counts_.dropped};
}

}  // namespace quintet::engine
