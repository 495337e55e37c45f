// libquintet_nccl_profiler.so, called as NCCL 2.28 calls it.
#include <gtest/gtest.h>

#include "engine/nccl/plugins/plugin_interface.h"
#include "tests/support/plugin_files.h"
#include "tests/support/temporary_folder.h"

namespace quintet::engine::test {
namespace {

using namespace nccl_plugin;
using nlohmann::json;

const Profiler& profiler() {
  return loaded<Profiler>(QUINTET_NCCL_PROFILER_BUILT, "ncclProfiler_v5");
}

class ProfilerPlugin : public testing::Test {
 protected:
  ProfilerPlugin() : file_("QUINTET_NCCL_PROFILE", folder_.path() / "profile") {
    EXPECT_EQ(profiler().init(&context_, 0xabc, &activation_, "data", 2, 4, 3, nullptr),
              answer_success);
  }

  void* start(ProfilerEvent event) {
    void* handle = nullptr;
    EXPECT_EQ(profiler().start_event(context_, &handle, &event), answer_success);
    return handle;
  }

  void* collective(std::uint8_t channels) {
    ProfilerEvent event{.type = event_collective, .parent = nullptr, .rank = 3, .collective = {}};
    event.collective.sequence = 7;
    event.collective.function = "AllReduce";
    event.collective.count = 1024;
    event.collective.type = "ncclFloat32";
    event.collective.channels = channels;
    event.collective.algorithm = "RING";
    event.collective.protocol = "LL";
    return start(event);
  }

  void* channel(void* parent, std::uint8_t number, std::uint64_t when) {
    ProfilerEvent event{
        .type = event_kernel_channel, .parent = parent, .rank = 3, .collective = {}};
    event.kernel_channel = {number, when};
    return start(event);
  }

  static void stop(void* handle, std::uint64_t when) {
    ProfilerEventDetail detail{};
    detail.stop = when;
    profiler().record_state(handle, state_kernel_channel_stop, &detail);
    profiler().stop_event(handle);
  }

  std::vector<json> finished() {
    profiler().finalize(context_);
    return json_lines(folder_.path() / "profile");
  }

  TemporaryFolder folder_;
  Variable file_;
  void* context_ = nullptr;
  int activation_ = 0;
};

TEST_F(ProfilerPlugin, AsksForCollectivesMessagesAndTheirChannelsAlone) {
  EXPECT_EQ(activation_, 2 + 4 + 64);  // bits 1, 2 and 6 of NCCL's mask
  finished();
}

TEST_F(ProfilerPlugin, ACollectiveTakesAsLongAsItsLongestChannel) {
  void* const operation = collective(2);
  profiler().stop_event(operation);  // enqueued; the GPU comes to it later
  void* const second = channel(operation, 5, 1000);
  void* const first = channel(operation, 4, 1100);
  stop(second, 3000);
  stop(first, 3300);
  // 3000 - 1000 = 2000 ns, 3300 - 1100 = 2200 ns.
  EXPECT_EQ(finished(), std::vector{json::parse(R"({
    "communicator": "data", "id": "0000000000000abc", "rank": 3, "ranks": 4, "nodes": 2,
    "function": "AllReduce", "sequence": 7, "count": 1024, "type": "ncclFloat32",
    "algorithm": "RING", "protocol": "LL", "channels": 2, "complete": true, "duration_ns": 2200,
    "channel_times_ns": [[5, 1000, 3000], [4, 1100, 3300]]})")});
}

TEST_F(ProfilerPlugin, AMessageNamesItsPeer) {
  ProfilerEvent event{.type = event_message, .parent = nullptr, .rank = 3, .collective = {}};
  event.message = {"Send", nullptr, "ncclUint8", 64, 1, 1, nullptr};
  void* const operation = start(event);
  void* const only = channel(operation, 0, 10);
  profiler().stop_event(operation);
  stop(only, 25);
  EXPECT_EQ(finished(), std::vector{json::parse(R"({
    "communicator": "data", "id": "0000000000000abc", "rank": 3, "ranks": 4, "nodes": 2,
    "function": "Send", "peer": 1, "count": 64, "type": "ncclUint8", "channels": 1,
    "complete": true, "duration_ns": 15, "channel_times_ns": [[0, 10, 25]]})")});
}

TEST_F(ProfilerPlugin, WhatNeverEndedIsWrittenAsIncomplete) {
  void* const operation = collective(2);
  profiler().stop_event(operation);
  stop(channel(operation, 0, 10), 25);
  channel(operation, 1, 10);
  const std::vector<json> lines = finished();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["complete"], false);
  EXPECT_EQ(lines[0]["duration_ns"], nullptr);
  EXPECT_EQ(lines[0]["channel_times_ns"], json::parse("[[0, 10, 25]]"));
}

TEST_F(ProfilerPlugin, EventsBeyondTheAnnouncedChannelsAreDroppedAndCounted) {
  void* const operation = collective(1);
  void* const only = channel(operation, 0, 10);
  EXPECT_EQ(channel(operation, 1, 10), nullptr);
  stop(only, 25);
  profiler().stop_event(operation);
  testing::internal::CaptureStderr();
  EXPECT_EQ(finished().size(), 1u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Quintet's NCCL profiler: 1 events were dropped and 0 lines could not be written\n");
}

TEST_F(ProfilerPlugin, EventsThatWereNotAskedForHaveNoHandle) {
  ProfilerEvent event{.type = 1, .parent = nullptr, .rank = 3, .collective = {}};  // a group
  EXPECT_EQ(start(event), nullptr);
  EXPECT_EQ(channel(nullptr, 0, 10), nullptr);
  EXPECT_EQ(profiler().stop_event(nullptr), answer_success);
  EXPECT_TRUE(finished().empty());
}

TEST(ProfilerPluginWithoutAFile, SwitchesItselfOffAndSaysWhy) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "nowhere" / "profile";
  const Variable file("QUINTET_NCCL_PROFILE", path);
  void* context = nullptr;
  int activation = 0;
  testing::internal::CaptureStderr();
  EXPECT_NE(profiler().init(&context, 1, &activation, nullptr, 1, 2, 0, nullptr), answer_success);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Quintet's NCCL profiler: " + path + ": cannot be written; nothing is recorded\n");
  EXPECT_EQ(activation, 0);
}

}  // namespace
}  // namespace quintet::engine::test
