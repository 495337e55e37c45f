#include "engine/gpu_backends/nccl_account.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace quintet::engine {
namespace {

// Replicas that sum one buffer.
Program sums() {
  Program program;
  program.grid.axes = {{Axis::data, 2}};
  program.lanes = {{LaneKind::communication, "gradients"}};
  program.communicators = {{"data", {{Axis::data}}, {}}};
  program.bodies = {{"sum",
                     {{"sum",
                       LaneId{0},
                       Collective{.kind = CollectiveKind::all_reduce,
                                  .communicator = CommunicatorId{0},
                                  .size = Bytes{400}},
                       {}}}}};
  program.roles = {{"stage 0", 0, {{Call{.body = BodyId{0}}}}}};
  return program;
}

std::string operation(const std::string& algorithm) {
  return R"({"communicator": "data", "id": "0000000000000abc", "rank": 0, "ranks": 2, "nodes": 1, )"
         R"("function": "AllReduce", "sequence": 1, "count": 100, "type": "ncclFloat32", )"
         R"("algorithm": ")" +
         algorithm +
         R"(", "protocol": "LL", "channels": 2, "complete": true, "duration_ns": 10, )"
         R"("channel_times_ns": [[0, 10, 20]]})"
         "\n";
}

std::vector<std::string> account_of(const std::string& profile, const Ccl& ccl) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "profile";
  write_bytes(file, profile);
  const auto lines = nccl_account(file, sums(), ccl);
  if (!lines) return {lines.error().text()};
  EXPECT_NE(lines->front().find(file.string()), std::string::npos);
  return {lines->begin() + 1, lines->end()};
}

TEST(NcclAccounts, SayOnceWhatNcclDidOtherwise) {
  Ccl ccl;
  ccl.rules = {{std::nullopt, std::nullopt, Algorithm::ring, std::nullopt, std::nullopt}};
  EXPECT_EQ(account_of(operation("RING"), ccl), std::vector<std::string>{});
  EXPECT_EQ(account_of(operation("TREE") + operation("RING") + operation("TREE"), ccl),
            std::vector<std::string>{
                "Not as planned: all-reduce of 400 bytes on \"data\": asked "
                "for ring, any protocol, any number of channels; NCCL took TREE, LL, 2 "
                "channels."});
}

TEST(NcclAccounts, NameAProfileThatCannotBeRead) {
  EXPECT_NE(account_of("{", {}).front().find("line 1"), std::string::npos);
}

}  // namespace
}  // namespace quintet::engine
