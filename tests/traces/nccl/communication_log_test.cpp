#include "traces/nccl/communication_log.h"

#include <gtest/gtest.h>

#include "traces/nccl/nccl_tests.h"

namespace quintet {
namespace {

// Two ranks' lines mixed, with others' between.
const std::string mixed = R"(starting
node-a:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
node-a:10:15 [0] NCCL INFO ncclCommInitRank comm 0x55aa rank 0 nranks 2 cudaDev 0 nvmlDev 4 busId 1000 commId 0xfeed - Init START
node-a:10:15 [0] NCCL INFO ncclCommInitRank comm 0x55aa rank 0 nranks 2 cudaDev 0 nvmlDev 4 busId 1000 commId 0xfeed - Init COMPLETE
node-a:11:16 [1] NCCL INFO ncclCommInitRank comm 0x66bb rank 1 nranks 2 cudaDev 1 nvmlDev 5 busId 2000 commId 0xfeed - Init COMPLETE
node-a:10:10 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f0 recvbuff 0x7f0 count 1048576 datatype 7 op 0 root 0 comm 0x55aa [nranks=2] stream 0x1
node-a:10:10 [0] NCCL INFO AllReduce: 4194304 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..7}
node-a:11:11 [1] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f1 recvbuff 0x7f1 count 1048576 datatype 7 op 0 root 0 comm 0x66bb [nranks=2] stream 0x2
loss 3.2
node-a:10:10 [0] NCCL INFO AllGather: opCount 1f sendbuff 0x7f0 recvbuff 0x7f9 count 100 datatype 9 op 0 root 0 comm 0x55aa [nranks=2] stream 0x1
node-a:10:10 [0] NCCL INFO AllGather: opCount 1f sendbuff 0x7f0 recvbuff 0x7f9 count 300 datatype 9 op 0 root 0 comm 0x55aa [nranks=2] stream 0x1
node-a:10:10 [0] NCCL INFO AllGather: 600 Bytes -> Algo 1 proto 0 time 12.5
node-a:10:10 [0] NCCL INFO AllGather: 200 Bytes -> Algo 0 proto 1 time 12.5
node-a:11:11 [1] NCCL INFO Send: opCount 1 sendbuff 0x7f1 recvbuff (nil) count 64 datatype 1 op 0 root 0 comm 0x66bb [nranks=2] stream 0x2
)";

TEST(NcclLog, KeepsEachProcessesCallsInOrder) {
  EXPECT_TRUE(is_nccl_log(mixed));
  const auto log = parse_nccl_log(mixed, "x.log");
  ASSERT_TRUE(log) << log.error().text();
  ASSERT_EQ(log->processes.size(), 2u);
  const LoggedProcess& first = log->processes[0];
  EXPECT_EQ(first.host, "node-a");
  EXPECT_EQ(first.id, 10);
  EXPECT_EQ(first.communicators,
            (std::vector<LoggedCommunicator>{{"0x55aa", "0xfeed", 2, 0, 0, "", 0}}));
  const LoggedCommunication all_reduce{.kind = CommunicationKind::all_reduce,
                                       .type = DataType::fp32,
                                       .type_known = true,
                                       .count = 1048576,
                                       .size = Bytes{4194304},
                                       .communicator = 0,
                                       .launch = 0,
                                       .root = 0,
                                       .stream = "0x1",
                                       .algorithm = "RING",
                                       .protocol = "SIMPLE",
                                       .channels = 8};
  ASSERT_EQ(first.communications.size(), 3u);
  EXPECT_EQ(first.communications[0], all_reduce);
  // A group: one opCount. Of 100 bf16 elements a rank gives 200 bytes, so that two give 400. The
  // larger's choice is told first, by the bytes that a rank gives or by all of them.
  EXPECT_EQ(first.communications[1].launch, 0x1f);
  EXPECT_EQ(first.communications[2].launch, 0x1f);
  EXPECT_EQ(first.communications[1].size, Bytes{400});
  EXPECT_EQ(first.communications[1].algorithm + first.communications[1].protocol, "TREELL128");
  EXPECT_EQ(first.communications[2].algorithm + first.communications[2].protocol, "RINGLL");
  EXPECT_EQ(first.communications[0].nanoseconds, std::nullopt);
  ASSERT_EQ(log->processes[1].communications.size(), 2u);
  EXPECT_EQ(log->processes[1].communications[1].kind, CommunicationKind::send);
  EXPECT_TRUE(log->left_out.empty());
}

TEST(NcclLog, StampsAreInstantsOfTheCalls) {
  const auto log = parse_nccl_log(
      "0: [1970-01-02 00:00:01.25] h:1:1 [0] NCCL INFO Broadcast: opCount 0 sendbuff 0x1 recvbuff "
      "0x1 count 3 datatype 0 op 0 root 1 comm 0xa [nranks=2] stream 0x1 task 0 globalrank 6\r\n",
      "x");
  ASSERT_TRUE(log) << log.error().text();
  const LoggedProcess& process = log->processes.at(0);
  EXPECT_EQ(process.rank, 6);
  EXPECT_EQ(process.host, "h");
  // A day, a second and a quarter.
  EXPECT_EQ(process.communications.at(0).nanoseconds, 86401250000000);
  EXPECT_EQ(process.communications.at(0).root, 1);
}

TEST(NcclLog, SplitCommunicatorsKnowTheirParent) {
  const auto log = parse_nccl_log(
      "h:1:1 [0] NCCL INFO ncclCommSplit comm 0xb rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 1 "
      "parent "
      "0xa splitCount 1 color 3 key 0 - Init COMPLETE\n"
      "h:1:1 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x1 count 3 datatype 0 op 0 "
      "root 0 comm 0xb [nranks=2] stream 0x1\n",
      "x");
  ASSERT_TRUE(log) << log.error().text();
  EXPECT_EQ(log->processes[0].communicators,
            (std::vector<LoggedCommunicator>{{"0xb", "", 2, 1, 0, "0xa", 3}}));
}

TEST(NcclLog, CountsLinesThatMixingDamaged) {
  const auto log = parse_nccl_log(
      mixed +
          "ode-a [0] NCCL INFO AllReduce: opCount 3 count 1\n"
          "node-a:10:10 [0] NCCL INFO AllReduce: opCount 3 sendbuff 0x7f0 recvbnode-a:11:11\n"
          "node-a:10:10 [0] NCCL INFO Reduce: 8 Bytes -> Algo 1 proto 0 time 12.5\n",
      "x");
  ASSERT_TRUE(log) << log.error().text();
  EXPECT_EQ(log->left_out,
            (std::vector<LeftOut>{{"calls that are damaged, as mixed output may be", 1},
                                  {"choices of algorithms whose call is not there", 1},
                                  {"lines that are damaged, as mixed output may be", 1}}));
}

TEST(NcclLog, SaysWhichSubsystemsToLog) {
  const auto none = parse_nccl_log("h:1:1 [0] NCCL INFO Bootstrap : Using eth0\n", "x");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("NCCL_DEBUG_SUBSYS=INIT,COLL,TUNING"), std::string::npos);
  const auto other = parse_nccl_log("hello\n", "x");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().what.find("NCCL_DEBUG=INFO"), std::string::npos);
  EXPECT_FALSE(read_nccl_log("/nowhere/x.log"));
}

TEST(NcclTests, AreToldApart) {
  EXPECT_TRUE(is_nccl_tests("# nThread 1 nGpus 2 minBytes 8\n#\n"));
  EXPECT_TRUE(is_nccl_tests("#       size         count      type   redop    root     time\n"));
  EXPECT_TRUE(is_nccl_tests(
      R"({"version": "2.17", "args": ["./all_reduce_perf", "-J"], "env": [], "nccl_version": 22805)"));
  EXPECT_FALSE(is_nccl_tests(mixed));
  EXPECT_FALSE(is_nccl_tests(
      R"({"schemaVersion": 1, "distributedInfo": {"nccl_version": "2.21"}, "args": "x_perf", "traceEvents": [)"));
  EXPECT_FALSE(is_nccl_tests("# a model\n"));
}

}  // namespace
}  // namespace quintet
