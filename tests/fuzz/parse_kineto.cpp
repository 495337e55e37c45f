#include <algorithm>

#include "tests/fuzz/fuzz_input.h"
#include "traces/kineto/kineto_reader.h"
#include "traces/trace/overlap.h"

using namespace quintet;

namespace {

template <class Element>
bool is_index(const std::vector<Element>& all, std::int64_t index) {
  return index >= 0 && index < static_cast<std::int64_t>(all.size());
}

bool facts_are_there(const RankTrace& trace, const TraceEvent& event) {
  if (event.facts < 0) return true;
  switch (event.kind) {
    case EventKind::kernel:
      return is_index(trace.communications, event.facts);
    case EventKind::copy:
    case EventKind::fill:
      return is_index(trace.copies, event.facts);
    case EventKind::operation:
      return is_communication(trace, event) ? is_index(trace.communications, event.facts)
                                            : is_index(trace.operations, event.facts);
    case EventKind::block:
    case EventKind::call:
      return is_index(trace.waits, event.facts);
    case EventKind::launch:
    case EventKind::annotation:
    case EventKind::other:
      return false;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  is_kineto(text.substr(0, 4096));
  const Result<RankTrace> trace = parse_kineto(text, "input");
  fuzz::require_place(trace);
  if (!trace) return 0;
  for (const TraceEvent& event : trace->events) {
    fuzz::require(is_index(trace->names, event.name) && is_index(trace->rows, event.row),
                  "events have names and rows");
    fuzz::require(event.start >= 0 && event.time >= 0 && event.end() >= event.start,
                  "events begin before they end");
    fuzz::require(facts_are_there(*trace, event), "facts are there");
  }
  for (const RecordedCommunication& facts : trace->communications)
    fuzz::require(facts.group < 0 || is_index(trace->groups, facts.group), "groups are there");
  RankTrace ordered = *trace;
  put_in_order(ordered);
  fuzz::require(ordered == *trace, "events are in order");
  const CommunicationOverlap overlap = communication_overlap(*trace);
  fuzz::require(overlap.exposed >= 0 && overlap.overlapped >= 0 &&
                    overlap.exposed + overlap.overlapped == overlap.communication,
                "communication is overlapped or exposed");
  return 0;
}
