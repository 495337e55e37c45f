#include "traces/csv/timeline_csv.h"

#include <gtest/gtest.h>

#include <charconv>
#include <sstream>

#include "sim/base/csv.h"
#include "tests/support/sample_step.h"

namespace quintet {
namespace {

std::string written(const Timeline& timeline) {
  std::ostringstream out;
  write_timeline_csv(out, timeline);
  return out.str();
}

TEST(TimelineCsv, HasALinePerSpanWithExactInstants) {
  Timeline timeline = small_world(10);
  timeline.lanes[0] = "compute, \"fast\"";
  timeline.infos[0].name = "line\nend";
  const std::int32_t track = add_track(timeline, 2);
  timeline.tracks[0].host = "node-1";
  add_span(timeline, track, On::forward, -1, 1'000'000'000'001).layer = 3;
  Span& sent = add_span(timeline, track, On::send, 1'500'000, 2'000'001, 3'000'000);
  sent.micro_batch = 4, sent.bucket = 5;
  EXPECT_EQ(
      written(timeline),
      "rank,host,stage,lane,name,kind,phase,axis,bytes,layer,micro_batch,bucket,start_us,"
      "moving_us,end_us\n"
      "0,node-1,2,\"compute, \"\"fast\"\"\",\"line\nend\",compute,forward,,,3,,,-0.000001,"
      "-0.000001,1000000.000001\n"
      "0,node-1,2,send,send activation,send,,pipeline,4096,,4,5,1.500000,2.000001,3.000000\n");
}

std::int64_t picoseconds(const std::string& cell) {
  std::string digits = cell;
  digits.erase(digits.find('.'), 1);
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

TEST(TimelineCsv, AnyTimelineReadsBackExactly) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const Timeline timeline = random_timeline(seed, {.end = 3'000'000'000'000'000'000});
    const auto rows = parse_csv(written(timeline), "x.csv");
    ASSERT_TRUE(rows) << rows.error().text();
    ASSERT_EQ(rows->size(), timeline.spans.size() + 1);
    for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
      const std::vector<std::string>& cells = (*rows)[i + 1].cells;
      const Span& span = timeline.spans[i];
      ASSERT_EQ(cells.size(), 15u);
      EXPECT_EQ(picoseconds(cells[12]), span.start.picoseconds);
      EXPECT_EQ(picoseconds(cells[13]), span.moving.picoseconds);
      EXPECT_EQ(picoseconds(cells[14]), span.end.picoseconds);
      EXPECT_EQ(cells[1], timeline.tracks[static_cast<std::size_t>(span.track)].host);
      EXPECT_EQ(cells[4], timeline.infos[static_cast<std::size_t>(span.info)].name);
      EXPECT_EQ(cells[9], span.layer < 0 ? "" : std::to_string(span.layer));
    }
  }
}

}  // namespace
}  // namespace quintet
