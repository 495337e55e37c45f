// How much of a rank's communication its computation covers, as HolisticTraceAnalysis counts it
// (facebookresearch/HolisticTraceAnalysis, "communication computation overlap").
#pragma once

#include "traces/trace/rank_trace.h"

namespace quintet {

// Nanoseconds in which at least one kernel of a sort ran, on any stream.
struct CommunicationOverlap {
  std::int64_t communication = 0;  // kernels that communicate
  std::int64_t overlapped = 0;     // of these, while another kernel ran too
  std::int64_t exposed = 0;        // the rest
  // overlapped / communication; 0 without communication.
  double ratio() const {
    return communication > 0 ? static_cast<double>(overlapped) / static_cast<double>(communication)
                             : 0.0;
  }
  bool operator==(const CommunicationOverlap&) const = default;
};

CommunicationOverlap communication_overlap(const RankTrace& trace);

}  // namespace quintet
