#include "tests/fuzz/fuzz_input.h"
#include "traces/perfetto/perfetto.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::text_of(data, size);
  is_perfetto(bytes);
  const auto traces = parse_perfetto(bytes, "input");
  fuzz::require_place(traces);
  if (!traces) return 0;
  for (const RankTrace& trace : *traces) {
    fuzz::require(!trace.events.empty(), "a trace has events");
    for (const TraceEvent& event : trace.events) {
      fuzz::require(event.time >= 0 && event.end() >= event.start, "slices end after they start");
      fuzz::require(static_cast<std::size_t>(event.name) < trace.names.size() &&
                        static_cast<std::size_t>(event.row) < trace.rows.size(),
                    "events have a name and a row");
    }
  }
  return 0;
}
