// What NCCL's ranges say of the kernels that were launched in them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/traces/nsight/export_file.h"
#include "traces/nsight/nsight.h"

namespace quintet {
namespace {

std::string hex(std::uint64_t number, int bytes) {
  std::string made;
  for (int i = 0; i < bytes; ++i) made += fmt::format("{:02x}", (number >> (8 * i)) & 0xFF);
  return made;
}

// As NVTX lays it out: domain, schema, sizes; then NCCL's fields.
std::string blob(int schema, const std::string& payload) {
  const auto size = payload.size() / 2;
  return "x'" + hex(1, 8) + hex(static_cast<std::uint64_t>(schema), 8) + hex(size, 8) +
         hex(32 + size, 8) + payload + "'";
}

constexpr std::uint64_t communicator = 0xABCDEF0123456789;

class NcclFile {
 public:
  NcclFile() {
    file_.sql(R"(
INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES
  (1, 1001, 0, NULL, 18, 'NCCL communicator ID', NULL, NULL, NULL),
  (1, 1001, 1, NULL, 5, 'No. of ranks', NULL, NULL, 8), (1, 1001, 2, NULL, 5, 'Rank', NULL, NULL, 12),
  (1, 1002, 0, NULL, 18, 'NCCL communicator ID', NULL, NULL, NULL),
  (1, 1002, 1, NULL, 22, 'Message size [bytes]', NULL, NULL, 8),
  (1, 1002, 2, NULL, 5, 'Peer rank', NULL, NULL, 16);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernelExC_v11060');)");
    range(0, 1, "ncclCommInitRankConfig", blob(1001, hex(communicator, 8) + hex(4, 4) + hex(2, 4)));
  }

  void range(int start, int end, const std::string& name, const std::string& data = "NULL") {
    file_.sql(
        fmt::format("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, "
                    "binaryData) VALUES ({}, {}, 59, '{}', {}, {})",
                    start, end, name, global(1, 2), data));
  }
  void call(int start, int end, const std::string& name, std::uint64_t bytes, int peer = 0) {
    range(start, end, name,
          blob(1002,
               hex(communicator, 8) + hex(bytes, 8) + hex(static_cast<std::uint64_t>(peer), 4)));
  }
  void launch(int time, const std::string& kernel) {
    const int id = 10 + count_++;
    file_.sql(fmt::format(R"(INSERT INTO StringIds VALUES ({0}, '{1}');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({2}, {2} + 1, 0, {3}, {0}, 1, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  ({2} + 100, {2} + 150, 0, 1, NULL, 9, {0}, {4}, {0}, {0}, NULL, 1);)",
                          id, kernel, time, global(1, 2), global(1)));
  }
  RankTrace read() const {
    auto traces = parse_nsight(file_.bytes(), "x.sqlite");
    if (!traces) throw std::logic_error(traces.error().text());
    return traces->front();
  }

 private:
  ExportFile file_ = new_export();
  int count_ = 0;
};

TEST(NsightNccl, ACallGivesItsKernelSizeAndGroup) {
  NcclFile file;
  file.call(10, 30, "ncclAllGather", 1000);
  file.launch(20, "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
  file.call(40, 60, "ncclAllReduce", 4096);
  file.launch(50, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL128(ncclDevKernelArgsStorage<4096ul>)");
  const RankTrace trace = file.read();
  ASSERT_EQ(trace.communications.size(), 2u);
  EXPECT_EQ(trace.groups,
            (std::vector<ProcessGroup>{
                {.name = "0xabcdef0123456789", .description = "rank 2 of 4", .size = 4}}));
  // NCCL says what a rank gives to an all-gather: 4 of them are the full buffer.
  EXPECT_EQ(trace.communications[0], (RecordedCommunication{.kind = CommunicationKind::all_gather,
                                                            .size = Bytes{4000},
                                                            .group = 0,
                                                            .detail = "ring LL"}));
  // 4096 bytes of bf16 are 2048 elements.
  EXPECT_EQ(trace.communications[1], (RecordedCommunication{.kind = CommunicationKind::all_reduce,
                                                            .type = DataType::bf16,
                                                            .type_known = true,
                                                            .elements_in = 2048,
                                                            .elements_out = 2048,
                                                            .size = Bytes{4096},
                                                            .group = 0,
                                                            .detail = "ring LL128"}));
  for (const TraceEvent& event : trace.events)
    EXPECT_EQ(event.kind == EventKind::kernel, is_communication(trace, event));
}

TEST(NsightNccl, TheEndOfAGroupLaunchesWhatItsCallsAskedFor) {
  NcclFile file;
  file.range(10, 11, "ncclGroupStart");
  file.call(12, 13, "ncclReduceScatter", 100);
  file.call(14, 15, "ncclReduceScatter", 300);
  file.range(16, 40, "ncclGroupEnd");
  file.launch(20, "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(x)");
  file.launch(30, "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(x)");
  file.range(50, 51, "ncclGroupStart");
  file.call(52, 53, "ncclReduceScatter", 100);
  file.call(54, 55, "ncclReduceScatter", 300);
  file.range(56, 70, "ncclGroupEnd");
  file.launch(60, "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(x)");
  const RankTrace trace = file.read();
  ASSERT_EQ(trace.communications.size(), 3u);
  // One kernel a call, then one for both; four ranks, so four times what each gets.
  EXPECT_EQ(trace.communications[0].size, Bytes{400});
  EXPECT_EQ(trace.communications[1].size, Bytes{1200});
  EXPECT_EQ(trace.communications[2].size, Bytes{1600});
}

TEST(NsightNccl, AGroupOfMessagesIsOneKernel) {
  NcclFile file;
  file.range(10, 11, "ncclGroupStart");
  file.call(12, 13, "ncclSend", 100, 3);
  file.call(14, 15, "ncclRecv", 300, 1);
  file.range(16, 40, "ncclGroupEnd");
  file.launch(20, "ncclDevKernel_SendRecv(x)");
  file.range(50, 51, "ncclGroupStart");
  for (int peer = 0; peer < 4; ++peer) {
    file.call(52 + 2 * peer, 53 + 2 * peer, "ncclSend", 100, peer);
    file.call(60 + 2 * peer, 61 + 2 * peer, "ncclRecv", 100, peer);
  }
  file.range(70, 90, "ncclGroupEnd");
  file.launch(80, "ncclDevKernel_SendRecv(x)");
  file.call(100, 120, "ncclSend", 64, 3);
  file.launch(110, "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)");
  const RankTrace trace = file.read();
  ASSERT_EQ(trace.communications.size(), 3u);
  EXPECT_EQ(trace.communications[0].kind, CommunicationKind::send_and_receive);
  EXPECT_EQ(trace.communications[0].size, Bytes{300});
  // To and from each of the 4 ranks: an all-to-all of 4 * 100 bytes.
  EXPECT_EQ(trace.communications[1].kind, CommunicationKind::all_to_all);
  EXPECT_EQ(trace.communications[1].size, Bytes{400});
  EXPECT_EQ(trace.communications[2].kind, CommunicationKind::send);
  EXPECT_EQ(trace.communications[2].size, Bytes{64});
  EXPECT_EQ(trace.communications[2].detail, "peer 3 of its group");
}

TEST(NsightNccl, WithoutRangesTheKernelsNameIsWhatIsKnown) {
  NcclFile file;
  file.launch(20, "ncclKernel_AllReduce_TREE_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)");
  file.range(30, 50, "nccl:all_reduce");
  file.launch(40, "ncclDevKernel_Broadcast_RING_LL(x)");
  const RankTrace trace = file.read();
  ASSERT_EQ(trace.communications.size(), 2u);
  EXPECT_EQ(trace.communications[0], (RecordedCommunication{.kind = CommunicationKind::all_reduce,
                                                            .type = DataType::fp32,
                                                            .type_known = true,
                                                            .detail = "tree LL"}));
  EXPECT_EQ(trace.communications[1].size, Bytes{-1});
}

}  // namespace
}  // namespace quintet
