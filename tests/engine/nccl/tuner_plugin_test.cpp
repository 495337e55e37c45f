// libquintet_nccl_tuner.so, called as NCCL 2.28 calls it.
#include <gtest/gtest.h>

#include <array>

#include "engine/nccl/plugins/plugin_interface.h"
#include "tests/support/plugin_files.h"
#include "tests/support/temporary_folder.h"

namespace quintet::engine::test {
namespace {

using namespace nccl_plugin;
using Table = std::array<std::array<float, protocols>, algorithms>;

constexpr float none = not_available;
// Tree and ring by all protocols, NVLS by simple alone.
constexpr Table nccls_own{{{15, 31, 64},
                           {16, 40, 56},
                           {none, none, none},
                           {none, none, none},
                           {none, none, 25},
                           {none, none, none},
                           {none, none, none}}};

const Tuner& tuner() {
  return loaded<Tuner>(QUINTET_NCCL_TUNER_BUILT, "ncclTunerPlugin_v5");
}

struct Choice {
  Table times = nccls_own;
  int channels = 0;  // as NCCL hands it over: not chosen
  bool operator==(const Choice&) const = default;
};

class TunerPlugin : public testing::Test {
 protected:
  void* made(const std::string& rules) {
    write_bytes(folder_.path() / "rules", rules);
    const Variable rules_file("QUINTET_NCCL_RULES", folder_.path() / "rules");
    const Variable table("QUINTET_NCCL_TABLE", folder_.path() / "table");
    void* context = nullptr;
    TunerConstants constants{};
    constants.base_latencies[1][2] = 8.4;
    constants.nvls_tree_channel_bandwidths[3][2] = 43.8;
    EXPECT_EQ(tuner().init(&context, 0xabc, 4, 2, nullptr, nullptr, &constants), answer_success);
    return context;
  }

  static Choice chosen(void* context, Function function, std::size_t bytes) {
    Choice choice;
    EXPECT_EQ(
        tuner().choose(context, function, bytes, 1, reinterpret_cast<float**>(choice.times.data()),
                       algorithms, protocols, 0, &choice.channels),
        answer_success);
    return choice;
  }

  TemporaryFolder folder_;
};

TEST_F(TunerPlugin, LeavesOnlyWhatTheRuleAsksFor) {
  void* const context = made("communicator data\nall-reduce 0-1024 ring ll 4\n");
  // Only row 1 (ring), column 0 (LL) is left, with NCCL's own time.
  Choice expected{.channels = 4};
  for (auto& row : expected.times) row.fill(none);
  expected.times[1][0] = 16;
  EXPECT_EQ(chosen(context, function_all_reduce, 1024), expected);
  EXPECT_EQ(chosen(context, function_all_reduce, 1025), Choice{});
  EXPECT_EQ(chosen(context, function_all_gather, 8), Choice{});
  tuner().finalize(context);
}

TEST_F(TunerPlugin, ARuleOfAProtocolLeavesTheAlgorithmToNccl) {
  void* const context = made("communicator data\nreduce-scatter * * simple *\n");
  Choice expected;
  for (auto& row : expected.times) row[0] = row[1] = none;
  EXPECT_EQ(chosen(context, function_reduce_scatter, 8), expected);
  tuner().finalize(context);
}

TEST_F(TunerPlugin, ARuleOfChannelsLeavesTheRestToNccl) {
  void* const context = made("communicator data\nbroadcast * * * 7\n");
  EXPECT_EQ(chosen(context, function_broadcast, 8), Choice{.channels = 7});
  tuner().finalize(context);
}

TEST_F(TunerPlugin, WhatNcclCannotDoIsLeftAloneAndSaidOnce) {
  void* const context = made("communicator data\nall-reduce * nvls ll 4\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(chosen(context, function_all_reduce, 8), Choice{});
  EXPECT_EQ(chosen(context, function_all_reduce, 8), Choice{});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Quintet's NCCL tuner: communicator \"data\": NCCL cannot do all-reduce of 8 bytes by "
            "{\"algorithm\": \"nvls\", \"protocol\": \"ll\", \"channels\": 4} here; its own choice "
            "is left alone\n");
  tuner().finalize(context);
}

TEST_F(TunerPlugin, RulesThatCannotBeReadAreRefusedWithTheirLine) {
  testing::internal::CaptureStderr();
  void* const context = made("communicator data\nall-reduce * ring ll many\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Quintet's NCCL tuner: " + (folder_.path() / "rules").string() +
                ": line 2: \"many\" is no number of channels; accepted: 1 to 64 or *; NCCL's own "
                "choice is left alone\n");
  EXPECT_EQ(chosen(context, function_all_reduce, 8), Choice{});
  tuner().finalize(context);
}

TEST_F(TunerPlugin, AFileOfRulesThatIsNotThereIsNamed) {
  const Variable rules("QUINTET_NCCL_RULES", folder_.path() / "nowhere");
  void* context = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(tuner().init(&context, 1, 2, 1, nullptr, nullptr, nullptr), answer_success);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Quintet's NCCL tuner: " + (folder_.path() / "nowhere").string() +
                ": cannot be read; NCCL's own choice is left alone\n");
  EXPECT_EQ(chosen(context, function_all_reduce, 8), Choice{});
  tuner().finalize(context);
}

TEST_F(TunerPlugin, WritesDownWhatNcclsTableSaidBeforeItIsTouched) {
  void* const context = made("communicator data\nall-reduce * ring ll 4\n");
  chosen(context, function_all_reduce, 1024);
  chosen(context, function_all_reduce, 1024);  // a step repeats its sizes: written once
  chosen(context, function_reduce, 8);
  tuner().finalize(context);
  const std::vector<nlohmann::json> lines = json_lines(folder_.path() / "table");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["content"], "constants");
  EXPECT_EQ(lines[0]["base_latencies"][1], (nlohmann::json{0, 0, 8.4}));
  EXPECT_EQ(lines[0]["nvls_tree"][3], (nlohmann::json{0, 0, 43.8}));
  EXPECT_EQ(lines[1], nlohmann::json::parse(R"({
    "content": "times", "communicator": "data", "id": "0000000000000abc", "ranks": 4, "nodes": 2,
    "kind": "all-reduce", "bytes": 1024, "operations": 1, "registered": false, "unit": "us",
    "times": {"tree": {"ll": 15, "ll128": 31, "simple": 64},
              "ring": {"ll": 16, "ll128": 40, "simple": 56},
              "nvls": {"simple": 25}},
    "rule": {"algorithm": "ring", "protocol": "ll", "channels": 4}})"));
  EXPECT_EQ(lines[2]["kind"], "reduce");
  EXPECT_EQ(lines[2]["rule"], nullptr);
}

}  // namespace
}  // namespace quintet::engine::test
