// A small step with everything a trace can show: two stages, waiting, an arrow, a launch gap, and
// spans of one lane that overlap.
#pragma once

#include "tests/support/timelines.h"

namespace quintet {

inline Timeline sample_step() {
  Timeline timeline = small_world(60'000'000'000);
  timeline.name = "sample \"step\"\n\t\xc3\xa9";
  timeline.infos[static_cast<std::size_t>(On::tensor_all_reduce)].detail =
      "ring LL128, 16 channels";
  timeline.infos[static_cast<std::size_t>(On::send)].size = {16777216.5};
  const std::int32_t first = add_track(timeline, 0, 256);
  const std::int32_t last = add_track(timeline, 1);
  add_span(timeline, first, On::forward, 0, 10'000'000'001).layer = 3;
  add_span(timeline, first, On::tensor_all_reduce, 1, 1'234'567, 2'000'000'000).micro_batch = 2;
  add_span(timeline, first, On::tensor_all_reduce, 1'000'000'000, 3'000'000'000).chunk = 1;
  add_span(timeline, first, On::send, 10'000'000'001, 10'500'000'000, 12'000'000'000).flow = 7;
  add_span(timeline, first, On::data_all_reduce, 20'000'000'000, 30'000'000'000).bucket = 4;
  add_span(timeline, last, On::host_work, 0, 5'000);
  add_span(timeline, last, On::receive, 0, 10'500'000'000, 12'000'000'000).flow = 7;
  add_span(timeline, last, On::forward, 12'000'000'000, 22'000'000'000);
  add_span(timeline, last, On::copy, 22'000'000'000, 22'000'000'000);
  timeline.host_gaps = {{last, {22'000'000'000}, {22'000'001'000}}};
  return timeline;
}

}  // namespace quintet
