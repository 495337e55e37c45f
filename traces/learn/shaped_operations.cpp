#include "traces/learn/shaped_operations.h"

#include <cstdint>
#include <unordered_map>

#include "traces/learn/operation_tree.h"

namespace quintet {

namespace {

bool names_backward(std::string_view name) {
  return name.starts_with("autograd::engine::") || name.find("Backward") != std::string_view::npos;
}

}  // namespace

std::vector<ShapedOperation> shaped_operations(const RankTrace& trace, const TraceWindow& window) {
  const OperationTree tree(trace);
  const auto name_of_event = [&](std::int32_t event) -> std::string_view {
    return trace
        .names[static_cast<std::size_t>(trace.events[static_cast<std::size_t>(event)].name)];
  };
  std::vector<ShapedOperation> found;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind != EventKind::operation || event.facts < 0 || is_communication(trace, event) ||
        event.start < window.from || event.start >= window.to)
      continue;
    const RecordedOperation& facts = trace.operations[static_cast<std::size_t>(event.facts)];
    if (facts.shapes < 0) continue;
    ShapedOperation made{trace.names[static_cast<std::size_t>(event.name)],
                         shapes_of(trace.names[static_cast<std::size_t>(facts.shapes)]),
                         names_backward(name_of_event(static_cast<std::int32_t>(i)))};
    for (std::int32_t up = tree.parent_of(static_cast<std::int32_t>(i)); up >= 0 && !made.backward;
         up = tree.parent_of(up))
      made.backward = names_backward(name_of_event(up));
    found.push_back(std::move(made));
  }
  return found;
}

std::vector<ShapedOperation> shaped_operations(const ExecutionTrace& trace) {
  std::unordered_map<std::int64_t, const ExecutionNode*> by_id;
  for (const ExecutionNode& node : trace.nodes) by_id.emplace(node.id, &node);
  const auto is_backward = [&](const ExecutionNode& node) {
    const ExecutionNode* up = &node;
    // A file may say that a node is its own ancestor.
    for (int steps = 0; steps < 256; ++steps) {
      if (names_backward(trace.names[static_cast<std::size_t>(up->name)])) return true;
      const auto parent = by_id.find(up->parent);
      if (parent == by_id.end()) return false;
      up = parent->second;
    }
    return false;
  };
  std::vector<ShapedOperation> found;
  for (const ExecutionNode& node : trace.nodes)
    if (node.shapes >= 0)
      found.push_back({trace.names[static_cast<std::size_t>(node.name)],
                       shapes_of(trace.names[static_cast<std::size_t>(node.shapes)]),
                       is_backward(node)});
  return found;
}

}  // namespace quintet
