#include "tests/fuzz/fuzz_input.h"
#include "traces/nccl/inspector.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto traces = parse_nccl_inspector(fuzz::text_of(data, size), "input");
  fuzz::require_place(traces);
  if (!traces) return 0;
  for (const RankTrace& trace : *traces)
    for (const TraceEvent& event : trace.events)
      fuzz::require(event.start >= 0 && event.time >= 0 && event.end() >= event.start,
                    "events count from the first and end after they start");
  return 0;
}
