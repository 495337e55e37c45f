// A stand-in for a GPU, timed: its figures are the host's, but all of them must come out, of every
// order in which it does its work.
#include "calibrate/device/device_costs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "engine/device/gpu_module.h"
#include "sim/cost/file/cost_table_file.h"
#include "tests/stand_ins/fake_device.h"

namespace quintet::calibrate {
namespace {

using namespace literals;

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

// Copies take their bytes at 10 GB/s after what their stream had before, so that the other way does
// not slow them; a copy inside moves its bytes twice. A kernel of 50 us does not hold up the host.
TEST(DeviceCosts, AreTheRatesThatADeviceHas) {
#ifndef QUINTET_SCHEDULED_GPUS
  GTEST_SKIP() << "this build has no stand-in of known rates (no NCCL)";
#else
  setenv("QUINTET_CUDA_MODULE", QUINTET_SCHEDULED_GPUS, 1);
  const auto device = engine::open_gpu(0);
  unsetenv("QUINTET_CUDA_MODULE");
  ASSERT_TRUE(device) << device.error().text();
  const auto none = [] { return kernels::OpenedRecorder{nullptr, "it has none"}; };
  DeviceSweep sweep = small_sweep();
  sweep.copies.repeats = sweep.launches.repeats = 11;  // others may take the core in some
  const Result<DeviceCosts> costs = device_costs(**device, none, sweep);
  ASSERT_TRUE(costs) << costs.error().text();
  for (const Bandwidth rate :
       {costs->copy.host_to_device, costs->copy.device_to_host, costs->copy.device_to_device})
    EXPECT_NEAR(rate.value, 10e9, 0.1e9);
  EXPECT_NEAR(costs->copy.start.value, 0, 0.1e-6);
  EXPECT_NEAR(costs->memory_bandwidth.value, 20e9, 0.2e9);
  EXPECT_LE(costs->copy.pageable_to_device.value, 10.1e9);
  EXPECT_NEAR(costs->copy.both_ways, 1, 0.1);
  EXPECT_LT(costs->launch.eager, 50_us);
#endif
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
