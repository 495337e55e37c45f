#include "traces/pytorch_et/join.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "traces/pytorch_et/match_nodes.h"
#include "traces/trace/group_table.h"

namespace quintet {
namespace {

// Adds what is not known; false: there was nothing to add.
bool add_facts(RecordedCommunication& known, const RecordedCommunication& told) {
  const RecordedCommunication before = known;
  const bool was_unknown =
      known.kind == CommunicationKind::unknown || known.kind == CommunicationKind::send_and_receive;
  if (was_unknown) known.kind = told.kind;
  if (known.kind != told.kind) return false;
  if (!known.type_known && told.type_known) {
    known.type = told.type;
    known.type_known = true;
  }
  if (known.elements_in < 0) known.elements_in = told.elements_in;
  if (known.elements_out < 0) known.elements_out = told.elements_out;
  if (known.size.value < 0) known.size = told.size;
  if (known.group < 0) known.group = told.group;
  if (known.sequence < 0) known.sequence = told.sequence;
  if (known.peer < 0) known.peer = told.peer;
  return known != before;
}

class Joining {
 public:
  Joining(RankTrace& trace, const ExecutionTrace& execution)
      : trace_(trace), execution_(execution) {
    for (std::size_t i = 0; i < trace.names.size(); ++i)
      names_.emplace(trace.names[i], static_cast<std::int32_t>(i));
  }
  JoinedTraces joined();

 private:
  void add_groups();
  void add_to(TraceEvent& event, const ExecutionNode& node);
  void add_shapes(TraceEvent& event, const ExecutionNode& node);
  void add_communication(TraceEvent& event, const ExecutionNode& node);
  // Of the execution trace's, in the trace.
  std::int32_t name(std::int32_t index);
  void add_to_kernels();
  void add_to_kernel(std::int32_t kernel, const RecordedCommunication& told);
  void count_unmatched(const std::vector<std::int32_t>& event_of);

  RankTrace& trace_;
  const ExecutionTrace& execution_;
  std::unordered_map<std::string, std::int32_t> names_;  // the trace's
  std::vector<std::int32_t> groups_;      // per group of the execution trace: the trace's
  std::vector<std::int32_t> operations_;  // that communicate and were matched, in the trace's order
  JoinedTraces report_;
};

JoinedTraces Joining::joined() {
  const auto matches = pytorch_et::matched_nodes(trace_, execution_);
  report_.by = matches.by;
  for (const TraceEvent& event : trace_.events)
    report_.operations +=
        event.kind == EventKind::operation || event.kind == EventKind::annotation ? 1 : 0;
  add_groups();
  for (std::size_t i = 0; i < execution_.nodes.size(); ++i) {
    report_.nodes += execution_.nodes[i].record >= 0 ? 1 : 0;
    if (matches.event_of[i] < 0) continue;
    ++report_.matched;
    add_to(trace_.events[static_cast<std::size_t>(matches.event_of[i])], execution_.nodes[i]);
  }
  std::sort(operations_.begin(), operations_.end());
  add_to_kernels();
  count_unmatched(matches.event_of);
  return report_;
}

void Joining::add_groups() {
  pytorch::GroupTable table;
  for (const ProcessGroup& group : trace_.groups) table.tell(group);
  for (const ProcessGroup& group : execution_.groups) groups_.push_back(table.tell(group));
  trace_.groups = std::move(table).take();
}

void Joining::add_to(TraceEvent& event, const ExecutionNode& node) {
  if (event.kind != EventKind::operation) return;
  const bool communicates =
      execution_.names[static_cast<std::size_t>(node.name)] == "record_param_comms";
  communicates ? add_communication(event, node) : add_shapes(event, node);
}

void Joining::add_shapes(TraceEvent& event, const ExecutionNode& node) {
  if (node.shapes < 0 && node.sequence < 0) return;
  if (event.facts < 0) {
    event.facts = static_cast<std::int32_t>(trace_.operations.size());
    trace_.operations.emplace_back();
  }
  RecordedOperation& facts = trace_.operations[static_cast<std::size_t>(event.facts)];
  if (facts.sequence < 0) facts.sequence = node.sequence;
  if (facts.forward_thread < 0) facts.forward_thread = node.forward_thread;
  if (facts.shapes >= 0 || node.shapes < 0) return;
  facts.shapes = name(node.shapes);
  facts.types = name(node.types);
  ++report_.shapes;
}

void Joining::add_communication(TraceEvent& event, const ExecutionNode& node) {
  if (node.communication < 0) return;
  RecordedCommunication told =
      execution_.communications[static_cast<std::size_t>(node.communication)];
  if (told.group >= 0) told.group = groups_[static_cast<std::size_t>(told.group)];
  if (event.facts < 0) {
    event.facts = static_cast<std::int32_t>(trace_.communications.size());
    trace_.communications.push_back(std::move(told));
    ++report_.communications;
  } else if (add_facts(trace_.communications[static_cast<std::size_t>(event.facts)], told)) {
    ++report_.communications;
  }
  operations_.push_back(static_cast<std::int32_t>(&event - trace_.events.data()));
}

std::int32_t Joining::name(std::int32_t index) {
  const std::string& text = execution_.names[static_cast<std::size_t>(index)];
  const auto [found, is_new] = names_.emplace(text, static_cast<std::int32_t>(trace_.names.size()));
  if (is_new) trace_.names.push_back(text);
  return found->second;
}

void Joining::add_to_kernel(std::int32_t kernel, const RecordedCommunication& told) {
  const std::int32_t facts = trace_.events[static_cast<std::size_t>(kernel)].facts;
  if (add_facts(trace_.communications[static_cast<std::size_t>(facts)], told))
    ++report_.communications;
}

// A kernel was asked for by the operation in which it was launched.
void Joining::add_to_kernels() {
  std::unordered_map<std::int64_t, std::int32_t> kernels;
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    const TraceEvent& event = trace_.events[i];
    if (event.kind == EventKind::kernel && event.facts >= 0 && event.correlation >= 0)
      kernels.emplace(event.correlation, static_cast<std::int32_t>(i));
  }
  auto operation = operations_.begin();
  const auto at = [&] { return trace_.events[static_cast<std::size_t>(*operation)]; };
  for (std::size_t i = 0; i < trace_.events.size() && operation != operations_.end(); ++i) {
    const TraceEvent& launch = trace_.events[i];
    if (launch.kind != EventKind::launch || launch.correlation < 0) continue;
    const auto kernel = kernels.find(launch.correlation);
    if (kernel == kernels.end()) continue;
    // Both are in order of row and start.
    while (operation != operations_.end() &&
           std::pair(at().row, at().end()) < std::pair(launch.row, launch.start))
      ++operation;
    if (operation == operations_.end()) return;
    if (at().row != launch.row || at().start > launch.start) continue;
    const RecordedCommunication told = trace_.communications[static_cast<std::size_t>(at().facts)];
    add_to_kernel(kernel->second, told);
  }
}

void Joining::count_unmatched(const std::vector<std::int32_t>& event_of) {
  constexpr std::size_t most_names = 20;
  std::map<std::int32_t, std::int64_t> counts;
  for (std::size_t i = 0; i < event_of.size(); ++i)
    if (event_of[i] < 0 && execution_.nodes[i].record >= 0) ++counts[execution_.nodes[i].name];
  for (const auto& [name, count] : counts)
    report_.unmatched.push_back({execution_.names[static_cast<std::size_t>(name)], count});
  std::stable_sort(
      report_.unmatched.begin(), report_.unmatched.end(),
      [](const LeftOut& left, const LeftOut& right) { return left.count > right.count; });
  if (report_.unmatched.size() > most_names) report_.unmatched.resize(most_names);
}

}  // namespace

JoinedTraces join(RankTrace& trace, const ExecutionTrace& execution) {
  return Joining(trace, execution).joined();
}

}  // namespace quintet
