#include "tests/fuzz/fuzz_input.h"
#include "traces/pytorch_et/execution_trace.h"
#include "traces/pytorch_et/join.h"

using namespace quintet;

// A trace that has some of the nodes' names and numbers, whatever the nodes are.
static RankTrace trace_of(const ExecutionTrace& execution) {
  RankTrace trace;
  trace.names = execution.names;
  trace.rows = {{RecordedRow::Kind::thread, -1, 1, "thread 1"}};
  for (std::size_t i = 0; i < execution.nodes.size(); i += 2)
    trace.events.push_back({.start = static_cast<std::int64_t>(i),
                            .time = 1,
                            .external = execution.nodes[i].record,
                            .name = execution.nodes[i].name,
                            .kind = EventKind::operation});
  return trace;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  is_execution_trace(text.substr(0, 4096));
  const Result<ExecutionTrace> execution = parse_execution_trace(text, "input");
  fuzz::require_place(execution);
  if (!execution) return 0;
  RankTrace trace = trace_of(*execution);
  const JoinedTraces joined = join(trace, *execution);
  fuzz::require(joined.matched <= joined.nodes && joined.matched <= joined.operations,
                "no more match than there are");
  for (const RecordedOperation& facts : trace.operations)
    fuzz::require(facts.shapes < static_cast<std::int32_t>(trace.names.size()) &&
                      facts.types < static_cast<std::int32_t>(trace.names.size()),
                  "shapes and types are there");
  for (const RecordedCommunication& facts : trace.communications)
    fuzz::require(facts.group < static_cast<std::int32_t>(trace.groups.size()), "groups are there");
  return 0;
}
