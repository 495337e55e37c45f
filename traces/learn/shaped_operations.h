// Operations with the shapes of their inputs, whatever recorded them: for recognising a model.
#pragma once

#include <string_view>
#include <vector>

#include "traces/learn/input_shapes.h"
#include "traces/pytorch_et/execution_trace.h"
#include "traces/trace/rank_trace.h"
#include "traces/workload/trace_step.h"

namespace quintet {

struct ShapedOperation {
  std::string_view name;
  std::vector<InputShape> shapes;
  bool backward = false;  // it runs in autograd's engine, or says that it is of a backward pass
};

// Those that began in the window, in the trace's order. Views into what is given.
std::vector<ShapedOperation> shaped_operations(const RankTrace& trace, const TraceWindow& window);
std::vector<ShapedOperation> shaped_operations(const ExecutionTrace& trace);

}  // namespace quintet
