// A measured step as it would have been with some of its work quicker or slower, by its graph
// (step_graph.h, which says what that rests on). "Understanding Stragglers in Large Model Training
// Using What-if Analysis" (arXiv 2505.05713) times jobs again in this manner.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/explain/path/critical_path.h"
#include "sim/timeline/timeline.h"
#include "traces/report/step_graph.h"

namespace quintet {

// What is otherwise than it was recorded.
struct Change {
  // Spans, and what the time is multiplied by that they work or their data moves.
  std::vector<std::pair<std::int32_t, double>> spans;
  // Ranks, by number, and the share of each host gap that is left: nothing else that their threads
  // do holds up their GPUs.
  std::vector<std::pair<std::int32_t, double>> gaps;
  bool empty() const { return spans.empty() && gaps.empty(); }
};

// Where several changes name a span: the least factor holds, or they are multiplied (of what was
// found in the step as it is with the changes before it). Of what is left of gaps the least holds.
enum class Together { least, product };

struct Changes {
  explicit Changes(const StepGraph& graph);
  void add(const Change& change, Together together = Together::least);

  std::vector<double> spans;  // per span; 1: as recorded
  std::vector<double> gaps;   // per rank; below 0: as recorded
};

// How long the step is. Without changes: as long as it was.
Duration retimed_step(const StepGraph& graph, const Changes& changes);

// All of it, the host gaps that are left included.
Timeline retimed(const StepGraph& graph, const Timeline& recorded, const Changes& changes);

// What the recording's end waited for, back to its beginning (PathPiece), by what the graph knows
// beyond the times that critical_path() goes by: launches, and what threads wait for.
std::vector<PathPiece> recorded_path(const StepGraph& graph, const Timeline& recorded);

}  // namespace quintet
