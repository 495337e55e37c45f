// The kernels of each operation that kernels can be learnt from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/learn/input_shapes.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

enum class LearntOperation {
  none,
  product,
  attention,
  attention_backward,
  norm,
  activation,
  addition
};
LearntOperation learnt_operation(std::string_view name);

// An operation with shapes, and what ran on a GPU for it and not for one within it.
struct OperationKernels {
  std::string_view name;
  LearntOperation what = LearntOperation::none;
  std::vector<InputShape> shapes;
  std::vector<std::optional<DataType>> types;
  std::vector<std::int32_t> kernels;  // indices into RankTrace::events
  std::string gpu;                    // empty: not known
  bool alone = true;                  // no kernel of another stream of the GPU ran meanwhile
};

// In the order of the operations among the trace's events. Views into `trace`.
std::vector<OperationKernels> kernels_by_operation(const RankTrace& trace);

}  // namespace quintet
