// What of a timeline is drawn: its spans, then its launch gaps, each on a row.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/timeline/chrome_trace/trace_rows.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// Where something drawn begins or ends.
struct DrawnEdge {
  Instant time;
  std::uint32_t what = 0;
  bool begins = false;
};

// Timeline and rows outlive it.
class Drawn {
 public:
  Drawn(const Timeline& timeline, const TraceRows& rows) : timeline_(timeline), rows_(rows) {}

  std::size_t size() const { return timeline_.spans.size() + timeline_.host_gaps.size(); }
  bool is_span(std::size_t what) const { return what < timeline_.spans.size(); }
  std::size_t row_of(std::size_t what) const;
  Instant start_of(std::size_t what) const;
  Instant end_of(std::size_t what) const;

  // In order of time; what a row shows ends before its next begins.
  std::vector<DrawnEdge> edges() const;

 private:
  std::size_t gap(std::size_t what) const { return what - timeline_.spans.size(); }

  const Timeline& timeline_;
  const TraceRows& rows_;
};

}  // namespace quintet
