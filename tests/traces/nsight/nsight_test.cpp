#include "traces/nsight/nsight.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/traces/nsight/export_file.h"

namespace quintet {
namespace {

using Traces = Result<std::vector<RankTrace>>;

Traces parse(const ExportFile& file) {
  return parse_nsight(file.bytes(), "x.sqlite");
}

std::string name_of_event(const RankTrace& trace, const TraceEvent& event) {
  return trace.names[static_cast<std::size_t>(event.name)];
}

const TraceEvent& event_named(const RankTrace& trace, const std::string& name) {
  for (const TraceEvent& event : trace.events)
    if (name_of_event(trace, event) == name) return event;
  throw std::logic_error("no event " + name);
}

std::int64_t left_out(const RankTrace& trace, const std::string& what) {
  for (const LeftOut& each : trace.left_out)
    if (each.what == what) return each.count;
  return 0;
}

TEST(NsightReader, ReadsWhatRanOnStreamsAndWhoLaunchedIt) {
  const Traces traces = parse(one_process());
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 1u);
  const RankTrace& trace = traces->front();
  EXPECT_EQ(trace.format, "Nsight Systems");
  EXPECT_EQ(trace.file, "x.sqlite");
  EXPECT_EQ(trace.rank, -1);
  EXPECT_EQ(trace.host, "node-7");
  EXPECT_EQ(trace.zero_nanoseconds, 1700000000000000000);
  // CUDA's device 0 of this process is Nsight's GPU 3.
  EXPECT_EQ(trace.devices, (std::vector<TraceDevice>{{0, "NVIDIA H100 80GB HBM3"}}));
  EXPECT_EQ(trace.rows, (std::vector<RecordedRow>{
                            {RecordedRow::Kind::stream, 0, 7, "stream 7"},
                            {RecordedRow::Kind::stream, 0, 20, "stream 20"},
                            {RecordedRow::Kind::thread, -1, 101, "thread 101 (python)"}}));
  const std::vector<TraceEvent> expected{{.start = 5000,
                                          .time = 4000,
                                          .correlation = 11,
                                          .name = 0,
                                          .row = 0,
                                          .kind = EventKind::kernel},
                                         {.start = 9500,
                                          .time = 400,
                                          .correlation = 12,
                                          .name = 1,
                                          .row = 0,
                                          .facts = 0,
                                          .kind = EventKind::copy},
                                         {.start = 9900,
                                          .time = 50,
                                          .correlation = 13,
                                          .name = 2,
                                          .row = 1,
                                          .facts = 1,
                                          .kind = EventKind::fill},
                                         {.start = 1000,
                                          .time = 500,
                                          .correlation = 11,
                                          .name = 3,
                                          .row = 2,
                                          .kind = EventKind::launch},
                                         {.start = 1600,
                                          .time = 100,
                                          .correlation = 12,
                                          .name = 4,
                                          .row = 2,
                                          .kind = EventKind::launch},
                                         {.start = 1700,
                                          .time = 100,
                                          .correlation = 13,
                                          .name = 5,
                                          .row = 2,
                                          .kind = EventKind::launch}};
  EXPECT_EQ(trace.events, expected);
  EXPECT_EQ(trace.names,
            (std::vector<std::string>{"void gemm<float>(int)", "Memcpy HtoD", "Memset",
                                      "cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync"}));
  EXPECT_EQ(trace.copies,
            (std::vector<RecordedCopy>{{CopyDirection::host_to_device, Bytes{4096}},
                                       {CopyDirection::device_to_device, Bytes{512}}}));
  EXPECT_TRUE(trace.left_out.empty());
}

TEST(NsightReader, AFileGivesTheSameAsItsBytesAndTellsHowFarItIs) {
  ExportFile made = one_process();
  // 20000 ranges: progress is told every 8192 rows.
  made.sql(
      fmt::format(R"(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999)
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) SELECT i, i, 59, 'r', {} FROM n)",
                  global(100, 101)));
  const auto file = made.write("quintet 100%#?.sqlite");
  std::size_t calls = 0, last = 0;
  Traces read = read_nsight(file, [&](std::size_t done, std::size_t of) {
    ++calls;
    EXPECT_GE(done, last);
    EXPECT_LE(done, of);
    EXPECT_EQ(of, std::filesystem::file_size(file));
    last = done;
  });
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(calls, 2u);
  EXPECT_FALSE(std::filesystem::exists(file.string() + "-journal"));
  Traces parsed = parse(made);
  ASSERT_TRUE(parsed);
  read->front().file = parsed->front().file;
  EXPECT_EQ(*read, *parsed);
  EXPECT_THROW((void)read_nsight(file, [](std::size_t, std::size_t) { throw 1; }), int);
  std::filesystem::remove(file);
}

TEST(NsightReader, EachProcessIsATraceOfItsOwn) {
  ExportFile file = one_process();
  file.sql("CREATE TABLE MPI_RANKS (globalTid INTEGER, rank INTEGER)");
  file.sql(fmt::format(R"(
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (6000, 6500, 0, 1, NULL, 7, 11, {1}, 1, 2, NULL, 8);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 200, 0, {0}, 11, 3, 0, NULL);
INSERT INTO MPI_RANKS VALUES ({0}, 5), ({2}, 4);)",
                       global(200, 7), global(200), global(100, 101)));
  const Traces traces = parse(file);
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 2u);
  EXPECT_EQ((*traces)[0].events.size(), 6u);
  ASSERT_EQ((*traces)[1].events.size(), 2u);
  EXPECT_EQ((*traces)[1].events[0].time, 500);
  EXPECT_EQ((*traces)[1].events[1].kind, EventKind::launch);
  EXPECT_EQ((*traces)[0].rank, 4);
  EXPECT_EQ((*traces)[1].rank, 5);
}

TEST(NsightReader, WaitsKnowTheirStreamAndWhoRecordedTheEvent) {
  ExportFile file = one_process();
  file.sql(fmt::format(R"(
INSERT INTO StringIds VALUES (10, 'cudaEventRecord'), (11, 'cudaStreamWaitEvent_ptsz'),
  (12, 'cudaStreamSynchronize'), (13, 'cudaEventSynchronize'), (14, 'cudaDeviceSynchronize');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2000, 2010, 0, {0}, 20, 10, 0, NULL),
  (2020, 2030, 0, {0}, 21, 11, 0, NULL), (2040, 2050, 0, {0}, 22, 10, 0, NULL),
  (2060, 2100, 0, {0}, 23, 12, 0, NULL), (2110, 2200, 0, {0}, 24, 13, 0, NULL),
  (2210, 2300, 0, {0}, 25, 14, 0, NULL);
-- Event 5 is recorded twice: on stream 7 by call 20, on stream 20 by call 22.
INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 20, 22, {1}, 5), (0, 1, 7, 20, {1}, 5);
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (2020, 2030, 0, 1, 20, 21, {1}, 2, 5),
  (2060, 2100, 0, 1, 7, 23, {1}, 3, 4294967295), (2110, 2200, 0, 1, 4294967295, 24, {1}, 1, 5);)",
                       global(100, 101), global(100)));
  const Traces traces = parse(file);
  ASSERT_TRUE(traces) << traces.error().text();
  const RankTrace& trace = traces->front();
  const auto wait = [&](const char* name, EventKind kind) {
    const TraceEvent& event = event_named(trace, name);
    EXPECT_EQ(event.kind, kind) << name;
    return trace.waits.at(static_cast<std::size_t>(event.facts));
  };
  using Kind = RecordedWait::Kind;
  EXPECT_EQ(wait("cudaStreamWaitEvent_ptsz", EventKind::call),
            (RecordedWait{Kind::stream_waits_event, 20, 20, 7}));
  EXPECT_EQ(wait("cudaStreamSynchronize", EventKind::block), (RecordedWait{Kind::stream, 7}));
  EXPECT_EQ(wait("cudaEventSynchronize", EventKind::block),
            (RecordedWait{Kind::event, -1, 22, 20}));
  // Nothing in the table of waits: its name says what it waits for.
  EXPECT_EQ(wait("cudaDeviceSynchronize", EventKind::block), (RecordedWait{Kind::device}));
  EXPECT_EQ(event_named(trace, "cudaEventRecord").kind, EventKind::call);
}

TEST(NsightReader, OldSchemasWithoutProcessesBelongToTheOnlyOne) {
  ExportFile file = old_export();
  file.sql(fmt::format(R"(
INSERT INTO StringIds VALUES (0, ''), (1, 'gemm'), (2, 'cudaLaunchKernel'), (3, 'by id');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (50, 90, 1, 1, 7, 11, 1, 0);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 0, {0}, 11, 2, 0);
INSERT INTO NVTX_EVENTS VALUES (5, 30, 59, 'forward', 0, {0}), (6, 29, 59, '', 3, {0});)",
                       global(42, 43)));
  const Traces traces = parse(file);
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 1u);
  const RankTrace& trace = traces->front();
  std::vector<std::string> names;
  for (const TraceEvent& event : trace.events) names.push_back(name_of_event(trace, event));
  EXPECT_EQ(names, (std::vector<std::string>{"gemm", "forward", "by id", "cudaLaunchKernel"}));
  EXPECT_EQ(trace.events[1].kind, EventKind::annotation);
  EXPECT_EQ(trace.events[3].kind, EventKind::launch);
  EXPECT_EQ(trace.zero_nanoseconds, 0);

  file.sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 0, {}, 12, 2, 0);",
                       global(44, 45)));
  const Traces two = parse(file);
  ASSERT_FALSE(two);
  EXPECT_NE(two.error().what.find("globalPid"), std::string::npos);
}

TEST(NsightReader, RangesOfNvtxAreAnnotationsAndPyTorchsOperations) {
  ExportFile file = one_process();
  file.sql(fmt::format(R"(
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
  (900, 2000, 59, 'aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]], input_op_ids = [(6,0)]', {0}),
  (100, 200, 60, 'from here', {0}), (150, NULL, 59, 'open', {0}), (10, NULL, 34, 'mark', {0}),
  (200, 100, 59, 'backwards', {0}), (0, NULL, 75, 'NCCL', {0}), (0, 1, 99, '?', {0});)",
                       global(100, 101)));
  const Traces traces = parse(file);
  ASSERT_TRUE(traces) << traces.error().text();
  const RankTrace& trace = traces->front();
  const TraceEvent& operation = event_named(trace, "aten::mm");
  EXPECT_EQ(operation.kind, EventKind::operation);
  const RecordedOperation& facts = trace.operations.at(static_cast<std::size_t>(operation.facts));
  EXPECT_EQ(facts.sequence, 5);
  EXPECT_EQ(trace.names[static_cast<std::size_t>(facts.shapes)], "[[2, 3], [3, 4]]");
  EXPECT_EQ(event_named(trace, "from here").kind, EventKind::other);
  EXPECT_EQ(left_out(trace, "ranges of NVTX that do not end"), 1);
  EXPECT_EQ(left_out(trace, "ranges of NVTX that end before they start"), 1);
  EXPECT_EQ(left_out(trace, "marks of NVTX"), 1);
  EXPECT_EQ(left_out(trace, "rows of NVTX of another kind"), 1);
  EXPECT_EQ(trace.events.size(), 8u);
}

TEST(NsightReader, CountsTablesThatItDoesNotRead) {
  ExportFile file = one_process();
  file.sql(R"(CREATE TABLE OSRT_API (start INTEGER, end INTEGER);
INSERT INTO OSRT_API VALUES (1, 2), (2, 3), (3, 4);)");
  const Traces traces = parse(file);
  ASSERT_TRUE(traces);
  EXPECT_EQ(traces->front().left_out, (std::vector<LeftOut>{{"rows of the table OSRT_API", 3}}));
}

TEST(NsightReader, StreamsOfTwoContextsAreTwoRows) {
  ExportFile file = one_process();
  file.sql(fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 2, NULL, 7, 30, {}, 1, 2, NULL, 8)",
      global(100)));
  const Traces traces = parse(file);
  ASSERT_TRUE(traces);
  EXPECT_EQ(traces->front().rows[1].name, "stream 7 (context 2)");
}

}  // namespace
}  // namespace quintet
