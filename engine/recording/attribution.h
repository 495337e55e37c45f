// Which instruction of a step each piece of a device's work was for. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/recording/requester.h"

namespace quintet::engine {

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
