#include <sstream>

#include "sim/timeline/chrome_trace.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Timeline> timeline = parse_chrome_trace(fuzz::text_of(data, size), "input");
  fuzz::require_place(timeline);
  if (!timeline) return 0;
  std::ostringstream written;
  write_chrome_trace(written, *timeline);
  const Result<Timeline> again = parse_chrome_trace(written.str(), "written");
  fuzz::require(again && *again == *timeline, "a trace written and read again is equal");
  return 0;
}
