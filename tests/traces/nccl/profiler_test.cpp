#include "traces/nccl/profiler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace quintet {
namespace {

std::string event(const char* name, const char* category, char phase, double time,
                  const std::string& arguments = "") {
  return fmt::format(
      R"({{"name": "{}", "cat": "{}", "ph": "{}", "id": 0, "pid": 7, "tid": 1, "ts": {:.6f}{}}},)"
      "\n",
      name, category, phase, time, arguments.empty() ? "" : ", \"args\": {" + arguments + "}");
}

const std::string collective =
    R"("SeqNum": 3, "CommHash": 18446744073709551615, "Rank": 1, "Count": 256, "Datatype": "ncclFloat32", "Algorithm": "RING", "Protocol": "LL", "nChannels": 2)";

// As the plugin nests it: group, call, collective, a kernel's channel with its proxy's steps.
std::string one_collective() {
  return "[\n" + event("Group API", "GROUP_API", 'b', 10, "\"groupApiId\": 1") +
         event("KernelLaunch", "KERNEL_LAUNCH", 'b', 14) +
         event("KernelLaunch", "KERNEL_LAUNCH", 'e', 15) +
         event("AllGather", "COLL_API", 'b', 11, R"("count": 256, "Stream": "0x1f")") +
         event("AllGather", "COLL", 'b', 12, collective) +
         event("KernelCh", "GPU", 'b', 20, "\"Channel\": 0") +
         event("ScheduleSend", "PROXY", 'b', 21) + event("ScheduleSend", "PROXY", 'e', 22) +
         event("KernelCh", "GPU", 'e', 30.5) + event("KernelCh", "GPU", 'b', 21) +
         event("KernelCh", "GPU", 'e', 32.25) + event("AllGather", "COLL", 'e', 50) +
         event("AllGather", "COLL_API", 'e', 13) + event("Group API", "GROUP_API", 'e', 16);
}

TEST(NcclProfiler, ACollectiveLastsAsItsKernelsDo) {
  EXPECT_TRUE(is_nccl_profile(one_collective()));
  const auto traces = parse_nccl_profile(one_collective(), "x");  // the list is never closed
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 1u);
  const RankTrace& trace = traces->front();
  std::vector<std::string> seen;
  for (const TraceEvent& each : trace.events)
    seen.push_back(fmt::format("{} {} {}+{} of {}", name_of(each.kind),
                               trace.names[static_cast<std::size_t>(each.name)], each.start,
                               each.time, each.correlation));
  EXPECT_EQ(seen, (std::vector<std::string>{
                      "annotation Group API 10000+6000 of -1", "launch AllGather 11000+2000 of 1",
                      "call KernelLaunch 14000+1000 of -1", "kernel AllGather 20000+12250 of 1"}));
  EXPECT_EQ(trace.rows[static_cast<std::size_t>(trace.events.back().row)],
            (RecordedRow{RecordedRow::Kind::stream, -1, 0x1f, "stream 0x1f"}));
  ASSERT_EQ(trace.communications.size(), 1u);
  const RecordedCommunication& facts = trace.communications[0];
  EXPECT_EQ(facts.kind, CommunicationKind::all_gather);
  EXPECT_EQ(facts.type, DataType::fp32);
  EXPECT_EQ(facts.elements_in, 256);
  EXPECT_EQ(facts.size, Bytes{-1});  // of how many ranks, one file does not say
  EXPECT_EQ(facts.detail, "RING LL, 2 channels");
  EXPECT_EQ(trace.groups[0], (ProcessGroup{"0xffffffffffffffff", "rank 1", {}, 0}));
  EXPECT_EQ(trace.left_out, (std::vector<LeftOut>{{"steps of NCCL's proxies and networks", 1}}));
}

TEST(NcclProfiler, WithoutKernelsItLastsFromBeingEnqueued) {
  const auto traces = parse_nccl_profile(
      "[" +
          event("Send", "P2P", 'b', 1,
                R"("CommHash": 5, "Rank": 0, "Peer": 3, "Count": 8, "Datatype": "ncclInt8")") +
          event("Send", "P2P", 'e', 9) + "]",
      "x");
  ASSERT_TRUE(traces) << traces.error().text();
  const RankTrace& trace = traces->front();
  ASSERT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(trace.events[0].time, 8000);
  EXPECT_EQ(trace.communications[0].size, Bytes{8});
  EXPECT_EQ(trace.communications[0].detail, "peer 3 of its group");
  EXPECT_EQ(trace.left_out.size(), 1u);
}

TEST(NcclProfiler, CountsWhatDoesNotPair) {
  const auto traces = parse_nccl_profile(
      one_collective() + event("AllReduce", "COLL", 'e', 60) + event("Reduce", "COLL", 'b', 61) +
          event("Reduce", "COLL", 'b', 62) + event("Reduce", "COLL", 'e', 3) +
          event("Nap", "SLEEP", 'b', 5) + event("Group", "GROUP", 'X', 5),
      "x");
  ASSERT_TRUE(traces) << traces.error().text();
  std::vector<std::string> left_out;
  for (const LeftOut& each : traces->front().left_out) left_out.push_back(each.what);
  EXPECT_EQ(left_out,
            (std::vector<std::string>{
                "ends of events that did not begin", "events of category SLEEP",
                "events of phase X", "events that did not end", "events that end before they start",
                "instants of kernels (communications without them last from being enqueued on)",
                "steps of NCCL's proxies and networks"}));
}

TEST(NcclProfiler, NamesTheLineOfWhatIsWrong) {
  const auto error = [](const std::string& text) {
    const auto traces = parse_nccl_profile(text, "x");
    return traces ? "none" : traces.error().text();
  };
  const std::string whole = one_collective();
  EXPECT_NE(error(whole.substr(0, whole.size() - 10))
                .find("x: line 15: the event that begins here "
                      "is cut off"),
            std::string::npos)
      << error(whole.substr(0, whole.size() - 10));
  EXPECT_NE(error("[\nAllReduce").find("x: line 2: expected an event"), std::string::npos);
  EXPECT_NE(error("[]").find("holds no collective"), std::string::npos);
  EXPECT_NE(error(event("AllGather", "COLL", 'b', 1e300)).find("ts: expected microseconds"),
            std::string::npos);
  std::string many;
  for (int i = 0; i < 100; ++i) many += event("Group", "GROUP", 'b', i);
  EXPECT_NE(error(many).find("more than 64"), std::string::npos);
}

TEST(NcclProfiler, OtherChromeTracesAreNotItsOwn) {
  EXPECT_FALSE(is_nccl_profile(R"({"traceEvents": [{"ph": "X", "cat": "kernel"}]})"));
  EXPECT_FALSE(is_nccl_profile(R"([{"ph": "b", "cat": "blink"}])"));
  EXPECT_FALSE(is_nccl_profile(""));
}

}  // namespace
}  // namespace quintet
