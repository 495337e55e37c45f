#include "traces/nccl/inspector.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace quintet {
namespace {

const std::string samples = QUINTET_SOURCE_DIR "/../shared/samples/nccl-inspector/";

std::string line(int pid, int rank, const std::string& kind, int number, std::int64_t bytes,
                 std::int64_t written, std::int64_t took) {
  return fmt::format(
      R"({{"header":{{"id":"0xab","rank":{},"n_ranks":2,"nnodes":1,"comm_name":"DP"}},"metadata":{{"inspector_output_format_version":"v4.0","dump_timestamp_us":{},"hostname":"h","pid":{}}},"coll_perf":{{"coll":"{}","coll_sn":{},"coll_msg_size_bytes":{},"coll_exec_time_us":{},"coll_algobw_gbs":1,"coll_busbw_gbs":1}}}})"
      "\n",
      rank, written, pid, kind, number, bytes, took);
}

TEST(NcclInspector, ReadsThePluginsOwnExamples) {
  if (!std::filesystem::exists(samples))
    GTEST_SKIP() << "NO SAMPLES at " << samples << ": NCCL Inspector's examples are NOT tested";
  const auto traces = read_nccl_inspector(samples + "readme_coll_perf.jsonl");
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 2u);  // of two processes, by their ids
  const RankTrace& traced = (*traces)[0];
  const RankTrace& dated = (*traces)[1];

  // 16 GiB all-reduced in 61974 us, written down at 1748030377748202 us.
  ASSERT_EQ(dated.events.size(), 1u);
  EXPECT_EQ(dated.events[0].time, 61974000);
  EXPECT_EQ(dated.zero_nanoseconds + dated.events[0].end(), 1748030377748202000);
  EXPECT_EQ(dated.communications[0].kind, CommunicationKind::all_reduce);
  EXPECT_EQ(dated.communications[0].size, Bytes{17179869184});
  EXPECT_EQ(dated.groups[0],
            (ProcessGroup{.name = "0x7f8c496ae9f661", .description = "rank 2 of 8", .size = 8}));
  EXPECT_EQ(dated.left_out.size(), 1u);
  EXPECT_EQ(dated.host, "example-hostname");

  // Its kernel ran from ...235181 to ...275811 us, 40630 us; the call took 5 us before it.
  ASSERT_EQ(traced.events.size(), 2u);
  EXPECT_EQ(traced.events[0].kind, EventKind::kernel);
  EXPECT_EQ(traced.events[0].time, 40630000);
  EXPECT_EQ(traced.zero_nanoseconds + traced.events[0].start, 1752867229235181000);
  EXPECT_EQ(traced.events[1].kind, EventKind::launch);
  EXPECT_EQ(traced.events[1].start, 0);
  EXPECT_EQ(traced.events[1].time, 5000);
  EXPECT_EQ(traced.events[1].correlation, traced.events[0].correlation);
  // What each of 8 ranks gets is 2 GiB; the line's own figures say so: 8 * 2 GiB in 41057 us are
  // 418.44 GB/s, its coll_algobw_gbs.
  EXPECT_EQ(traced.communications[0].kind, CommunicationKind::reduce_scatter);
  EXPECT_EQ(traced.communications[0].size, Bytes{8 * 2147483648.0});
  EXPECT_TRUE(traced.left_out.empty());
}

TEST(NcclInspector, RefusesFiguresForPrometheusAndSaysHowToRecordLines) {
  const std::string text =
      "nccl_bus_bandwidth_gbs{version=\"v5.1\",collective=\"AllReduce\"} 678.263\n";
  EXPECT_TRUE(is_nccl_prometheus(text));
  EXPECT_FALSE(is_nccl_inspector(text));
  const auto traces = parse_nccl_inspector(text, "x.prom");
  ASSERT_FALSE(traces);
  EXPECT_EQ(traces.error().where, "x.prom: line 1");
  EXPECT_NE(traces.error().what.find("NCCL_INSPECTOR_PROM_DUMP=0"), std::string::npos);
  if (!std::filesystem::exists(samples)) return;
  EXPECT_FALSE(read_nccl_inspector(samples + "readme_prometheus.prom"));
}

// Two lines are written at 1000 us, of 100 and 50 us: the first ended when the second started.
TEST(NcclInspector, WhatIsWrittenTogetherFollowsOneAnother) {
  const auto traces = parse_nccl_inspector(
      line(1, 0, "AllReduce", 5, 64, 1000, 100) + line(1, 0, "AllGather", 7, 64, 1000, 50), "x");
  ASSERT_TRUE(traces) << traces.error().text();
  const RankTrace& trace = traces->front();
  EXPECT_EQ(trace.zero_nanoseconds, 850000);
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[0].end(), 100000);
  EXPECT_EQ(trace.events[1].start, 100000);
  EXPECT_EQ(trace.rows,
            (std::vector<RecordedRow>{{RecordedRow::Kind::stream, -1, 0, "communicator 0xab"}}));
  EXPECT_NE(trace.communications[0].sequence, trace.communications[1].sequence);
  EXPECT_EQ(trace.left_out[0].count, 2);
}

TEST(NcclInspector, ProcessesOfOneCommunicatorAgreeOnRanks) {
  const auto traces = parse_nccl_inspector(
      line(20, 0, "AllReduce", 5, 64, 1000, 100) + "\n" + line(10, 1, "AllReduce", 5, 64, 990, 90),
      "x");
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 2u);
  EXPECT_EQ((*traces)[0].rank, 1);  // process 10
  EXPECT_EQ((*traces)[1].rank, 0);
  EXPECT_EQ((*traces)[0].world_size, 2);
  EXPECT_EQ((*traces)[0].groups[0],
            (ProcessGroup{"0xab", "DP, rank 1 of 2", std::vector<int>{0, 1}, 2}));
  EXPECT_EQ((*traces)[0].communications[0].sequence, (*traces)[1].communications[0].sequence);
}

TEST(NcclInspector, MessagesKnowTheirPeer) {
  const auto message = [](int pid, int rank, const char* kind, int peer) {
    return fmt::format(
        R"({{"header":{{"id":"0xab","rank":{},"n_ranks":2}},"metadata":{{"dump_timestamp_us":500,"hostname":"h","pid":{}}},"p2p_perf":{{"p2p":"{}","p2p_sn":3,"p2p_peer":{},"p2p_msg_size_bytes":4096,"p2p_exec_time_us":12.5}}}})"
        "\n",
        rank, pid, kind, peer);
  };
  const auto traces =
      parse_nccl_inspector(message(1, 0, "Send", 1) + message(2, 1, "Recv", 0), "x");
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 2u);
  EXPECT_EQ((*traces)[0].communications[0].kind, CommunicationKind::send);
  EXPECT_EQ((*traces)[0].communications[0].peer, 1);
  EXPECT_EQ((*traces)[0].events[0].time, 12500);
  EXPECT_EQ((*traces)[1].communications[0].kind, CommunicationKind::receive);
  EXPECT_EQ((*traces)[1].communications[0].peer, 0);
}

TEST(NcclInspector, NamesLineAndFieldOfWhatIsWrong) {
  const std::string good = line(1, 0, "AllReduce", 5, 64, 1000, 100);
  const auto error = [](const std::string& text) {
    const auto traces = parse_nccl_inspector(text, "x");
    return traces ? "none" : traces.error().text();
  };
  std::string negative = good;
  negative.replace(negative.find(":64"), 3, ":-4");
  EXPECT_EQ(error(good + negative),
            "x: line 2: coll_perf.coll_msg_size_bytes: expected an integer from 0 to "
            "1152921504606846976, found -4");
  EXPECT_NE(error(good + good.substr(0, 40)).find("x: line 2: is no JSON"), std::string::npos);
  EXPECT_NE(error("[1]").find("expected an object"), std::string::npos);
  EXPECT_NE(error("").find("holds no communication"), std::string::npos);
  EXPECT_NE(error(std::string(100000, '[')).find("is no JSON"), std::string::npos);
}

TEST(NcclInspector, IsToldByItsFields) {
  EXPECT_TRUE(is_nccl_inspector(line(1, 0, "AllReduce", 5, 64, 1000, 100)));
  EXPECT_FALSE(is_nccl_inspector("{\"traceEvents\": []}"));
  EXPECT_FALSE(is_nccl_inspector(""));
}

}  // namespace
}  // namespace quintet
