#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/sample_step.h"
#include "traces/perfetto/perfetto.h"

namespace quintet {
namespace {

std::string written(const Timeline& timeline) {
  std::ostringstream out;
  write_perfetto(out, timeline);
  return out.str();
}

std::int64_t floor_nanoseconds(Instant instant) {
  return (instant.picoseconds - ((instant.picoseconds % 1000) + 1000) % 1000) / 1000;
}

// Name, beginning and end of all that is drawn of a rank, in order.
using Drawn = std::multimap<std::pair<std::int64_t, std::string>, std::int64_t>;

Drawn drawn_of(const Timeline& timeline, std::int32_t track) {
  Drawn drawn;
  for (const Span& span : timeline.spans)
    if (span.track == track)
      drawn.emplace(std::pair(floor_nanoseconds(span.start),
                              timeline.infos[static_cast<std::size_t>(span.info)].name),
                    floor_nanoseconds(span.end));
  for (const HostGap& gap : timeline.host_gaps)
    if (gap.track == track)
      drawn.emplace(std::pair(floor_nanoseconds(gap.start), std::string("launch late")),
                    floor_nanoseconds(gap.end));
  return drawn;
}

Drawn drawn_of(const RankTrace& trace) {
  Drawn drawn;
  for (const TraceEvent& event : trace.events)
    drawn.emplace(std::pair(event.start + trace.zero_nanoseconds,
                            trace.names[static_cast<std::size_t>(event.name)]),
                  event.end() + trace.zero_nanoseconds);
  return drawn;
}

TEST(PerfettoWriter, WhatItWritesReadsBackWithNamesInstantsAndRows) {
  const Timeline timeline = sample_step();
  const std::string file = written(timeline);
  EXPECT_TRUE(is_perfetto(file.substr(0, 4096)));
  const auto traces = parse_perfetto(file, "x");
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 2u);
  EXPECT_EQ((*traces)[0].rank, 0);
  EXPECT_EQ((*traces)[1].rank, 8);  // the second track's, as small_world numbers them
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(drawn_of((*traces)[i]), drawn_of(timeline, static_cast<std::int32_t>(i)));
    EXPECT_TRUE((*traces)[i].left_out.empty());
  }
  std::vector<std::string> rows;
  for (const RecordedRow& row : (*traces)[0].rows)
    rows.push_back(fmt::format("{} {}", row.kind == RecordedRow::Kind::stream ? "stream" : "thread",
                               row.name));
  // The second all-reduce overlaps the first.
  EXPECT_EQ(rows, (std::vector<std::string>{"stream compute", "stream tensor", "stream tensor (2)",
                                            "stream send", "stream gradients"}));
  EXPECT_EQ((*traces)[1].rows.size(), 5u);  // host, receive, compute, copy, launch gaps
}

TEST(PerfettoWriter, CommunicationKeepsItsKindSizeAndAxis) {
  const auto traces = parse_perfetto(written(sample_step()), "x");
  ASSERT_TRUE(traces);
  const RankTrace& trace = traces->front();
  ASSERT_EQ(trace.communications.size(), 4u);
  const RecordedCommunication& first = trace.communications[0];
  EXPECT_EQ(first.kind, CommunicationKind::all_reduce);
  EXPECT_EQ(first.size, Bytes{4096});
  EXPECT_EQ(first.detail, "ring LL128, 16 channels");
  EXPECT_EQ(trace.groups[static_cast<std::size_t>(first.group)].name, "tensor");
}

TEST(PerfettoWriter, AnyTimelineReadsBack) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Timeline timeline = random_timeline(seed, {.end = 1'000'000});
    const auto traces = parse_perfetto(written(timeline), "x");
    ASSERT_TRUE(traces) << traces.error().text();
    ASSERT_EQ(traces->size(), timeline.tracks.size());
    for (std::size_t i = 0; i < traces->size(); ++i) {
      EXPECT_EQ(drawn_of((*traces)[i]), drawn_of(timeline, static_cast<std::int32_t>(i))) << seed;
      EXPECT_TRUE((*traces)[i].left_out.empty()) << seed;
    }
  }
}

// Picoseconds that nanoseconds do not hold, and what a span knows beside.
TEST(PerfettoWriter, ProtocDecodesWhatItWrites) {
  if (std::system("protoc --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "NO protoc: that other readers of protobuf take the file is NOT tested";
  const auto folder = std::filesystem::temp_directory_path();
  const std::string file = (folder / "quintet_sample.pftrace").string();
  const std::string text = (folder / "quintet_sample.pftxt").string();
  std::ofstream(file, std::ios::binary) << written(measured(sample_step()));
  const std::string root = QUINTET_SOURCE_DIR;
  ASSERT_EQ(std::system(fmt::format("protoc -I '{}' --decode=perfetto.protos.Trace "
                                    "'{}/traces/perfetto/perfetto_trace.proto' < '{}' > '{}'",
                                    root, root, file, text)
                            .c_str()),
            0);
  std::ifstream in(text);
  std::map<std::string, int> lines;
  std::uint64_t last = 0;
  for (std::string line; std::getline(in, line);) {
    line.erase(0, line.find_first_not_of(' '));
    ++lines[line];
    if (!line.starts_with("timestamp: ")) continue;
    const std::uint64_t time = std::stoull(line.substr(11));
    EXPECT_GE(time, last);
    last = time;
  }
  EXPECT_EQ(lines["type: TYPE_SLICE_BEGIN"], 10);  // 9 spans and a gap
  EXPECT_EQ(lines["type: TYPE_SLICE_END"], 10);
  EXPECT_EQ(lines["flow_ids: 8"], 1);  // flow 7: Perfetto has none called 0
  EXPECT_EQ(lines["terminating_flow_ids: 8"], 1);
  EXPECT_EQ(lines["int_value: 10000000001"], 2);  // in picoseconds an end and a beginning
  EXPECT_EQ(lines["timestamp: 10000000"], 2);     // in nanoseconds
  EXPECT_EQ(lines["process_name: \"rank 0 (stage 0, stands for 256 ranks)\""], 1);
  EXPECT_EQ(lines["string_value: \"2 pieces, \\\"busy\\\" 3.1 us\""], 5);
  std::filesystem::remove(file);
  std::filesystem::remove(text);
}

TEST(PerfettoWriter, AFileIsReadAsItsBytes) {
  const auto file = std::filesystem::temp_directory_path() / ("quintet_perfetto_file_" + std::to_string(getpid()) + ".pftrace");
  const std::string all = written(sample_step());
  std::ofstream(file, std::ios::binary) << all;
  std::size_t calls = 0;
  auto read = read_perfetto(file, [&](std::size_t, std::size_t) { ++calls; });
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_GT(calls, 0u);
  const auto parsed = parse_perfetto(all, file.string());
  EXPECT_EQ(*read, *parsed);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace quintet
