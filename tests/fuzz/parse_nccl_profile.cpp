#include "tests/fuzz/fuzz_input.h"
#include "traces/nccl/profiler.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto traces = parse_nccl_profile(fuzz::text_of(data, size), "input");
  fuzz::require_place(traces);
  if (!traces) return 0;
  for (const RankTrace& trace : *traces) {
    fuzz::require(!trace.communications.empty(), "a trace has communications");
    for (const TraceEvent& event : trace.events)
      fuzz::require(event.time >= 0 && event.end() >= event.start, "events end after they start");
  }
  return 0;
}
