#include <string>

#include "tests/fuzz/fuzz_input.h"
#include "traces/nsight/nsight.h"

using namespace quintet;

namespace {

void read(const std::string& bytes) {
  const auto traces = parse_nsight(bytes, "input");
  fuzz::require_place(traces);
  if (!traces) return;
  for (const RankTrace& trace : *traces) {
    fuzz::require(!trace.events.empty(), "a trace has events");
    for (const TraceEvent& event : trace.events) {
      fuzz::require(event.time >= 0 && event.end() >= event.start, "events end after they start");
      fuzz::require(static_cast<std::size_t>(event.name) < trace.names.size() &&
                        static_cast<std::size_t>(event.row) < trace.rows.size(),
                    "events have a name and a row");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes = fuzz::text_of(data, size);
  read(bytes);
  // Without the number of pages, by which a file of another length is refused at once.
  if (bytes.size() < 100) return 0;
  bytes[92] = static_cast<char>(bytes[24] ^ 1);
  bytes.resize((bytes.size() + 511) / 512 * 512);
  read(bytes);
  return 0;
}
