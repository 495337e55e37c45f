#include "engine/nccl/plugins/profile_log.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace quintet::engine {
namespace {

const std::string head =
    R"({"communicator": "data", "id": "0000000000000abc", "rank": 3, "ranks": 4, "nodes": 2, )";

std::string gather(const std::string& rest) {
  return head +
         R"("function": "AllGather", "sequence": 7, "count": 100, "type": "ncclBfloat16", )" +
         R"("algorithm": "RING", "protocol": "LL", "channels": 2, )" + rest + "}\n";
}

Result<std::vector<ProfiledOperation>> read(const std::string& text) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "profile", text);
  return read_profile(folder.path() / "profile");
}

ProfiledOperation ring_gather() {
  return {.communicator = "data",
          .id = "0000000000000abc",
          .rank = 3,
          .ranks = 4,
          .nodes = 2,
          .function = "AllGather",
          .sequence = 7,
          .type = "ncclBfloat16",
          .count = 100,
          .algorithm = "RING",
          .protocol = "LL",
          .channels = 2,
          .duration = Seconds{2200 * 1e-9},
          .times = {{5, 1000, 3000}, {4, 1100, 3300}}};
}

TEST(ProfileLog, IsReadBack) {
  const auto operations =
      read(gather(R"("complete": true, "duration_ns": 2200, )"
                  R"("channel_times_ns": [[5, 1000, 3000], [4, 1100, 3300]])") +
           gather(R"("complete": false, "duration_ns": null, "channel_times_ns": [])") + head +
           R"("function": "Send", "peer": 1, "count": 64, "type": "ncclUint8", "channels": 1, )"
           R"("complete": true, "duration_ns": 15, "channel_times_ns": [[0, 10, 25]]})");
  ASSERT_TRUE(operations) << operations.error().text();
  ASSERT_EQ(operations->size(), 3u);
  EXPECT_EQ((*operations)[0], ring_gather());
  EXPECT_EQ((*operations)[1].duration, std::nullopt);
  EXPECT_EQ((*operations)[2].algorithm, "");
  EXPECT_EQ((*operations)[2].sequence, std::nullopt);
}

TEST(ProfileLog, WhatIsWrongIsNamedWithItsLine) {
  const auto cut = read(gather(R"("complete": false, "duration_ns": null, )"
                               R"("channel_times_ns": [])") +
                        head);
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().text().find("profile: line 2"), std::string::npos) << cut.error().text();
  const auto times = read(gather(R"("complete": true, "duration_ns": 1, )"
                                 R"("channel_times_ns": [[1, 2]])"));
  ASSERT_FALSE(times);
  EXPECT_NE(times.error().text().find("line 1"), std::string::npos);
  EXPECT_NE(times.error().what.find("[channel, start, stop]"), std::string::npos);
}

TEST(ProfileLog, TellsTheWholeBuffer) {
  // A gather's count is one rank's part: 100 elements x 2 bytes x 4 ranks.
  EXPECT_EQ(buffer_bytes(ring_gather()), 800u);
  ProfiledOperation sum = ring_gather();
  sum.function = "AllReduce";
  EXPECT_EQ(buffer_bytes(sum), 200u);
  sum.function = "Send";
  EXPECT_EQ(buffer_bytes(sum), std::nullopt);
}

TEST(ProfileLog, TellsWhatNcclDidOtherwise) {
  const auto rules = [](const TunerRule& rule) { return TunerRules{"data", {rule}}; };
  TunerRule rule{.kind = CollectiveKind::all_gather,
                 .to_bytes = 800,
                 .algorithm = Algorithm::ring,
                 .protocol = Protocol::ll,
                 .channels = 2};
  EXPECT_EQ(departure(rules(rule), ring_gather()), std::nullopt);
  rule.channels = 1;
  EXPECT_NE(departure(rules(rule), ring_gather()), std::nullopt);
  rule.channels = 4;  // fewer are NCCL's right
  EXPECT_EQ(departure(rules(rule), ring_gather()), std::nullopt);
  rule.algorithm = Algorithm::nvls_tree;
  EXPECT_EQ(departure(rules(rule), ring_gather()),
            "all-gather of 800 bytes on \"data\": asked for nvls-tree, ll, 4 channels; NCCL took "
            "RING, LL, 2 channels");
  rule.to_bytes = 799;  // not about this one
  EXPECT_EQ(departure(rules(rule), ring_gather()), std::nullopt);
}

}  // namespace
}  // namespace quintet::engine
