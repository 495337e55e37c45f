// Beginnings and ends of slices as they come, and what becomes of them: nested slices of each
// track. Writers of several threads may come behind one another, so that order in time is made at
// the end.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/trace/rank_trace.h"

namespace quintet::perfetto_trace {

struct Slice {
  TraceEvent event;  // its row and time are known at the end
  std::int32_t track = 0;
  bool ended = false;
};

struct Flow {
  std::uint64_t id = 0;
  std::int32_t slice = 0;
};

class Slices {
 public:
  // `event` has its start.
  void begin(std::int32_t track, const TraceEvent& event);
  void end(std::int32_t track, std::int64_t time) { edges_.push_back({time, track, -1}); }
  // Of the slice that began last.
  void flow(std::uint64_t id) {
    flows_.push_back({id, static_cast<std::int32_t>(slices_.size()) - 1});
  }

  // Pairs beginnings and ends. What is not paired is not `ended`.
  void nest();
  std::vector<Slice>& all() { return slices_; }
  std::vector<Flow>& flows() { return flows_; }
  std::int64_t ends_without_beginning() const { return unpaired_; }

 private:
  struct Edge {
    std::int64_t time = 0;
    std::int32_t track = 0;
    std::int32_t slice = -1;  // that begins; -1: one ends
  };
  std::vector<Slice> slices_;
  std::vector<Edge> edges_;
  std::vector<Flow> flows_;
  std::int64_t unpaired_ = 0;
};

}  // namespace quintet::perfetto_trace
