// What a device did, piece by piece, as its own profiler saw it: CUPTI's, or a stand-in's in tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace quintet::kernels {

enum class ActivityKind { kernel, copy, peer_copy, fill };

struct Activity {
  ActivityKind kind = ActivityKind::kernel;
  std::int64_t start = 0, end = 0;  // ns of std::chrono::steady_clock; both 0: not known
  std::uint32_t device = 0, stream = 0;
  std::uint32_t call = 0;          // the host's call that asked for it
  std::uint64_t graph_node = 0;    // 0: not launched as part of a graph
  std::uint64_t captured_for = 0;  // the purpose for which that node was captured; 0: not known
  std::uint64_t bytes = 0;         // of copies and fills
  std::string name;                // of kernels, as the linker knows it
  bool operator==(const Activity&) const = default;
};

// What a call of the host was made for (ActivityRecorder::begin).
struct CallPurpose {
  std::uint32_t call = 0;
  std::uint64_t purpose = 0;
  bool operator==(const CallPurpose&) const = default;
};

// Time that the profiler, or the driver for it, took of the host.
struct RecordingCost {
  std::string what;
  std::int64_t start = 0, end = 0;  // ns of std::chrono::steady_clock
  bool operator==(const RecordingCost&) const = default;
};

struct DeviceRecords {
  std::vector<Activity> activities;  // in any order
  std::vector<CallPurpose> purposes;
  std::vector<RecordingCost> costs;
  std::uint64_t dropped = 0;  // records that there was no room for
  std::uint64_t broken = 0;   // buffers that ended within a record: what came after it is lost
  std::string trouble;        // why records may be missing, in plain words; empty: no reason
  bool operator==(const DeviceRecords&) const = default;
};

// One per process. It records from when it is made until it is stopped, which happens once.
class ActivityRecorder {
 public:
  ActivityRecorder() = default;
  ActivityRecorder(const ActivityRecorder&) = delete;
  ActivityRecorder& operator=(const ActivityRecorder&) = delete;
  virtual ~ActivityRecorder() = default;

  virtual std::string in_words() const = 0;  // "CUPTI 13.0.1"

  // What this thread asks of devices is for that purpose (not 0) until end(); begins nest.
  virtual void begin(std::uint64_t purpose) = 0;
  virtual void end() = 0;

  // All that was recorded since last asked. Complete where the host has waited for the device.
  virtual DeviceRecords collect() = 0;
  // The last records. From here on begin() and end() cost nothing, and nothing more is collected.
  virtual DeviceRecords stop() = 0;
};

struct OpenedRecorder {
  std::unique_ptr<ActivityRecorder> recorder;  // none: why_not
  std::string why_not;                         // in plain words
};

}  // namespace quintet::kernels
