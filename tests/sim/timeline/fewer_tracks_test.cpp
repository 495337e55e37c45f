#include "sim/timeline/chrome_trace/chrome_trace.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

// `tracks` tracks of two spans each; the span's layer says whose it is.
Timeline wide(std::int32_t tracks) {
  Timeline timeline;
  timeline.lanes = {"compute"};
  timeline.infos.resize(1);
  for (std::int32_t track = 0; track < tracks; ++track) {
    timeline.tracks.push_back({Rank{10 * track}, 1, track, "stage"});
    for (int time = 0; time < 2; ++time) {
      Span span;
      span.track = track;
      span.layer = track;
      span.end = {1};
      timeline.spans.push_back(span);
    }
    timeline.host_gaps.push_back({track, {0}, {1}});
  }
  return timeline;
}

std::vector<int> ranks_of(const Timeline& timeline) {
  std::vector<int> ranks;
  for (const Track& track : timeline.tracks) ranks.push_back(track.rank.value);
  return ranks;
}

TEST(FewerTracks, ChangesNothingThatFits) {
  EXPECT_EQ(wide(9), with_fewer_tracks(wide(9), 18));
}

// 9 tracks of 2 spans, room for 7 spans: 3 tracks, evenly 0, 4, 8.
TEST(FewerTracks, KeepsFirstLastAndEvenlyBetween) {
  const Timeline fewer = with_fewer_tracks(wide(9), 7);
  EXPECT_EQ((std::vector<int>{0, 40, 80}), ranks_of(fewer));
  ASSERT_EQ(6U, fewer.spans.size());
  for (const Span& span : fewer.spans) EXPECT_EQ(4 * span.track, span.layer);
  EXPECT_EQ(3U, fewer.host_gaps.size());
}

// The time on the CPU says whose it is, too.
TEST(FewerTracks, KeepsEachSpansTimeOnTheCpu) {
  Timeline timeline = wide(9);
  for (const Span& span : timeline.spans) timeline.cpu.push_back({span.layer});
  EXPECT_EQ((std::vector<Duration>{{0}, {0}, {4}, {4}, {8}, {8}}),
            with_fewer_tracks(timeline, 7).cpu);
}

TEST(FewerTracks, KeepsEachSpansNote) {
  Timeline timeline = wide(9);
  for (const Span& span : timeline.spans) timeline.notes.push_back(std::to_string(span.layer));
  EXPECT_EQ((std::vector<std::string>{"0", "0", "4", "4", "8", "8"}),
            with_fewer_tracks(timeline, 7).notes);
}

TEST(FewerTracks, KeepsTwoEvenWhenNeitherFits) {
  EXPECT_EQ((std::vector<int>{0, 80}), ranks_of(with_fewer_tracks(wide(9), 1)));
}

}  // namespace
}  // namespace quintet
