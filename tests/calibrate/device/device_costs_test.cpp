// A stand-in for a GPU, timed: its figures are the host's, but all of them must come out, of every
// order in which it does its work.
#include "calibrate/device/device_costs.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "calibrate/cost_table_text.h"
#include "sim/cost/cost_table_file.h"
#include "tests/engine/device/fake_device.h"

namespace quintet::calibrate {
namespace {

DeviceSweep small_sweep() {
  DeviceSweep sweep;
  sweep.copies = {{4096, 65536, 1048576, 4194304}, 1 << 20, 3};
  sweep.launches = {16, 4, 32, 3};
  return sweep;
}

// The recorder is the caller's here; who measures wants one of its own.
class Forwarding : public kernels::ActivityRecorder {
 public:
  explicit Forwarding(engine::FakeRecorder& recorder) : recorder_(recorder) {}
  std::string in_words() const override { return recorder_.in_words(); }
  void begin(std::uint64_t purpose) override { recorder_.begin(purpose); }
  void end() override { recorder_.end(); }
  kernels::DeviceRecords collect() override { return recorder_.collect(); }
  kernels::DeviceRecords stop() override { return recorder_.stop(); }

 private:
  engine::FakeRecorder& recorder_;
};

engine::OpenRecorder opener(engine::FakeRecorder& recorder) {
  return [&] { return kernels::OpenedRecorder{std::make_unique<Forwarding>(recorder), ""}; };
}

TEST(DeviceCosts, AreAllMeasuredInWhateverOrderADeviceWorks) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    engine::FakeRecorder recorder;
    const auto device = engine::fake_device({.seed = seed, .recorder = &recorder});
    const Result<DeviceCosts> costs = device_costs(*device, opener(recorder), small_sweep());
    ASSERT_TRUE(costs) << costs.error().text();
    EXPECT_TRUE(costs->not_measured.empty()) << costs->not_measured.front();
    for (const Bandwidth rate :
         {costs->copy.host_to_device, costs->copy.device_to_host, costs->copy.device_to_device,
          costs->copy.pageable_to_device, costs->copy.device_to_pageable, costs->memory_bandwidth})
      EXPECT_GT(rate, Bandwidth{});
    EXPECT_GE(costs->copy.both_ways, 1);
    EXPECT_GT(costs->launch.eager, Seconds{});
    EXPECT_GE(costs->launch.graph, Seconds{});
    EXPECT_GT(costs->launch.synchronise, Seconds{});
    EXPECT_GE(costs->launch.gap, Seconds{});
    EXPECT_TRUE(recorder.stopped);
  }
}

// Nothing of it is left over when it was measured.
TEST(DeviceCosts, GiveTheDevicesMemoryBack) {
  const auto device = engine::fake_device();
  const std::size_t before = device->free_memory();
  measured_copies(*device, small_sweep().copies);
  measured_launches(*device, small_sweep().launches);
  EXPECT_EQ(device->free_memory(), before);
}

// 1 MiB of memory holds two copies of up to 64 KiB: two sizes are too few for a line.
TEST(DeviceCosts, SayWhatThereWasNoMemoryFor) {
  const auto device = engine::fake_device({.memory_bytes = std::size_t{1} << 20});
  const MeasuredCopies copies = measured_copies(*device, small_sweep().copies);
  const std::vector<std::string> none{"copies device to device"};
  EXPECT_EQ(copies.not_measured, none);
}

TEST(DeviceCosts, SayWhyNoGapWasMeasured) {
  const auto device = engine::fake_device();
  const auto refuses = [] { return kernels::OpenedRecorder{nullptr, "another tool records"}; };
  const Result<DeviceCosts> costs = device_costs(*device, refuses, small_sweep());
  ASSERT_TRUE(costs) << costs.error().text();
  EXPECT_EQ(costs->not_measured,
            std::vector<std::string>{"the gap between two kernels (another tool records)"});
}

TEST(DeviceCosts, EndWithTheDevicesOwnWords) {
  const auto device = engine::fake_device();
  const auto fails = []() -> kernels::OpenedRecorder { throw std::runtime_error("it burns"); };
  const Result<DeviceCosts> costs = device_costs(*device, fails, small_sweep());
  ASSERT_FALSE(costs);
  EXPECT_EQ(costs.error().text(), "GPU: it burns");
}

// Kernels end at 10, 30 and 60, and begin at 5, 12 and 33 ns: gaps of 2 and 3, the lower counts.
TEST(DeviceCosts, AGapIsFromAKernelsEndToTheNextOnesStart) {
  class Recorded : public Forwarding {
   public:
    using Forwarding::Forwarding;
    kernels::DeviceRecords stop() override {
      kernels::DeviceRecords records;
      for (const auto& [start, end] : {std::pair{33, 60}, {5, 10}, {12, 30}})
        records.activities.push_back({.start = start, .end = end});
      records.activities.push_back({.kind = kernels::ActivityKind::fill, .start = 10, .end = 12});
      return records;
    }
  };
  engine::FakeRecorder unused;
  Recorded recorder(unused);
  const auto device = engine::fake_device();
  const auto gap = gap_between_kernels(*device, recorder, small_sweep().launches);
  ASSERT_TRUE(gap);
  EXPECT_NEAR(gap->value, 2e-9, 1e-15);
}

TEST(DeviceCosts, AreReadBackAsTheyAreWritten) {
  engine::FakeRecorder recorder;
  const auto device = engine::fake_device({.recorder = &recorder});
  const Result<DeviceCosts> costs = device_costs(*device, opener(recorder), small_sweep());
  ASSERT_TRUE(costs) << costs.error().text();
  CostTable table;
  table.name = "n";
  table.gpu = "g";
  table.source = "s";
  table.communication.source = "not measured";
  table.operators = {
      {{OperatorKind::head, Phase::forward, DataType::bf16, GemmShape{1, 1, 1}}, Seconds{1e-6}, 1}};
  put_into(table, *costs, "here, today");
  table.launch.step = Seconds{1e-4 / 3};
  const Result<CostTable> read = parse_cost_table(text_of(table), "written");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == table);
  EXPECT_NE(table.copy.source.find("here, today"), std::string::npos);
}

}  // namespace
}  // namespace quintet::calibrate
