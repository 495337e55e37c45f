// What every rank does when: predicted, or measured by `quintet run --timeline`. Times in
// picoseconds since the step began, exact integers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "quintet/export.h"

namespace quintet::api {

// What all spans of one instruction share.
struct Instruction {
  std::string name;
  std::string kind;    // "compute", "collective", "send", "receive", "copy", "host"
  std::string work;    // of compute: the operator, "gemm"; of communication: the axis, "tensor"
  std::string lane;    // "compute"
  double bytes = 0;    // of communication and copies
  std::string detail;  // "ring LL128, 16 channels"
  bool operator==(const Instruction&) const = default;
};

// A rank, or several that do the same at the same time.
struct Track {
  std::int32_t rank = 0;   // the one shown
  std::int32_t ranks = 1;  // how many it stands for
  std::int32_t stage = 0;
  std::string role, host;  // host: empty where it is not known
  bool operator==(const Track&) const = default;
};

// Plain data: arrays of it are what numpy sees.
struct Span {
  std::int32_t instruction = 0, track = 0;  // indices into the timeline's lists
  std::int64_t start_ps = 0;                // the lane took it up
  std::int64_t moving_ps = 0;  // communication: all peers were there; otherwise as start_ps
  std::int64_t end_ps = 0;
  std::int32_t layer = -1, micro_batch = -1;  // -1: of none
  std::int32_t chunk = 0, bucket = -1;
  std::int32_t flow = -1;  // the same number on a send and its receive
  bool operator==(const Span&) const = default;
};

struct Timeline {
  std::string name;
  std::vector<Instruction> instructions;
  std::vector<Track> tracks;
  std::vector<Span> spans;  // by track, then in order of start
  std::int64_t step_ps = 0;
  bool measured = false;
  bool operator==(const Timeline&) const = default;
};

// A trace file, as compare() needs it: more than a Timeline shows.
class QUINTET_API Trace {
 public:
  struct Inside;
  explicit Trace(std::unique_ptr<const Inside> inside);
  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;
  ~Trace();

  Timeline timeline() const;
  const Inside& inside() const { return *inside_; }  // for this library

 private:
  std::unique_ptr<const Inside> inside_;
};

// Written by `quintet simulate --trace`, `quintet run --timeline` or Prediction::write_trace;
// packed by gzip or zstd or not. Throws Failure with the place in the file.
QUINTET_API Trace load_trace(const std::string& path);

}  // namespace quintet::api
