// A rank of a workload as a trace of PyTorch's profiler: what HolisticTraceAnalysis, Chakra's
// linker and Perfetto read. Dialect of 2024: microseconds with three decimals since
// "baseTimeNanoseconds" (0: workloads count from their beginning), "distributedInfo" before the
// events, arguments of collectives on the operation and on its kernel.
//
// What stands for what:
//   - a task of a stream: an operation with its name, in it a launch, and the kernel or copy. A
//     collective's kernel is called as NCCL calls it, the operation has the task's name.
//   - a task of the host: a call with its name. It is the launch of the tasks that are after it.
//   - a task of which no call is known: a launch of no length at the step's beginning, or as soon
//     as what it is after was launched: the host was never late.
//   - "after" from one stream to another: cudaEventRecord behind the one's launch and
//     cudaStreamWaitEvent before the other's, with a "cuda_sync" event; from a stream to the host:
//     the call waits for the event, stream or device. These calls take 1 ns from calls around them.
//   - the step: the range "ProfilerStep#0"
#pragma once

#include <cstdint>
#include <iosfwd>

#include "traces/workload/workload.h"

namespace quintet {

// Dependencies that the format cannot tell: from one thread of the host to another, unless the one
// launches the other.
struct KinetoWritten {
  std::int64_t dependencies_left_out = 0;
  bool operator==(const KinetoWritten&) const = default;
};

// `rank`: index into Workload::ranks. The workload is recorded. Errors of the stream are left in
// its state.
KinetoWritten write_kineto(std::ostream& out, const Workload& workload, std::int32_t rank);

}  // namespace quintet
