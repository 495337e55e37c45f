// What only a GPU shows of its recorder: which calls its records hang on, that nodes of a launched
// graph are those that were captured, and that its times are on the host's clock.
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "engine/device/gpu_module.h"

namespace quintet::engine {
namespace {

using kernels::Activity;
using kernels::ActivityKind;
using kernels::DeviceRecords;

std::int64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr std::size_t count = std::size_t{1} << 20;  // floats

// One recorder for the process: CUPTI is enabled once.
class Recorder : public testing::Test {
 protected:
  void SetUp() override {
    if (count_gpus() == 0) GTEST_SKIP() << "no GPU";
    static kernels::OpenedRecorder opened = open_gpu_recorder();
    if (!opened.recorder) GTEST_SKIP() << opened.why_not;
    recorder_ = opened.recorder.get();
    auto device = open_gpu(0);
    ASSERT_TRUE(device) << device.error().text();
    device_ = *std::move(device);
    kernels_ = device_->make_kernels();
    stream_ = device_->make_stream();
    values_ = static_cast<float*>(device_->allocate((count + 1) * sizeof(float)));
    device_->zero(values_, (count + 1) * sizeof(float), stream_);
    device_->synchronise(stream_);
    recorder_->collect();
  }
  void TearDown() override {
    if (!device_) return;
    device_->free(values_);
    device_->destroy(stream_);
  }

  void scale() {
    kernels_->scale({static_cast<kernels::Index>(count), {values_}, values_ + count}, stream_);
  }
  // By the purpose that they were asked for.
  std::map<std::uint64_t, std::vector<Activity>> collected() {
    device_->synchronise(stream_);
    records_ = recorder_->collect();
    std::map<std::uint32_t, std::uint64_t> purposes;
    for (const auto& each : records_.purposes) purposes[each.call] = each.purpose;
    std::map<std::uint64_t, std::vector<Activity>> found;
    for (const Activity& each : records_.activities)
      found[purposes.contains(each.call) ? purposes[each.call] : 0].push_back(each);
    return found;
  }

  kernels::ActivityRecorder* recorder_ = nullptr;
  std::unique_ptr<kernels::Device> device_;
  std::unique_ptr<kernels::Kernels> kernels_;
  kernels::Stream stream_;
  float* values_ = nullptr;
  DeviceRecords records_;
};

TEST_F(Recorder, TellsWhatEachPurposeAskedForAndWhen) {
  std::vector<float> host(count);
  const std::int64_t before = now();
  recorder_->begin(7);
  scale();
  recorder_->end();
  recorder_->begin(8);
  device_->zero(values_, count * sizeof(float), stream_);
  recorder_->end();
  recorder_->begin(9);
  device_->copy(host.data(), values_, count * sizeof(float), stream_);
  recorder_->end();
  const auto found = collected();
  const std::int64_t after = now();
  const std::map<std::uint64_t, ActivityKind> expected{
      {7, ActivityKind::kernel}, {8, ActivityKind::fill}, {9, ActivityKind::copy}};
  for (const auto& [purpose, kind] : expected) {
    ASSERT_TRUE(found.contains(purpose)) << purpose;
    for (const Activity& each : found.at(purpose)) {
      EXPECT_EQ(each.kind, kind) << purpose;
      EXPECT_LT(before, each.start) << purpose;
      EXPECT_LT(each.start, each.end) << purpose;
      EXPECT_LT(each.end, after) << purpose;
    }
  }
  EXPECT_FALSE(found.contains(0));
  EXPECT_LT(found.at(7)[0].end, found.at(9)[0].start);
  EXPECT_EQ(found.at(9)[0].bytes, count * sizeof(float));
  EXPECT_NE(found.at(7)[0].name, "");
  EXPECT_EQ(records_.dropped + records_.broken, 0u);
  EXPECT_EQ(records_.trouble, "");
}

TEST_F(Recorder, TellsWhatTheNodesOfAGraphWereCapturedFor) {
  scale();  // what is loaded at first use is loaded
  collected();
  device_->begin_capture(stream_);
  for (const std::uint64_t purpose : {11, 12}) {
    recorder_->begin(purpose);
    scale();
    recorder_->end();
  }
  recorder_->begin(13);  // instantiation makes nodes, too
  const kernels::Graph graph = device_->end_capture(stream_);
  recorder_->end();
  for (const std::uint64_t launch : {21, 22}) {
    recorder_->begin(launch);
    device_->launch(graph, stream_);
    recorder_->end();
  }
  const auto found = collected();
  for (const std::uint64_t launch : {21, 22}) {
    ASSERT_TRUE(found.contains(launch)) << launch;
    std::map<std::int64_t, std::uint64_t> captured_for;  // in order of time
    for (const Activity& each : found.at(launch)) {
      EXPECT_NE(each.graph_node, 0u);
      captured_for[each.start] = each.captured_for;
    }
    ASSERT_EQ(captured_for.size(), 2u);
    EXPECT_EQ(captured_for.begin()->second, 11u);
    EXPECT_EQ(captured_for.rbegin()->second, 12u);
  }
  device_->destroy(graph);
}

}  // namespace
}  // namespace quintet::engine
