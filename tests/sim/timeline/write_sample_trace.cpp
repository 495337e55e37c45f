// Writes the trace that check_trace.py looks at: the sample step, or a random one of a given seed
// whose lanes overlap.
#include <cstdlib>
#include <iostream>
#include <string>

#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "tests/support/sample_step.h"

int main(int count, char** words) {
  using namespace quintet;
  const std::string seed = count > 1 ? words[1] : "";
  const RandomSize size{.tracks = 6, .spans_per_track = 300, .end = 1'000'000'000};
  const Timeline timeline =
      seed.empty() ? sample_step()
                   : random_timeline(static_cast<std::uint32_t>(std::stoul(seed)), size);
  write_chrome_trace(std::cout, timeline);
  return std::cout ? EXIT_SUCCESS : EXIT_FAILURE;
}
