// How a run's steps on a device are recorded: by the device's profiler, or by events that the
// executor records; some of them, so that the others tell what recording costs.
//
//   StepCapture capture(open_capture(CaptureChoice::cupti, open_gpu_recorder));
//   options.recorder = capture.recorder();  options.times = capture.by_events();
//   capture.choose(capture_window(1, 20));
//   for (step ...) { capture.before_step(); executor.step(); capture.after_step(step, ...); }
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/recording/attribution.h"
#include "sim/timeline/timeline.h"

namespace quintet::engine {

enum class CaptureChoice { cupti, events };

struct OpenedCapture {
  std::unique_ptr<kernels::ActivityRecorder> recorder{};  // null: events, or nothing
  std::string by;       // "CUPTI 13.0.1", "CUDA events"; empty: nothing
  std::string instead;  // why events although CUPTI was asked for; empty: it was not, or it is used
};
using OpenRecorder = std::function<kernels::OpenedRecorder()>;
// Events where CUPTI cannot be had. `open` is asked only for CUPTI.
OpenedCapture open_capture(CaptureChoice choice, const OpenRecorder& open);

// Which steps are recorded, both ends among them.
struct CaptureWindow {
  int first = 1, last = 0;
  bool operator==(const CaptureWindow&) const = default;
};
// After those that find things to make (a plan's graph is kept in the third), half of a run's
// steps, 20 at most: the median of so many is told from chance. A run too short for that records
// all but its first step, and nothing tells what that costs.
CaptureWindow capture_window(int first_step, int last_step);

class StepCapture {
 public:
  StepCapture() = default;  // records nothing
  explicit StepCapture(OpenedCapture opened) : opened_(std::move(opened)) {}
  void choose(const CaptureWindow& window) { window_ = window; }

  bool on() const { return !opened_.by.empty(); }
  kernels::ActivityRecorder* recorder() const { return opened_.recorder.get(); }
  bool by_events() const { return on() && recorder() == nullptr; }
  const OpenedCapture& opened() const { return opened_; }

  // What is recorded between steps is none of theirs.
  void before_step();
  struct Step {
    int number = 0;
    std::chrono::nanoseconds time{};
    RecordCounts records;
  };
  // True: the executor shall stop recording now (RankExecutor::stop_recording).
  bool after_step(const Step& step);
  void stopped(const RecordCounts& left);
  // Whether the step's spans are to be kept.
  bool shows(int step) const { return !on() || (step >= window_.first && step <= window_.last); }

  const RecordCounts& counts() const { return counts_; }
  // Nothing where nothing records.
  std::optional<Recording> recording() const;

 private:
  OpenedCapture opened_;
  CaptureWindow window_;
  RecordCounts counts_;
  std::vector<Duration> with_, without_;  // of steps
};

}  // namespace quintet::engine
