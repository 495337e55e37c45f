// The stand-in must be as strict as a GPU: what would go wrong there goes wrong here.
#include "tests/stand_ins/fake_device.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

namespace quintet::engine {
namespace {

using kernels::Stream;
using kernels::StreamEvent;

class FakeDevices : public testing::Test {
 protected:
  // What `b` read of a number that `a` wrote, with or without an event between them, over seeds.
  std::set<int> numbers_read(bool with_event) {
    std::set<int> seen;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const auto device = fake_device({seed});
      const Stream a = device->make_stream(), b = device->make_stream();
      const StreamEvent written = device->make_event();
      auto* const pinned = static_cast<int*>(device->allocate_pinned(2 * sizeof(int)));
      auto* const shared = static_cast<int*>(device->allocate(sizeof(int)));
      pinned[0] = 7;
      device->copy(shared, &pinned[0], sizeof(int), a);
      device->record(written, a);
      if (with_event) device->wait(b, written);
      device->copy(&pinned[1], shared, sizeof(int), b);
      device->synchronise(b);
      seen.insert(pinned[1]);
    }
    return seen;
  }
};

TEST_F(FakeDevices, StreamsRunInAnyOrderButForEvents) {
  EXPECT_EQ(numbers_read(true), std::set<int>{7});
  EXPECT_EQ(numbers_read(false), (std::set<int>{-1, 7}));  // -1: the poison
}

TEST_F(FakeDevices, AWaitIsForTheRecordBeforeItThoughTheEventIsRecordedAgain) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto device = fake_device({seed});
    const Stream writes = device->make_stream(), reads = device->make_stream();
    const Stream other = device->make_stream();
    const StreamEvent written = device->make_event();
    auto* const pinned = static_cast<int*>(device->allocate_pinned(2 * sizeof(int)));
    auto* const shared = static_cast<int*>(device->allocate(sizeof(int)));
    pinned[0] = 7;
    device->copy(shared, &pinned[0], sizeof(int), writes);
    device->record(written, writes);
    device->wait(reads, written);
    device->copy(&pinned[1], shared, sizeof(int), reads);
    device->record(written, other);  // may be done first
    device->wait(reads, written);
    device->synchronise(reads);
    EXPECT_EQ(pinned[1], 7) << seed;
  }
}

TEST_F(FakeDevices, NothingRunsUntilSomebodyWaits) {
  const auto device = fake_device();
  const Stream stream = device->make_stream();
  auto* const number = static_cast<int*>(device->allocate_pinned(sizeof(int)));
  device->zero(number, sizeof(int), stream);
  EXPECT_EQ(*number, -1);
  device->synchronise(stream);
  EXPECT_EQ(*number, 0);
}

TEST_F(FakeDevices, AGraphRunsItsWorkAtEachLaunch) {
  const auto device = fake_device();
  const Stream stream = device->make_stream(), side = device->make_stream();
  const StreamEvent fork = device->make_event(), join = device->make_event();
  const auto kernels = device->make_kernels();
  auto* const sums = static_cast<float*>(device->allocate_pinned(2 * sizeof(float)));
  auto* const one = static_cast<float*>(device->allocate_pinned(sizeof(float)));
  sums[0] = sums[1] = 0.0F;
  *one = 1.0F;
  device->begin_capture(stream);
  device->record(fork, stream);
  device->wait(side, fork);
  Stream mutable_side = side, mutable_stream = stream;
  kernels->accumulate({1, one, &sums[0]}, mutable_side);
  device->record(join, side);
  device->wait(stream, join);
  kernels->accumulate({1, &sums[0], &sums[1]}, mutable_stream);
  const kernels::Graph graph = device->end_capture(stream);
  EXPECT_EQ(sums[0], 0.0F);
  for (int launch = 0; launch < 3; ++launch) device->launch(graph, stream);
  device->synchronise(stream);
  EXPECT_EQ(sums[0], 3.0F);
  EXPECT_EQ(sums[1], 6.0F);  // 1 + 2 + 3
}

// As behind a kernel that waits for another rank.
TEST_F(FakeDevices, WhatIsBehindAMeetingWaitsUntilItIsOver) {
  const auto device = fake_device();
  const Stream stream = device->make_stream();
  const StreamEvent behind = device->make_event();
  bool came = false, over = false;
  queue_meeting(
      *device, stream, [&] { came = true; }, [&] { return over; });
  device->record(behind, stream);
  for (int round = 0; round < 50; ++round) EXPECT_FALSE(device->has_happened(behind));
  EXPECT_TRUE(came);
  over = true;
  device->synchronise(stream);
  EXPECT_TRUE(device->has_happened(behind));
}

TEST_F(FakeDevices, TimesAreOfWhenTheStreamCameToTheEvents) {
  const auto device = fake_device();
  const Stream stream = device->make_stream();
  const StreamEvent first = device->make_event(kernels::EventTimes::kept),
                    second = device->make_event(kernels::EventTimes::kept);
  device->record(first, stream);
  queue_meeting(
      *device, stream, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); },
      [] { return true; });
  device->record(second, stream);
  device->synchronise(stream);
  EXPECT_GE(device->seconds_between(first, second), 2e-3);
}

TEST_F(FakeDevices, MemoryRunsOut) {
  const auto device = fake_device({1, 1000});
  void* const most = device->allocate(900);
  EXPECT_NE(most, nullptr);
  EXPECT_EQ(device->allocate(200), nullptr);
  device->free(most);
  EXPECT_NE(device->allocate(200), nullptr);
}

}  // namespace
}  // namespace quintet::engine
