// An order in which the starts and ends of a graph's tasks can be told one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/timeline/timeline.h"
#include "traces/report/step_graph.h"

namespace quintet {

// For StepGraph::order; the graph has all but that. What goes round in a circle, as clocks that
// disagree can have it, comes last, in the order in which it was recorded.
std::vector<std::int32_t> step_order(const StepGraph& graph, const Timeline& timeline);

}  // namespace quintet
