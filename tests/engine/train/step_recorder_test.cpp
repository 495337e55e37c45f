#include "engine/train/step_recorder.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

// Rank 0 sends from 10 to 11 us, rank 1 has it at `received`; the clocks may be 1 us apart.
Timeline one_message(std::int64_t received) {
  constexpr std::int64_t microsecond = 1000000;
  Timeline timeline;
  timeline.tracks = {{Rank{0}}, {Rank{1}}};
  timeline.infos.resize(2);
  timeline.infos[0].kind = SpanKind::send;
  timeline.infos[1].kind = SpanKind::receive;
  const auto span = [&](std::int32_t at, std::int64_t start, std::int64_t end) {
    Span made;
    made.track = made.info = at;
    made.flow = 0;
    made.start.picoseconds = start * microsecond;
    made.end.picoseconds = end * microsecond;
    return made;
  };
  timeline.spans = {span(0, 10, 11), span(1, 1, received)};
  timeline.measurement.emplace();
  timeline.measurement->clock_bound = {microsecond};
  return timeline;
}

TEST(StepRecorder, DoubtsATimelineWhoseMessagesArriveBeforeTheyAreSent) {
  const std::vector<std::string> expected{
      "Timeline of the median of 3 steps: t.json (open it in ui.perfetto.dev)",
      "Doubt the timeline: 1 messages arrive before they are sent: the ranks' clocks are further "
      "apart than the 1.0 us that were measured; the worst goes from rank 0 to rank 1, 4.0 us too "
      "early."};
  EXPECT_EQ(said_of(one_message(6), 3, "t.json"), expected);
  EXPECT_EQ(said_of(one_message(12), 3, "t.json"), std::vector{expected.front()});
}

}  // namespace
}  // namespace quintet::engine
