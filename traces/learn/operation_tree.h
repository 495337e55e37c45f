// Which operation of a trace runs in which, and which kernels were asked for in it.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "traces/trace/rank_trace.h"

namespace quintet {

class OperationTree {
 public:
  explicit OperationTree(const RankTrace& trace);

  // Indices into RankTrace::events; -1: there is none. Of an operation or annotation: the one it
  // runs in, on its thread.
  std::int32_t parent_of(std::int32_t event) const;
  // The innermost operation that a kernel was asked for in: by its `external`, else by its launch.
  std::int32_t asked_by(const TraceEvent& kernel) const;

 private:
  std::unordered_map<std::int32_t, std::int32_t> parent_;
  std::unordered_map<std::int64_t, std::int32_t> by_external_;
  std::unordered_map<std::int64_t, std::int32_t> by_correlation_;
};

}  // namespace quintet
