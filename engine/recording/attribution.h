// Which instruction of a step each piece of a device's work was for: noted when the work is asked
// for, and found again in what a recorder has. Pure but for AskingFor.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/activity_recorder.h"

namespace quintet::engine {

// Who in the engine asks a device for work: an instruction of a step, or the step as a whole. The
// number of one is the purpose that a recorder notes with each call.
struct Requester {
  std::uint64_t step = 0;  // counted by the rank; below 2^31
  std::optional<int> task{};
  bool operator==(const Requester&) const = default;
};

// As a recorder takes it: never 0.
constexpr std::uint64_t number_of(const Requester& requester) {
  const std::uint64_t task = requester.task ? static_cast<std::uint64_t>(*requester.task) + 1 : 0;
  return (requester.step + 1) << 32 | task;
}

// Nothing where it is none of ours.
constexpr std::optional<Requester> requester_of(std::uint64_t number) {
  if (number >> 32 == 0) return std::nullopt;
  const auto task = static_cast<std::uint32_t>(number);
  Requester requester{(number >> 32) - 1, {}};
  if (task > 0) requester.task = static_cast<int>(task - 1);
  return requester;
}

// While it lives, what this thread asks of devices is for the requester. Null: nobody records.
class AskingFor {
 public:
  AskingFor(kernels::ActivityRecorder* recorder, const Requester& requester) : recorder_(recorder) {
    if (recorder_ != nullptr) recorder_->begin(number_of(requester));
  }
  ~AskingFor() {
    if (recorder_ != nullptr) recorder_->end();
  }
  AskingFor(const AskingFor&) = delete;
  AskingFor& operator=(const AskingFor&) = delete;

 private:
  kernels::ActivityRecorder* recorder_;
};

// What a device did for one task, on the host's steady clock.
struct DeviceWork {
  int task = 0;
  std::chrono::nanoseconds start{}, end{};  // of the first piece and of the last
  std::chrono::nanoseconds busy{};          // while at least one of its pieces ran
  int pieces = 0;
  std::string longest;  // of its kernels, as the linker knows it; empty: it only copied and filled
  bool operator==(const DeviceWork&) const = default;
};

// What became of the records: none is passed over in silence.
struct RecordCounts {
  std::int64_t pieces = 0;        // kernels, copies and fills that were recorded, of which
  std::int64_t of_tasks = 0;      //   these make the spans,
  std::int64_t of_no_task = 0;    //   these were for the step as a whole,
  std::int64_t of_others = 0;     //   these came late, from another step, or were before the first,
  std::int64_t of_nothing = 0;    //   these nobody is known to have asked for,
  std::int64_t without_time = 0;  //   and these were for this step, but when is not known.
  std::int64_t dropped = 0, broken = 0;  // kernels/activity_recorder.h
  std::chrono::nanoseconds cost{};       // that recording took of the host's threads
  RecordCounts& operator+=(const RecordCounts& more);
  bool operator==(const RecordCounts&) const = default;
};

struct Attribution {
  std::vector<DeviceWork> work;  // in order of tasks
  RecordCounts counts;
  bool operator==(const Attribution&) const = default;
};

// A piece is for what its call was made for; where the call launched a graph, for what its node was
// captured for, in the step that the graph was launched for.
Attribution attribute(const kernels::DeviceRecords& records, std::uint64_t step);

// "3 pieces, busy 412.3 us, longest gemm_tiles".
std::string note_of(const DeviceWork& work);

// "gemm_tiles" of "_ZN7quintet10gemm_tilesILi3EEEvPf": a kernel's name without what the reader of a
// trace cannot use.
std::string short_kernel_name(const std::string& name);

}  // namespace quintet::engine
