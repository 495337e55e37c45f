#include <sstream>

#include "sim/explain/difference/difference_report.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
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
  const Result<Difference> none = difference(*timeline, *timeline);
  if (!none) return 0;
  fuzz::require(
      none->step.difference() == Duration{} && sum(none->predicted) == none->step.predicted,
      "a trace does not differ from itself");
  difference_text({"one", "other", *timeline, *timeline, *none});
  return 0;
}
