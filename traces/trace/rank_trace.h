// What another program recorded of one process of a training job: what ran on its GPU's streams and
// its CPU's threads, when, and who asked for it. All readers of timed formats (Kineto, Nsight
// Systems, NCCL's profilers, Perfetto) fill this; traces/workload makes of the ranks of one job
// what they did and why in that order. Plain data, 48 bytes an event: a trace has millions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/units.h"
#include "sim/plan/ccl.h"

namespace quintet {

enum class EventKind : std::uint8_t {
  kernel,      // on a stream; with `communication` facts: a collective or message
  copy,        // on a stream
  fill,        // on a stream
  operation,   // of the framework, on a thread: "aten::mm"; they nest
  launch,      // call that puts work on a stream: the event with its correlation
  block,       // call that returns when a stream, event or device has done its work
  call,        // other call of the driver or the runtime
  annotation,  // a range that somebody named: "ProfilerStep#3"; they nest
  other,       // whatever else has a beginning and an end
};
std::string_view name_of(EventKind kind);

// No time is lost: all instants are whole nanoseconds since RankTrace::zero_nanoseconds.
struct TraceEvent {
  std::int64_t start = 0, time = 0;
  std::int64_t correlation = -1;  // a launch and what it launched have the same; -1: none
  std::int64_t external = -1;     // of an operation, and of what was asked for in it; -1: none
  std::int32_t name = 0;          // index into RankTrace::names
  std::int32_t row = 0;           // index into RankTrace::rows
  std::int32_t facts = -1;        // index into what `kind` says, below; -1: nothing more is known
  EventKind kind = EventKind::other;

  std::int64_t end() const { return start + time; }
  bool operator==(const TraceEvent&) const = default;
};

struct RecordedRow {
  enum class Kind : std::uint8_t { stream, thread };
  Kind kind = Kind::thread;
  int device = -1;      // of a stream
  std::int64_t id = 0;  // the stream's or thread's own
  std::string name;     // "stream 7", "thread 3201 (python)"
  bool operator==(const RecordedRow&) const = default;
};

// What the ranks of a job call one communicator.
struct ProcessGroup {
  std::string name;         // "0", "default_pg"; unique within a RankTrace
  std::string description;  // "tensor parallel"; may be empty
  std::vector<int> ranks;   // of the job, in the group's order; empty: not known
  int size = 0;             // 0: not known
  bool operator==(const ProcessGroup&) const = default;
};

enum class CommunicationKind : std::uint8_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  reduce,
  all_to_all,  // as CollectiveKind
  gather,
  scatter,
  barrier,
  send,
  receive,
  send_and_receive,  // the last: a kernel that does both, which it does not tell
  unknown,
};
std::string_view name_of(CommunicationKind kind);
std::optional<CollectiveKind> collective_of(CommunicationKind kind);

// Facts of kernels that communicate, and of the operations that asked for them.
struct RecordedCommunication {
  CommunicationKind kind = CommunicationKind::unknown;
  DataType type = DataType::fp32;
  bool type_known = false;
  std::int64_t elements_in = -1, elements_out = -1;  // -1: not known
  Bytes size{-1};              // nccl-tests' convention (sim/program/program.h); below 0: not known
  std::int32_t group = -1;     // index into RankTrace::groups; -1: not known
  std::int64_t sequence = -1;  // of the group, counted by the program; -1: not known
  int peer = -1;               // rank of the job, of messages; -1: not known
  std::string detail;          // "ring LL, 8 channels"; may be empty
  bool operator==(const RecordedCommunication&) const = default;
};

// Facts of copies and fills.
struct RecordedCopy {
  CopyDirection direction = CopyDirection::device_to_device;
  Bytes size{-1};  // below 0: not known
  bool operator==(const RecordedCopy&) const = default;
};

// Facts of `block` events, and of `call` events that let a stream wait.
struct RecordedWait {
  enum class Kind : std::uint8_t {
    device,              // the thread waits until all streams are idle
    stream,              // the thread waits for `stream`
    event,               // the thread waits for what was recorded by the call `recorded_by`
    stream_waits_event,  // `stream` goes on when what was recorded by `recorded_by` is done
  };
  Kind kind = Kind::device;
  std::int64_t stream = -1;       // -1: not known
  std::int64_t recorded_by = -1;  // correlation of the cudaEventRecord; -1: not known
  std::int64_t recorded_on = -1;  // stream that it was recorded on; -1: not known
  bool operator==(const RecordedWait&) const = default;
};

// Facts of operations.
struct RecordedOperation {
  std::int64_t sequence = -1;  // of autograd: the same forward and backward; -1: none
  std::int64_t forward_thread =
      -1;                    // of a backward operation: where its forward ran; -1: it is none
  std::int32_t shapes = -1;  // index into names: "[[2, 512], [512, 768]]"; -1: not known
  std::int32_t types = -1;   // index into names: "[float, float]"; -1: not known
  bool operator==(const RecordedOperation&) const = default;
};

struct TraceDevice {
  int id = 0;
  std::string name;  // "NVIDIA H100 80GB HBM3"
  bool operator==(const TraceDevice&) const = default;
};

// Something that was not understood and left out, how often.
struct LeftOut {
  std::string what;  // "events of phase 'N'"
  std::int64_t count = 0;
  bool operator==(const LeftOut&) const = default;
};

struct RankTrace {
  std::string file;    // it was read from
  std::string format;  // "Kineto"
  int rank = -1;       // of the job; -1: the file does not say
  int world_size = 0;  // 0: the file does not say
  std::string host;
  std::vector<TraceDevice> devices;
  std::int64_t zero_nanoseconds = 0;  // since 1970, of the instant from which events count
  std::vector<std::string> names;
  std::vector<RecordedRow> rows;
  std::vector<ProcessGroup> groups;
  std::vector<TraceEvent> events;  // by row, then in order of start, those that hold others first
  std::vector<RecordedCommunication> communications;
  std::vector<RecordedCopy> copies;
  std::vector<RecordedWait> waits;
  std::vector<RecordedOperation> operations;
  std::vector<LeftOut> left_out;
  bool operator==(const RankTrace&) const = default;
};

// Which of the facts `facts` counts is told by the kind: kernels that communicate and operations
// called "record_param_comms" have `communications`, other operations `operations`, copies and
// fills `copies`, block and call `waits`. Of kernels only those that communicate have facts. and
// fills `copies`, block and call `waits`.
bool is_communication(const RankTrace& trace, const TraceEvent& event);

// Events in the order that RankTrace promises.
void put_in_order(RankTrace& trace);

}  // namespace quintet
